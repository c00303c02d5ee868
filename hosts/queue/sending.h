// The sending side: packets of TCP to peers wait here, by flow and in order, for as long as On-Ramp's rule says.
//
// The kernel keeps the packets; here are their numbers, in the order of their arrival. A packet leaves at
// max(t_NextPkt, arrival), but 15/16 of max_hold after its arrival at the latest, so that max_hold is kept by a process
// that is woken late, and never before another of its flow that came before it. Where the process was woken later than
// that lately, packets leave earlier by as much. Flows whose next packet may leave take
// turns, one packet each (On-Ramp 3.1). Without a heartbeat, of peers that are not held, and where there is no room to
// remember a flow, packets leave at once.
//
// Many flows. A flow whose last OR-ACK told of more than T is crowded, and has one packet (a super-packet) under way:
// the next one leaves when that one is answered and the pause which the answer may have asserted is over. So n flows
// whose packets take s on the bottleneck take turns in rounds of n s = 2 delay - T, and the delay is (n s + T) / 2;
// whatever else TCP hands down would stand in the queue. TCP hands down two packets of a flow, so that one waits for
// two rounds, and rounds differ: three of them are the bound instead of max_hold, if that is longer, and up to
// many_hold.
//
// Nothing here reads a clock or a socket: `now` and what has arrived are told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "hosts/path/data_path.h"
#include "hosts/queue/clocks.h"
#include "hosts/queue/flow_hash.h"
#include "hosts/queue/segment.h"
#include "weir/cc/on_ramp_rule.h"

namespace weir::hosts {

// What an OR-ACK says, once it is known to be from the peer.
struct Report {
  Flow flow;
  std::uint32_t seq = 0;
  std::int64_t received = 0;  // on the peer's clock
};

class Sending {
 public:
  enum class Heard : std::uint8_t { unknown_flow, no_note, wrong_time, heard, paused };

  static constexpr std::size_t kMostFlows = 16'384;
  // Notes of packets that nobody has answered for so long are forgotten; ns.
  static constexpr std::int64_t kLongestWait = 2'000'000'000;

  Sending(const PathSettings& settings, const ShownClock& clock, std::size_t most_flows = kMostFlows);

  void set_peer(const Peer& peer);
  void remove_peer(const Address& address);
  const Peer* find_peer(const Address& address) const;
  // Without a heartbeat for live_for, and while it is not allowed, nothing is held.
  void beat(std::int64_t at);
  void allow(bool holding) { allowed_ = holding; }

  // The kernel holds packet `id`, a segment of which is data, a SYN or an end.
  void arrive(std::uint32_t id, const Segment& segment, std::int64_t now);
  // A segment has left without waiting: seen on its way, of a peer that is not held.
  void pass(const Segment& segment, std::int64_t now);
  Heard hear(const Report& report, std::int64_t now);

  // Appends the packets that leave now, in the order in which they leave.
  void release(std::int64_t now, std::vector<std::uint32_t>& ids);
  // The same with all that wait.
  void release_all(std::int64_t now, std::vector<std::uint32_t>& ids);
  // All that wait has left by other hands.
  void forget_waiting();
  // When release() has something to do next; the largest number: not before something else happens.
  std::int64_t next_release() const;
  // Forgets flows that are silent or have ended; to be called about once a second.
  void sweep(std::int64_t now);

  void trace(std::function<void(const Decision&)> tell) { tell_ = std::move(tell); }
  // But for `flows`.
  const Counters& counters() const { return counters_; }
  std::vector<FlowView> flows(std::int64_t now) const;

 private:
  struct PeerState {
    Peer peer;
    weir_on_ramp_params params{};
  };
  struct Waiting {
    std::uint32_t id;
    Segment segment;
    std::int64_t arrived;
    bool held;
  };
  struct FlowState {
    weir_on_ramp rule{};
    PeerState* peer = nullptr;  // nullptr: removed
    bool ended = false;
    FlowView view;
    bool crowded = false;     // the last OR-ACK told of more than T
    bool unanswered = false;  // what has left last since then, whose first byte is `asked`, at `left`
    std::uint32_t asked = 0;
    std::int64_t left = 0;
    std::deque<Waiting> waiting;
    // Its place in due_, while packets wait.
    std::int64_t due = 0;
    std::uint64_t turn = 0;
  };
  struct Place {
    std::int64_t due;
    std::uint64_t turn;
    FlowState* flow;
    bool operator<(const Place& other) const { return due != other.due ? due < other.due : turn < other.turn; }
  };

  bool live(std::int64_t now) const { return allowed_ && now - beat_ <= live_for_; }
  bool holds(const FlowState& flow, std::int64_t now) const;
  FlowState* flow_of(const Segment& segment);
  void schedule(FlowState& flow, std::int64_t now);
  void reschedule(const PeerState* peer);
  void unschedule(FlowState& flow);
  void let_go(FlowState& flow, std::int64_t now, std::vector<std::uint32_t>& ids);
  void leave(FlowState& flow, const Segment& segment, std::int64_t held_for, std::int64_t now);
  void note(FlowState& flow, const Segment& segment, std::int64_t now);

  std::int64_t next_turn(const FlowState& flow) const;
  std::int64_t longest_wait(const FlowState& flow) const;

  bool hold_;
  std::int64_t max_hold_;
  std::int64_t many_hold_;
  std::int64_t late_ = 0;      // by how much release() came too late in the last seconds, ns; max_hold_ at most
  std::int64_t released_ = 0;  // when it came last
  std::int64_t live_for_;
  RuleSettings rule_;
  ShownClock clock_;
  std::size_t most_flows_;
  std::int64_t beat_;
  bool was_live_ = false;
  bool allowed_ = true;

  std::map<Address, std::unique_ptr<PeerState>> peers_;
  std::unordered_map<Flow, std::unique_ptr<FlowState>, FlowHash> flows_;
  std::set<Place> due_;
  std::uint64_t turns_ = 0;
  std::vector<std::uint32_t> at_once_;  // of flows that nobody remembers
  Counters counters_;
  std::function<void(const Decision&)> tell_;
};

}  // namespace weir::hosts
