// Captures of a run: one pcapng file for each chosen port, of what the port sends and receives. The ports of a host
// that has several are the interfaces of one file.
//
//   CaptureOptions options{.directory = "captures", .at = {"0", "320->0"}};
//   Capture capture(options, scenario, model);     // checks all of it, and takes the directory's name
//   ... capture.attach(engine) before the run begins
//   capture.finish();                              // all files get their names
//
// The files are written by a thread of their own while the run goes on.
//
// A packet that is sent has the time at which its transmission begins, one that is received that of its last bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

// The most ports at once: each, or each host, has a file open.
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

  std::size_t ports() const;
  // Of all files, before the run and after finish().
  std::uint64_t packets() const { return packets_; }
  std::uint64_t bytes() const { return bytes_; }
  // In all files, without their headers, of a flow of this size whose packets cross the network once, as one path with
  // this entropy goes, and are acknowledged one by one: bytes.
  std::uint64_t expected_bytes(std::uint32_t src, std::uint32_t dst, Bytes size, std::uint32_t entropy) const;

 private:
  // Text that is copied whole, since how much that is is known when this is compiled.
  template <std::size_t most>
  struct Text {
    std::size_t length = 0;
    std::array<char, most> text{};

    char* copy_to(char* at) const {
      std::memcpy(at, text.data(), most);
      return at + length;
    }
  };
  // What the comments of most packets of a flow in one direction have in common: what stands before and behind the
  // queue.
  struct FlowComment {
    FlowComment() = default;
    FlowComment(std::uint64_t flow_id, std::uint32_t path, std::uint32_t bytes);

    std::uint64_t flow = ~std::uint64_t{0};
    std::uint32_t entropy = 0;
    std::uint32_t wire = 0;
    Text<16> before;
    Text<48> behind;
  };
  // Where a port's packets are written.
  struct Place {
    std::uint32_t point = 0;      // its file
    std::uint32_t interface = 0;  // its number there
  };
  struct Point {
    probe::ResultFile file;
    // What is not in the file yet: blocks are made where they stand, and some hundreds written at a time, in whole
    // pages of memory.
    std::vector<char> buffer;
    std::size_t used = 0;

    void write_pages();
  };
  static constexpr std::size_t kPages = std::size_t{1} << 16;  // bytes that are written at a time

  void open_file(std::span<const std::uint32_t> ports);
  Interface interface_of(std::uint32_t port) const;
  void look(net::TraceEvents events);
  void write(const net::WireEvent& event);
  bool is_chosen(std::uint64_t flow) const;
  static constexpr std::size_t kMostComment = 160;  // four numbers of 20 digits at most, their names, copied texts
  // Writes into memory that has room for it, and returns the end.
  char* comment(const net::TraceEvent& event, const FlowOfPacket* flow, char* at);
  const FlowComment& flow_comment(std::uint64_t flow, const net::PacketView& packet);

  const engine::Model& model_;
  net::TraceFilter filter_;
  std::vector<probe::IdRange> flows_;  // empty: all
  std::uint32_t snaplen_ = 0;          // 0: headers
  Frames frames_;
  FlowTable table_;
  probe::ResultDirectory directory_;
  std::vector<Point> points_;
  std::vector<Place> place_of_port_;
  std::size_t most_block_ = 0;  // bytes
  std::array<FlowComment, 256> flow_comments_{};
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace weir::capture
