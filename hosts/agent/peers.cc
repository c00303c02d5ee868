#include "hosts/agent/peers.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

#include "hosts/path/descriptor.h"

namespace weir::hosts {
namespace {

constexpr std::int64_t kRoutesEvery = 5'000'000'000;       // ns
constexpr std::int64_t kLargestThreshold = 1'000'000'000;  // ns
// As long as a clock has been uncertain for less, flows are held as if the whole bias were a queue before the peer.
constexpr std::int64_t kDrain = 2'000'000'000;         // ns
constexpr std::int64_t kLargestSigma = 1'000'000'000;  // ns, of peers that are held
constexpr ClockLine kUnknownClock{0, 0, 0, -1};

struct Words {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array<Words, 8> kStates{{
    {"no route", "there is no route to it; packets pass"},
    {"no agent", "no agent answers there; packets pass"},
    {"unsynchronised", "its clock is not known yet; packets pass"},
    {"stale", "nothing was heard of its clock for too long; packets pass"},
    {"stepped", "a clock was set; packets pass until it is known again"},
    {"uncertain", "its clock is known less exactly than clock.max_error; only a rise of its delay counts"},
    {"observed", "measured, nothing is held"},
    {"held", "flows to it are held when they queue"},
}};

bool same(const ClockLine& a, const ClockLine& b) {
  return std::tie(a.at, a.offset, a.drift, a.sigma) == std::tie(b.at, b.offset, b.drift, b.sigma);
}

bool same(const Peer& a, const Peer& b) {
  return std::tie(a.address, a.held, a.certain, a.threshold, a.send, a.receive) ==
             std::tie(b.address, b.held, b.certain, b.threshold, b.send, b.receive) &&
         same(a.clock, b.clock);
}

sockaddr_storage socket_address(const Address& address, std::uint16_t port, socklen_t& size) {
  sockaddr_storage out{};
  if (address.v6) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(out);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, address.bytes.data(), 16);
    size = sizeof v6;
  } else {
    auto& v4 = reinterpret_cast<sockaddr_in&>(out);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, address.bytes.data(), 4);
    size = sizeof v4;
  }
  return out;
}

}  // namespace

std::string_view name_of(PeerState state) { return kStates.at(static_cast<std::size_t>(state)).name; }
std::string_view meaning(PeerState state) { return kStates.at(static_cast<std::size_t>(state)).meaning; }

Peers::Peers(const Config& config, std::int64_t least_threshold, Derive derive, Local local)
    : config_(config),
      least_threshold_(least_threshold),
      derive_(std::move(derive)),
      local_(std::move(local)),
      status_(config.peers.size()),
      kept_(config.peers.size()),
      told_(config.peers.size()) {
  for (std::size_t i = 0; i < status_.size(); ++i) {
    status_[i].address = config_.peers[i].address;
    status_[i].local = config_.peers[i].local;
  }
}

void Peers::set(const std::vector<PeerConfig>& peers, DataPath& path) {
  std::vector<PeerStatus> status(peers.size());
  std::vector<Kept> kept(peers.size());
  std::vector<std::optional<Peer>> told(peers.size());
  for (std::size_t i = 0; i < peers.size(); ++i) {
    status[i].address = peers[i].address;
    status[i].local = peers[i].local;
  }
  for (std::size_t i = 0; i < status_.size(); ++i) {
    const auto same = std::find_if(peers.begin(), peers.end(),
                                   [&](const PeerConfig& peer) { return peer.address == status_[i].address; });
    if (same == peers.end()) {
      if (told_[i]) path.remove_peer(status_[i].address);
      continue;
    }
    const auto place = static_cast<std::size_t>(same - peers.begin());
    status[place] = status_[i];
    if (same->local) status[place].local = same->local;
    kept[place] = kept_[i];
    told[place] = told_[i];
  }
  config_.peers = peers;
  status_ = std::move(status);
  kept_ = std::move(kept);
  told_ = std::move(told);
  routes_at_ = INT64_MIN;  // of new ones they are looked at at once
}

PeerState Peers::state_of(const PeerConfig& peer, const PeerStatus& status, const ClockNews& news) const {
  if (!status.local) return PeerState::no_route;
  if (news.condition == ClockCondition::silent) return PeerState::no_agent;
  if (news.condition == ClockCondition::stale) return PeerState::stale;
  if (news.condition == ClockCondition::stepped) return PeerState::stepped;
  if (!news.line || news.line->sigma < 0 || status.threshold == 0) return PeerState::unsynchronised;
  if (news.line->sigma > nanoseconds(config_.clock.max_error)) return PeerState::uncertain;
  return config_.mode == Mode::observe || !peer.hold ? PeerState::observed : PeerState::held;
}

