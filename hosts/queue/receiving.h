// The receiving side: which of the data packets that arrive are answered with an OR-ACK.
//
// Of each flow: one of so many packets or bytes, the first one after a silence (OrAckSettings), and the last one, if it
// says that it is; of all flows together at most so many per second, with a reserve of a tenth of a second. The
// simulator does the same (packets_per_ack, burst_gap).
#pragma once

#include <cstdint>
#include <unordered_map>

#include "hosts/path/data_path.h"
#include "hosts/queue/flow_hash.h"
#include "hosts/queue/segment.h"

namespace weir::hosts {

class Receiving {
 public:
  static constexpr std::size_t kMostFlows = 65'536;
  static constexpr std::int64_t kIdle = 10'000'000'000;  // ns after which a flow is forgotten

  explicit Receiving(const OrAckSettings& settings, std::size_t most_flows = kMostFlows)
      : settings_(settings), most_flows_(most_flows) {}

  // Whether the data packet that arrived at `now` is to be answered. A flow for which there is no room is not.
  bool answers(const Segment& segment, std::int64_t now);
  // Forgets flows; to be called about once a second.
  void sweep(std::int64_t now);

  std::uint64_t packets() const { return packets_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t limited() const { return limited_; }

 private:
  struct State {
    std::int64_t last = 0;  // a packet
    std::uint32_t packets = 0;
    std::uint64_t bytes = 0;  // since the last OR-ACK
  };
  bool take(std::int64_t now);

  OrAckSettings settings_;
  std::size_t most_flows_;
  std::unordered_map<Flow, State, FlowHash> flows_;
  // OR-ACKs that may be sent now, times 10^9.
  std::int64_t reserve_ = 0;
  std::int64_t filled_ = 0;
  bool begun_ = false;
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t limited_ = 0;
};

}  // namespace weir::hosts
