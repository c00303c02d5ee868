// The clocks of other hosts: how they run against ours, and within what. It probes them, hears what other hosts have
// measured, and reconciles both. It changes no clock.
//
// It needs no thread and no descriptor to wait for: the kernel stamps packets when they leave and come, so they are
// looked at when it is time to send the next probes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/clock/edge.h"
#include "hosts/clock/post.h"
#include "hosts/path/data_path.h"

namespace weir::hosts {

// For so long after it was asked for a line holds, ns, unless more is asked for.
inline constexpr std::int64_t kClockHorizon = 500'000'000;

struct ClockPeer {
  Address address;
  std::optional<Address> local;  // of this host, as the peer knows it; nothing: the one that routes choose
};

// What is known of a peer and outlasts the service.
struct ClockMemory {
  Address address;
  clock::EdgeMemory known;
};

struct ClockSettings {
  std::vector<ClockPeer> peers;
  std::uint16_t port = kAgentPort;
  // The key of messages from one address to another in an epoch, which is the time since 1970 over key_lifetime.
  std::function<PairKey(const Address& from, const Address& to, std::uint64_t epoch)> key;
  std::int64_t key_lifetime = 3'600'000'000'000;  // ns

  std::size_t neighbours = 10;        // peers that are probed at most
  std::int64_t interval = 4'000'000;  // ns between coded pairs to each of them, on average; at least 1 ms
  std::int64_t relaxed = 40'000'000;  // the same as long as the pair's clocks are known well enough,
  std::int64_t enough = 300;          // which is within so many ns
  // An error that changes nothing for whoever asks, ns. Pairs that are known far better, along paths that do not queue,
  // are probed more rarely still.
  std::int64_t tolerated = 0;
  std::int64_t window = 2'000'000'000;     // ns of probes that a line is fitted to
  std::int64_t step = 500'000'000;         // ns between fits
  double wander = 5e-9;                    // by which a clock's drift may change in a second
  std::int64_t epsilon = 1'000;            // ns by which the packets of a pure pair may have moved against each other
  std::int64_t stale_after = 700'000'000;  // ns without an observation, after which a peer's clock is not known

  std::vector<std::string> interfaces;  // whose clocks may stamp
  bool hardware = true;                 // use such a clock, where its stamping is switched on

  // What an earlier service knew, by the same clock of ours. Peers that are not among `peers` are left out.
  std::vector<ClockMemory> memory;

  // For tests: our clock is CLOCK_MONOTONIC + offset + drift (t - start) / 2^30.
  std::int64_t test_clock_offset = 0;  // ns
  std::int64_t test_clock_drift = 0;   // ns per 2^30 ns
  std::int64_t test_clock_start = 0;   // ns
};

// What is known of a peer.
enum class ClockCondition : std::uint8_t {
  silent,        // no agent has been heard there
  measuring,     // heard, and its clock is not known yet
  synchronised,  // its clock is known
  stale,         // it was known; nothing has been heard since, or too little
  stepped,       // it was known, and one of the clocks stepped
};
std::string_view name_of(ClockCondition condition);

// A peer's time of day (CLOCK_REALTIME) minus ours. It may be wrong for up to 1.2 s after the peer's time was set.
struct TimeDifference {
  std::int64_t at = 0;          // our time of day at which it is so, ns since 1970
  std::int64_t difference = 0;  // ns
  std::int64_t error = 0;       // ns, as ClockLine::sigma: in 99.9 %, for half a second
};

struct PeerClock {
  Address address;
  ClockCondition condition = ClockCondition::silent;
  bool neighbour = false;         // we probe it
  std::optional<ClockLine> line;  // as ClockService::line gives it
  // Of the line's sigma, what a queue that stands in one direction may have added, which least_delay has in common with
  // it; ns.
  std::int64_t bias = 0;
  // Nothing: its clock is not known, or the agent there is too old to tell its time of day.
  std::optional<TimeDifference> time;
  std::int64_t heard = INT64_MIN;  // when it was last heard, CLOCK_MONOTONIC
  // of the pair alone; 0 if it is no neighbour or not known
  std::int64_t least_delay = 0;    // ns, one way: half of the smallest round trip
  std::int64_t pair_offset = 0;    // ns, at the same time as `line`
  std::int64_t pair_error = 0;     // ns
  double purity = 0;               // share of coded pairs that arrived as they left
  std::uint64_t observations = 0;  // since the start
  std::uint64_t steps = 0;
  // messages from it that were refused
  std::uint64_t refused_tag = 0;
  std::uint64_t refused_session = 0;  // of another session
  std::uint64_t refused_repeated = 0;
};

struct ClockState {
  std::vector<PeerClock> peers;
  bool hardware_stamps = false;
  std::string why_no_hardware;
  std::size_t loops = 0;         // independent ones in the graph of measurements
  double surplus = 0;            // ns: the standard deviation of one measurement, as the loops tell it; 0 without loops
  std::uint64_t bytes_sent = 0;  // of Ethernet frames, since the start
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t unstamped = 0;  // messages that the kernel did not stamp
  std::uint64_t refused_form = 0;
  std::uint64_t refused_peer = 0;
  std::uint64_t time_sets = 0;  // times that somebody set CLOCK_REALTIME
};

class ClockService {
 public:
  // Opens its sockets in the network namespace of the caller, unless a test gives it a network. Throws
  // std::system_error (the port is in use) and std::invalid_argument (which setting makes no sense, and what would).
  explicit ClockService(const ClockSettings& settings, std::unique_ptr<clock::Post> post = nullptr);
  ~ClockService();
  ClockService(const ClockService&) = delete;
  ClockService& operator=(const ClockService&) = delete;

  // When to call on_timer, CLOCK_MONOTONIC in ns. Calling it later or more often does no harm.
  std::int64_t next_timer() const;
  void on_timer(std::int64_t now);

  // The clock of a peer, and by how much it may be wrong (in 99.9 %) from `now` until `horizon` later. Nothing if it is
  // not known. `now` is CLOCK_MONOTONIC; times of the line are of our clock, which is the same unless this is a test.
  std::optional<ClockLine> line(const Address& peer, std::int64_t now, std::int64_t horizon = kClockHorizon) const;

  ClockState state(std::int64_t now) const;

  // Of all peers of whose clocks anything is known, now or until a short while ago.
  std::vector<ClockMemory> memory() const;

  // These are the peers from now on. What is known of those that stay is kept, and nothing of the others. Throws
  // std::system_error where the first peer of a family of addresses needs a port that is in use.
  void set_peers(const std::vector<ClockPeer>& peers);

  // For tests: our clock runs otherwise from now on.
  void set_test_clock(std::int64_t offset, std::int64_t drift, std::int64_t start);

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace weir::hosts