bool Peers::is_held(const PeerConfig& peer, const PeerStatus& status) const {
  if (config_.mode == Mode::observe || !peer.hold) return false;
  return status.state == PeerState::held ||
         (status.state == PeerState::uncertain && status.clock->sigma <= kLargestSigma);
}

void Peers::update(std::int64_t now, std::int64_t unix_time, const std::map<Address, ClockNews>& news, DataPath& path) {
  static const ClockNews kNone;
  const bool look = now - kRoutesEvery >= routes_at_;
  if (look) routes_at_ = now;
  for (std::size_t i = 0; i < status_.size(); ++i) {
    const PeerConfig& peer = config_.peers[i];
    PeerStatus& status = status_[i];
    const auto found = news.find(peer.address);
    const ClockNews& known = found == news.end() ? kNone : found->second;
    if (look && !peer.local) status.local = local_(peer.address);
    status.clock = known.line;
    status.silence = known.heard ? now - *known.heard : 0;
    status.least = known.least;
    status.time = known.time;
    status.threshold = threshold_of(peer.threshold.value_or(config_.threshold), nanoseconds(config_.headroom),
                                    least_threshold_, nanoseconds(config_.clock.max_error), known)
                           .value_or(0);
    status.state = state_of(peer, status, known);
    status.held = is_held(peer, status);
    auto& since = kept_[i].uncertain_since;
    since = status.state == PeerState::uncertain ? since.value_or(now) : std::optional<std::int64_t>();
    const bool drains = since && now - *since < kDrain;
    if (!status.local) {  // nothing can be signed
      if (told_[i]) path.remove_peer(peer.address);
      told_[i].reset();
      continue;
    }
    const EpochKeys& keys = keys_of(i, unix_time);
    Peer next{peer.address,
              status.held,
              status.state != PeerState::uncertain,
              status.threshold == 0 ? kLargestThreshold : status.threshold - (drains ? 2 * known.bias : 0),
              status.clock.value_or(kUnknownClock),
              keys.send,
              keys.receive};
    if (told_[i] && same(*told_[i], next)) continue;
    path.set_peer(next);
    told_[i] = next;
  }
}

const EpochKeys& Peers::keys_of(std::size_t peer, std::int64_t unix_time) {
  const std::int64_t lifetime = nanoseconds(config_.keys.lifetime);
  const std::int64_t epoch = unix_time / lifetime;
  const Address& local = *status_[peer].local;
  Kept& known = kept_[peer];
  if (known.epoch != epoch || known.local != local) {
    known.epoch = epoch;
    known.local = local;
    known.keys = keys_at(unix_time, lifetime, local, status_[peer].address, derive_);
  }
  return known.keys;
}

std::optional<std::int64_t> threshold_of(const Threshold& given, std::int64_t headroom, std::int64_t least_threshold,
                                         std::int64_t max_error, const ClockNews& news) {
  const std::int64_t sigma = news.line ? std::max<std::int64_t>(news.line->sigma, 0) : 0;
  if (given) return *given + sigma;
  if (!news.least || !news.line) return std::nullopt;
  const std::int64_t error = std::min(sigma, std::max(max_error, sigma - news.bias));
  return std::max<std::int64_t>(*news.least, 0) + 2 * error + std::max(headroom, least_threshold);
}

EpochKeys keys_at(std::int64_t unix_time, std::int64_t lifetime, const Address& local, const Address& peer,
                  const Peers::Derive& derive) {
  const auto epoch = static_cast<std::uint64_t>(unix_time / lifetime);
  const auto all = [&](const Address& from, const Address& to) {
    return PairKeys{derive(from, to, epoch), derive(from, to, epoch - 1), derive(from, to, epoch + 1)};
  };
  return {all(local, peer), all(peer, local)};
}

std::optional<Address> route_source(const Address& peer) {
  const Descriptor fd(::socket(peer.v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  socklen_t size = 0;
  sockaddr_storage address = socket_address(peer, kAgentPort, size);
  if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return std::nullopt;
  size = sizeof address;
  if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return std::nullopt;
  Address out;
  out.v6 = peer.v6;
  if (peer.v6)
    std::memcpy(out.bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, 16);
  else
    std::memcpy(out.bytes.data(), &reinterpret_cast<const sockaddr_in&>(address).sin_addr, 4);
  return out;
}

}  // namespace weir::hosts
