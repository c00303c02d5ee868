// What holds packets of TCP before the NIC, and answers those of others with OR-ACKs: one interface for the path in the
// kernel (tc/BPF with departure times) and the one in user space (NFQUEUE).
//
// Times are CLOCK_MONOTONIC of this host in nanoseconds unless said otherwise. All members are called from one thread;
// a path may have threads and processes of its own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hosts/path/address.h"
#include "hosts/path/undo.h"

namespace weir::hosts {

// UDP port of OR-ACKs.
inline constexpr std::uint16_t kOrAckPort = 7472;
// UDP port of the agents: probes of the clocks and greetings.
inline constexpr std::uint16_t kAgentPort = 7471;

// The other host's CLOCK_MONOTONIC minus ours is offset + drift (t - at) / 2^30 at our time t, within sigma.
struct ClockLine {
  std::int64_t at = 0;
  std::int64_t offset = 0;  // ns
  std::int64_t drift = 0;   // ns per 2^30 ns
  std::int64_t sigma = 0;   // ns; below 0: nothing is known of that clock, and its peer is not held
};

// The key of one direction of a pair of hosts in one epoch.
struct PairKey {
  std::uint64_t epoch = 0;
  std::array<std::uint8_t, 16> key{};

  bool operator==(const PairKey&) const = default;
};

// Those that are accepted: of this epoch and its neighbours, since hosts' times of day differ. What is sent is signed
// by `current`.
struct PairKeys {
  PairKey current;
  PairKey previous;
  PairKey next;

  bool operator==(const PairKeys&) const = default;
};

struct Peer {
  Address address;
  bool held = false;           // false: measured only (mode observe, or its clock is not known well enough)
  bool certain = true;         // its clock is known; false: packets to it are not held longer because flows are many
  std::int64_t threshold = 0;  // T, ns; of one that is measured only it does not matter
  ClockLine clock;
  PairKeys send;     // for OR-ACKs that we send to it; only `current` is used
  PairKeys receive;  // for OR-ACKs that it sends to us
};

// T as the rule is told. No delay is longer than that of a peer that is measured only: its flows are not paused, so the
// rule must not reckon with pauses.
inline constexpr std::int64_t kNoThreshold = (std::int64_t{1} << 62) - 1;
constexpr std::int64_t rule_threshold(const Peer& peer, bool hold) {
  return hold && peer.held ? peer.threshold : kNoThreshold;
}

// The parameters of src/weir/cc/on_ramp_rule.h that are the same for all peers; gain and initial_beta are fixed point
// with 24 bits behind the point (WEIR_ON_RAMP_ONE).
struct RuleSettings {
  std::int64_t max_pause = 10'000'000;  // ns; 0: no bound
  std::uint32_t gain = (1u << 24) / 16;
  std::uint32_t initial_beta = 1u << 24;
  bool strawman = false;
};

struct OrAckSettings {
  std::uint32_t packets = 10;          // one OR-ACK for so many packets of a flow; 0: packets do not count
  std::uint32_t bytes = 65'536;        // or for so many bytes; 0: bytes do not count
  std::int64_t burst_gap = 100'000;    // ns; the first packet after so long a silence of the flow is answered
  std::uint32_t per_second = 100'000;  // of the whole host, at most
  std::uint16_t port = kOrAckPort;
};

// Where flows are many, a packet is held for so many of their rounds at most (queue/sending.h).
inline constexpr std::int64_t kHeldRounds = 3;

struct PathSettings {
  std::vector<std::string> interfaces;
  bool hold = false;                   // false: mode observe, nothing is ever held and no qdisc or segment size changes
  std::int64_t max_hold = 10'000'000;  // ns; no packet is held longer,
  // but where flows are so many that kHeldRounds rounds, in each of which every flow sends a super-packet, take longer:
  // so long, and no longer than this. Paths that fix departures early (BPF) hold no packet longer than max_hold.
  std::int64_t many_hold = 100'000'000;
  std::int64_t live_for = 500'000'000;  // ns after a heartbeat in which packets may be held
  RuleSettings rule;
  OrAckSettings or_ack;
  std::uint32_t segment_limit = 0;  // bytes of a super-packet at most (gso_max_size); 0: as it is
  BeforeChange before_change;       // empty: nobody wants to know
  // For tests: our clock is CLOCK_MONOTONIC + offset + drift (t - start) / 2^30. OR-ACKs are stamped by it, and the
  // lines of peers' clocks are those against it; departures, holds and heartbeats are by CLOCK_MONOTONIC all the same.
  std::int64_t test_clock_offset = 0;  // ns
  std::int64_t test_clock_drift = 0;   // ns per 2^30 ns
  std::int64_t test_clock_start = 0;   // ns
};

// Since the path was attached. What a path does not know is 0.
struct Counters {
  // sending
  std::uint64_t packets = 0;  // TCP data packets (super-packets of offloads) to peers
  std::uint64_t bytes = 0;    // of data in them
  std::uint64_t held = 0;     // packets that left later for it
  std::uint64_t held_ns = 0;  // in all
  std::uint64_t held_ns_max = 0;
  std::uint64_t clipped = 0;   // packets whose hold was cut to its bound
  std::uint64_t bypassed = 0;  // packets that passed although their peer is held: heartbeat expired, no room
  std::uint64_t notes = 0;
  std::uint64_t flows = 0;          // that flows() tells of
  std::uint64_t flows_refused = 0;  // no room in the table
  std::uint64_t or_acks_received = 0;
  std::uint64_t or_acks_accepted = 0;
  std::uint64_t pauses = 0;        // accepted OR-ACKs that paused
  std::uint64_t refused_form = 0;  // truncated, other version
  std::uint64_t refused_peer = 0;  // from no peer, or of a key id that is not known
  std::uint64_t refused_tag = 0;
  std::uint64_t refused_flow = 0;
  std::uint64_t refused_note = 0;  // no such packet, answered before, or later ones were
  std::uint64_t refused_time = 0;
  std::uint64_t rules_removed = 0;       // times that another program had removed the path's rules
  std::uint64_t heartbeat_expiries = 0;  // times that holding ended because no heartbeat came
  // receiving
  std::uint64_t data_packets = 0;  // TCP data packets from peers
  std::uint64_t data_bytes = 0;
  std::uint64_t or_acks_sent = 0;
  std::uint64_t or_ack_bytes = 0;     // of Ethernet frames
  std::uint64_t or_acks_limited = 0;  // not sent because of the host's rate
  // cost
  std::uint64_t processor_ns = 0;    // processor time of all this, as far as it can be told
  std::uint64_t decisions_lost = 0;  // of a trace
};

// A flow is told of from its first byte of data on, until it was silent for so long, or shorter after its end (FIN,
// RST); ns.
inline constexpr std::int64_t kFlowIdle = 30'000'000'000;
inline constexpr std::int64_t kFlowEnded = 1'000'000'000;
constexpr bool is_told_of(std::uint64_t packets, bool ended, std::int64_t last, std::int64_t now) {
  return packets != 0 && now - last <= (ended ? kFlowEnded : kFlowIdle);
}

struct FlowView {
  Flow flow;
  std::int64_t delay = 0;  // ns, one way, of the last OR-ACK
  double beta = 0;
  std::int64_t pause_end = 0;  // t_NextPkt
  std::int64_t last = 0;       // when it last sent anything
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t held = 0;  // packets
  std::uint64_t held_ns = 0;
  std::uint64_t or_acks = 0;  // accepted
};

// For a trace.
struct Decision {
  enum class Kind : std::uint8_t { sent, or_ack };
  Kind kind = Kind::sent;
  std::int64_t time = 0;  // of the packet's departure as it is decided, or of the OR-ACK's arrival
  Flow flow;
  std::uint32_t seq = 0;
  std::uint32_t length = 0;   // sent: bytes of data
  std::int64_t held_for = 0;  // sent: ns
  std::int64_t delay = 0;     // or_ack: ns
  double beta = 0;            // or_ack: after it
  std::int64_t pause = 0;     // or_ack: ns from now until t_NextPkt; 0: it did not pause
};

class DataPath {
 public:
  virtual ~DataPath() = default;  // detaches

