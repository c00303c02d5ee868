// The other hosts, as this one sees them: whether an agent answers there, whether its clock can be trusted, and what
// the data path is told: T, the clock's line, the keys of the hour, and whether flows to it may be held.
//
// A peer is held only while all of this is so: the mode and the configuration ask for it, its agent answers, its clock
// is known within a second, and it was heard not longer than stale_after ago. What a clock may be wrong by makes T
// larger. Where that is more than max_error, mostly because a queue stood on the path from the first probe on, it is
// the rise of the delay that flows are held for; then the queue becomes shorter, and the clock is known better.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/agent/config.h"
#include "hosts/clock/service.h"
#include "hosts/path/data_path.h"

namespace weir::hosts {

// What synchronisation knows of a peer.
struct ClockNews {
  ClockCondition condition = ClockCondition::silent;
  std::optional<ClockLine> line;                     // nothing: not known
  std::optional<std::int64_t> least;                 // the least one-way delay to it, ns
  std::optional<std::int64_t> heard = std::nullopt;  // when it was last heard, CLOCK_MONOTONIC
  std::optional<TimeDifference> time = std::nullopt;
  std::int64_t bias = 0;  // of the line's sigma, what `least` is wrong by as well, ns
};

enum class PeerState : std::uint8_t { no_route, no_agent, unsynchronised, stale, stepped, uncertain, observed, held };

std::string_view name_of(PeerState state);  // "no agent"
std::string_view meaning(PeerState state);  // a sentence for people

struct PeerStatus {
  Address address;
  std::optional<Address> local;
  PeerState state = PeerState::no_agent;
  bool held = false;           // flows to it may be
  std::int64_t threshold = 0;  // T in force, ns; 0: not known yet
  std::optional<ClockLine> clock;
  std::int64_t silence = 0;  // ns since it was heard last
  std::optional<std::int64_t> least;
  std::optional<TimeDifference> time;
};

// The keys of a pair at a time (ns since 1970, at least one lifetime). What is sent is signed by the key of this epoch,
// and what is accepted by that or its neighbours, so that two hosts understand each other whose times of day differ by
// a lifetime at most.
struct EpochKeys {
  PairKeys send;
  PairKeys receive;
};

class Peers {
 public:
  // The keys that one host signs by for another in an epoch.
  using Derive = std::function<PairKey(const Address& from, const Address& to, std::uint64_t epoch)>;
  // The address of this host by which it reaches another.
  using Local = std::function<std::optional<Address>(const Address& peer)>;

  // least_threshold: T is derived to be this at least, ns, so that two of the smallest super-packets fit into it.
  Peers(const Config& config, std::int64_t least_threshold, Derive derive, Local local);

  // These are the peers from now on. What is known of those that stay is kept; of the others the path is told that they
  // are gone.
  void set(const std::vector<PeerConfig>& peers, DataPath& path);

  // Tells the data path what has changed. `news` of a peer that is not among them: nothing is known. Times in ns.
  void update(std::int64_t now, std::int64_t unix_time, const std::map<Address, ClockNews>& news, DataPath& path);
  // As of the last update; in the order of the configuration.
  const std::vector<PeerStatus>& status() const { return status_; }

 private:
  PeerState state_of(const PeerConfig& peer, const PeerStatus& status, const ClockNews& news) const;
  bool is_held(const PeerConfig& peer, const PeerStatus& status) const;

  // What is kept of a peer besides: keys that were made, and for what; since when its clock is uncertain.
  struct Kept {
    std::int64_t epoch = -1;
    Address local;
    EpochKeys keys;
    std::optional<std::int64_t> uncertain_since;
  };
  const EpochKeys& keys_of(std::size_t peer, std::int64_t unix_time);

  Config config_;
  std::int64_t least_threshold_;
  Derive derive_;
  Local local_;
  std::int64_t routes_at_ = INT64_MIN;  // when routes were looked at last
  std::vector<PeerStatus> status_;
  std::vector<Kept> kept_;
  std::vector<std::optional<Peer>> told_;  // what the data path knows
};

// T of a peer in ns, widened by what its clock may be wrong. A given T grows by sigma: nothing is held that would not
// be by true clocks. A derived one is the least delay + 2 sigma + headroom (On-Ramp 7.1), and `least` at least; nothing
// while the least delay is unknown. Of a sigma above max_error only that counts which the least delay is not wrong by
// as well, but no less than max_error.
std::optional<std::int64_t> threshold_of(const Threshold& given, std::int64_t headroom, std::int64_t least_threshold,
                                         std::int64_t max_error, const ClockNews& news);

EpochKeys keys_at(std::int64_t unix_time, std::int64_t lifetime, const Address& local, const Address& peer,
                  const Peers::Derive& derive);

// What limits super-packets, of the interfaces together.
struct LinkFacts {
  std::int64_t rate = 0;      // of the slowest link, bit/s; 0 = not known
  std::uint32_t mtu = 1'500;  // bytes
  std::uint32_t gso_max_size = 65'536;
};

struct SegmentChoice {
  std::uint32_t limit = 0;           // gso_max_size to be set; 0 = as it is
  std::int64_t least_threshold = 0;  // ns: what T is derived to be at least
  std::int64_t duration = 0;         // ns, of the largest super-packet on the link; 0 = not known
  std::string warning;               // "" = none
};
// A super-packet has two packets at least, and else is to take T/4 at most, so that the two that TCP hands down at once
// take T/2; where T is derived, it is made so large that one of the smallest takes T/2.
SegmentChoice choose_segment(const Config& config, const LinkFacts& link);

// What people should know when so many flows send at once that a super-packet of each (mode queue: three) takes longer
// on the link than packets may be held: then On-Ramp cannot keep the queue short. "" = nothing.
std::string too_many_flows(std::size_t flows, const SegmentChoice& segment, const Config& config);

// The address by which this host would send to another, by the routes of the kernel; nothing: there is no route.
std::optional<Address> route_source(const Address& peer);

}  // namespace weir::hosts
