// What `weir-host trace` has captured on a host: each packet that On-Ramp let go, and each OR-ACK that it heard
// (docs/guides/on-hosts.md). Times are nanoseconds of that host's monotonic clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace weir::result {

struct HostTrace {
  struct Flow {
    std::string source;
    std::string destination;
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
  };
  // A packet, or a super-packet of segmentation offload.
  struct Packet {
    std::int64_t time = 0;  // when it may leave
    std::size_t flow = 0;   // in `flows`
    std::uint32_t seq = 0;  // TCP sequence number of its first byte
    std::uint32_t length = 0;
    std::int64_t held = 0;  // by how much it leaves later for On-Ramp
  };
  struct OrAck {
    std::int64_t time = 0;  // when it came
    std::size_t flow = 0;
    std::int64_t delay = 0;  // one way, by the clocks of both hosts
    double beta = 0;
    std::int64_t pause = 0;  // until the next packet may leave; 0 = it did not pause
  };

  std::string path;
  nlohmann::ordered_json meta;  // meta.json
  std::vector<Flow> flows;
  std::vector<Packet> packets;  // in the order of the file
  std::vector<OrAck> or_acks;

  std::int64_t begin() const;       // of the trace, by the monotonic clock
  std::int64_t begin_unix() const;  // the same by the clock of the day
  // T to this destination at the end of the trace, or at its beginning; 0 = not known.
  std::int64_t threshold(const std::string& destination) const;
};

// Whether `path` has a meta.json, a packets.csv and an or_acks.csv.
bool is_host_trace(const std::string& path);
// Throws InputError with file and line if anything is missing or broken.
HostTrace read_host_trace(const std::string& path);

}  // namespace weir::result
