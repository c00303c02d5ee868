#include "weir/net/model/multipath.h"

#include <algorithm>
#include <limits>

namespace weir::net {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
__extension__ using Wide = unsigned __int128;

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? kUnlimited : out;
}

}  // namespace

void Capacities::start(std::span<const std::uint32_t> edge_switches) {
  for (const std::uint32_t s : edge_switches) behind_[s] = kUnlimited;
}

std::span<const std::uint64_t> Capacities::weigh(std::uint32_t switch_index, std::span<const std::uint32_t> hops) {
  const Topology& t = *topology_;
  const auto rate = [&](std::uint32_t hop) {
    return static_cast<std::uint64_t>(t.links[hop / 2].rate.bits_per_second);
  };
  const auto peer = [&](std::uint32_t hop) { return t.port_peer(hop) - t.hosts; };
  for (const std::uint32_t hop : hops) to_[peer(hop)] = sum(to_[peer(hop)], rate(hop));
  weights_.clear();
  std::uint64_t all = 0;
  for (const std::uint32_t hop : hops) {
    const std::uint64_t links = to_[peer(hop)];
    const auto share = static_cast<std::uint64_t>(Wide{std::min(links, behind_[peer(hop)])} * rate(hop) / links);
    weights_.push_back(std::max<std::uint64_t>(1, share));
    all = sum(all, weights_.back());
  }
  for (const std::uint32_t hop : hops) to_[peer(hop)] = 0;
  behind_[switch_index] = all;
  return weights_;
}

std::vector<std::uint32_t> hash_shares(std::span<const std::uint64_t> weights) {
  Wide all = 0;
  for (const std::uint64_t w : weights) all += w;
  std::vector<std::uint32_t> out;
  Wide before = 0;
  for (const std::uint64_t w : weights) {
    out.push_back(static_cast<std::uint32_t>(std::min<Wide>(((before << 32) + all - 1) / all, 0xffff'ffff)));
    before += w;
  }
  return out;
}

}  // namespace weir::net
