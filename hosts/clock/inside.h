// What is behind ClockService: messages.cc has what is said to peers and heard from them, service.cc what follows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hosts/clock/clocks.h"
#include "hosts/clock/link.h"
#include "hosts/clock/post.h"
#include "hosts/clock/service.h"
#include "hosts/clock/udp.h"
#include "hosts/clock/wire.h"

namespace weir::hosts {

class ClockService::Inside {
 public:
  // Without a post: the sockets of this host.
  Inside(const ClockSettings& settings, std::unique_ptr<clock::Post> post);

  std::int64_t next_timer() const { return std::min(next_probe_, next_fit_); }
  void on_timer(std::int64_t now);
  std::optional<ClockLine> line(const Address& peer, std::int64_t now, std::int64_t horizon) const;
  ClockState state(std::int64_t now) const;
  std::vector<ClockMemory> memory() const;
  void set_peers(const std::vector<ClockPeer>& peers);
  void set_test_clock(const clock::TestClock& test) { post_->set_test_clock(test); }

 private:
  using Link = clock::Link;

  // messages.cc
  void choose();
  void find_local(Link& link, std::int64_t now);
  void set_local(Link& link, const Address& local);
  void drain(std::int64_t now);
  void left(std::span<const std::uint8_t> bytes, std::int64_t when);
  void came(const clock::Arrival& in, std::int64_t now);
  bool is_signed_by(Link& link, const clock::Arrival& in, std::int64_t now);
  void good(Link& link, const clock::Message& message, std::optional<std::int64_t> when, std::int64_t now);
  void take(const Link& from, const clock::Report& report, std::int64_t now);
  void probe(std::int64_t now);
  void write_probes(const std::vector<Link*>& links, std::int64_t now);
  void greet(Link& link, std::int64_t now);
  void tell(Link& link, const clock::Report& report);
  std::uint64_t epoch() const;

  // service.cc
  void observe(Link& link, const std::optional<clock::Observation>& ours,
               const std::optional<clock::Observation>& theirs);
  void measure(std::int64_t now);
  void improve(std::int64_t now);
  void hurry(Link& link, std::int64_t now);
  void watch(std::int64_t now);
  void report(std::int64_t now);
  void solve(std::int64_t now);
  std::optional<ClockLine> line(const Link& link, std::int64_t now, std::int64_t horizon) const;
  // `ours`: our time of day minus CLOCK_MONOTONIC.
  std::optional<TimeDifference> time_difference(const PeerClock& peer, const clock::TimeOfDay& ours,
                                                std::int64_t now) const;
  // Its clock has been measured, and both directions were observed lately.
  bool is_measured(const Link& link, std::int64_t now) const {
    return link.edge.line() && clock::within(post_->ours(now), link.edge.last_seen(), settings_.stale_after);
  }

  ClockSettings settings_;
  std::int64_t rare_;  // ns between pairs of probes to a link that is probed rarely
  double ample_;       // ns, the error of such links at most
  std::string why_no_hardware_;
  std::unique_ptr<clock::Post> post_;
  clock::RouteProbe routes_;
  std::vector<Link> links_;
  std::map<Address, std::size_t> by_address_;
  clock::Reports reports_;
  clock::Clocks clocks_;
  std::uint64_t started_;
  std::uint32_t reported_ = 0;

  std::int64_t next_probe_ = 0;
  std::int64_t next_fit_ = 0;
  std::int64_t next_look_ = 0;  // for lines that are better than poor ones
  bool tell_at_once_ = false;   // one of our measurements has become void, or time was set: others should hear of it
  bool solve_at_once_ = false;  // one of somebody's
  std::uint64_t refused_form_ = 0;
  std::uint64_t refused_peer_ = 0;
};

}  // namespace weir::hosts
