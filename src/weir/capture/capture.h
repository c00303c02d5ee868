// Captures of a run: one pcapng file for each chosen port, of what the port sends and receives.
//
//   CaptureOptions options{.directory = "captures", .at = {"0", "320->0"}};
//   Capture capture(options, scenario, model);     // checks all of it, and takes the directory's name
//   ... capture.attach(engine) before the run begins
//   capture.finish();                              // all files get their names
//
// A packet that is sent has the time at which its transmission begins, one that is received that of its last bit.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/capture/flow_table.h"
#include "weir/capture/frames.h"
#include "weir/capture/pcapng.h"
#include "weir/engine/engine.h"
#include "weir/probe/packet_probe.h"
#include "weir/probe/results.h"

namespace weir::capture {

struct CaptureOptions {
  std::string directory;
  std::vector<std::string> at;     // lists of ports and nodes (capture_ports); none: all hosts' NICs
  std::vector<std::string> flows;  // lists of ids, as "0, 17, 200-299"; none: all flows
  std::string from;                // times; "" = from the beginning, to the end
  std::string until;
  std::string snaplen;  // bytes kept of each packet; "" = its headers
  bool ipv6 = false;
};

// The most ports at once: each has a file open.
inline constexpr std::size_t kMostPorts = 512;

class Capture {
 public:
  // Takes the name of the directory. Throws InputError that names the option which is not valid. The model must outlive
  // this.
  Capture(const CaptureOptions&, const engine::Model&);
  // Throws InputError if one of these flows cannot be, because ids end before it.
  void check_flows(std::uint64_t flows) const;

  void attach(engine::Engine&);
  // Closes the files and gives the directory its name.
  void finish();

  std::size_t ports() const { return points_.size(); }
  std::uint64_t packets() const { return packets_; }
  std::uint64_t bytes() const { return bytes_; }
  // Of all files, when `packets` packets of full size, of all flows, cross the network once and are acknowledged:
  // bytes.
  std::uint64_t expected_bytes(double packets) const;

 private:
  struct PathComment {
    std::uint64_t flow = 0;
    std::uint32_t entropy = 0;
    std::uint32_t length = 0;  // 0: there is none
    std::array<char, 48> text{};
  };
  struct Point {
    std::uint32_t port = 0;
    std::uint32_t owner = 0;
    std::uint32_t peer = 0;
    probe::ResultFile file;
    // What is not in the file yet: blocks are made where they stand, and written some hundreds at a time.
    std::vector<char> buffer;
    std::size_t used = 0;

    void flush() {
      file.write({buffer.data(), used});
      used = 0;
    }
  };
  static constexpr std::size_t kFlushAt = std::size_t{1} << 14;  // bytes of a buffer

  Interface interface_of(std::uint32_t port) const;
  void write(const net::TraceEvent& event);
  bool is_chosen(std::uint64_t flow) const;
  static constexpr std::size_t kMostComment = 160;  // six numbers of 20 digits at most, and their names
  // They write into memory that has room for it, and return the end.
  char* comment(const net::TraceEvent& event, const FlowOfPacket* flow, char* at);
  char* path_comment(std::uint64_t flow, const net::Packet& packet, char* at);

  const engine::Model& model_;
  net::TraceFilter filter_;
  std::vector<probe::IdRange> flows_;  // empty: all
  std::uint32_t snaplen_ = 0;          // 0: headers
  Frames frames_;
  FlowTable table_;
  probe::ResultDirectory directory_;
  std::vector<Point> points_;
  std::vector<std::uint32_t> point_of_port_;
  std::size_t most_block_ = 0;  // bytes
  std::array<PathComment, 256> path_comments_{};
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace weir::capture