  virtual void set_peer(const Peer&) = 0;
  virtual void remove_peer(const Address&) = 0;
  // The heartbeat: without one for live_for nothing is held.
  virtual void beat(std::int64_t now) = 0;

  virtual Counters counters() = 0;
  virtual std::vector<FlowView> flows() = 0;

  // Decisions are told from within poll() from now on; an empty function ends that.
  virtual void trace(std::function<void(const Decision&)>) = 0;
  // Does what there is to do; waits for it so long at most.
  virtual void poll(int timeout_ms) = 0;
  // Readable when poll() should be called; -1: there is nothing to wait for. It stays the same. poll(0) is also called
  // every 100 ms.
  virtual int descriptor() const { return -1; }

  // What is wrong for now, for the status and the log: "" = nothing. For example "eth0 has vanished". A path goes on
  // with the interfaces that are there; packets of others pass.
  virtual std::string trouble() { return {}; }

  // Everything as it was: qdiscs, filters, rules, segment sizes. What cannot be put back is told by an exception when
  // all else is. Doing it again does nothing.
  virtual void detach() = 0;
};

// This host cannot have what was asked for; nothing has been changed.
class Unavailable : public std::runtime_error {
 public:
  Unavailable(const std::string& missing, std::string remedy)
      : std::runtime_error(missing), remedy_(std::move(remedy)) {}
  // How to get it; "" = not at all.
  const std::string& remedy() const { return remedy_; }

 private:
  std::string remedy_;
};

// Throw Unavailable.
std::unique_ptr<DataPath> attach_bpf(const PathSettings&);
std::unique_ptr<DataPath> attach_queue(const PathSettings&);

}  // namespace weir::hosts
