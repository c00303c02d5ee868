// Claims of Congestion Control for Spraying with Congested Paths (2025) that take no simulation. How the rules were
// read: docs/evidence/claims/spraying.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/base/random.h"
#include "weir/base/units.h"
#include "weir/cc/median_filter.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/spraying.h"
#include "weir/theory/spraying.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

// d log throughput / d log q of theorem 4, between q and a tenth of it.
void e6_smartt_tends_to_the_square_root(Context& context) {
  const auto slope = [](double q) {
    return std::log10(theory::SprayingModel{.q = q}.smartt() / theory::SprayingModel{.q = q / 10}.smartt());
  };
  double farthest = 0;
  for (const double q : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) farthest = std::max(farthest, std::abs(slope(q) + 0.5));
  const bool holds = farthest <= 0.05;
  context.judge("E6", holds,
                fmt::format("slope per decade below q = 1e-4: {:.3f}, {:.3f}, {:.3f}; but {:.2f} from 1 % to 10 %",
                            slope(1e-4), slope(1e-5), slope(1e-6), slope(0.1)));
}

void e11_resilient_ones_are_higher_and_fall(Context& context) {
  bool holds = true;
  std::string measured;
  double before_swift = INFINITY;
  double before_smartt = INFINITY;
  for (const double q : {0.005, 0.01, 0.02, 0.05, 0.1}) {
    const theory::SprayingModel sensitive{.q = q, .t_l = kSlow};
    const double swift = sensitive.resilient_swift();
    const double smartt = theory::SprayingModel{.q = q, .t_l = kSlower}.smartt();
    const double others = std::max(sensitive.tcp(), sensitive.swift());
    holds &= std::min(swift, smartt) > others && swift < before_swift && smartt < before_smartt;
    before_swift = swift;
    before_smartt = smartt;
    measured += fmt::format("{}{:g} %: {:.0f}, {:.0f}, {:.0f}", measured.empty() ? "" : "; ", 100 * q, others / kGbps,
                            swift / kGbps, smartt / kGbps);
  }
  context.judge("E11", holds, measured + " Gb/s");
}

// Links of the fat tree of k = 8, by direction; a path between pods is a choice of one of 16 cores, below that of one
// of 4 aggregation switches.
struct FatTree {
  static constexpr std::uint64_t kHosts = 128;
  static constexpr std::uint64_t kHalf = 4;

  static std::uint64_t tor(std::uint64_t host) { return host / kHalf; }
  static std::uint64_t pod(std::uint64_t host) { return host / (kHalf * kHalf); }
  // Calls link(layer, number) for each link between switches.
  template <class Visit>
  static void visit(std::uint64_t from, std::uint64_t to, std::uint64_t core, Visit&& link) {
    const std::uint64_t agg = core / kHalf;
    if (tor(from) == tor(to)) return;
    link(0, tor(from) * kHalf + agg);
    link(1, tor(to) * kHalf + agg);
    if (pod(from) == pod(to)) return;
    link(2, pod(from) * kHalf * kHalf + core);
    link(3, pod(to) * kHalf * kHalf + core);
  }
};

void e38_meeting_an_elephant(Context& context) {
  constexpr std::uint32_t kRuns = 2000;
  std::uint64_t hits = 0;
  std::uint64_t packets = 0;
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const RandomStream random(1, run, Purpose::permutation);
    std::uint64_t draws = 0;
    std::vector<std::uint64_t> hosts(FatTree::kHosts);
    for (std::uint64_t h = 0; h < hosts.size(); ++h) hosts[h] = h;
    const auto shuffle = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i + 1 < to; ++i) std::swap(hosts[i], hosts[i + random.below(draws++, to - i)]);
    };
    // In an order drawn at random each sends to the next one: a permutation without fixed points, of one cycle. The
    // first four are the elephants.
    shuffle(0, hosts.size());
    std::array<std::array<bool, 128>, 4> taken{};
    for (std::size_t i = 0; i < 4; ++i)
      FatTree::visit(hosts[i], hosts[(i + 1) % 4], random.below(draws++, 16),
                     [&](std::size_t layer, std::uint64_t link) { taken[layer][link] = true; });
    for (std::size_t i = 4; i < hosts.size(); ++i) {
      const std::uint64_t to = i + 1 < hosts.size() ? hosts[i + 1] : hosts[4];
      for (std::uint64_t core = 0; core < 16; ++core) {
        bool hit = false;
        FatTree::visit(hosts[i], to, core,
                       [&](std::size_t layer, std::uint64_t link) { hit = hit || taken[layer][link]; });
        hits += hit;
        ++packets;
      }
    }
  }
  const double p = static_cast<double>(hits) / static_cast<double>(packets);
  const bool holds = p >= 0.07 && p <= 0.10;
  context.judge("E38", holds, fmt::format("{:.4f} in {} draws of hosts and elephants' paths", p, kRuns));
}

void e39_history(Context& context) {
  bool holds = true;
  for (int w = 0; w <= 512; ++w) {
    const auto floor_half = static_cast<std::size_t>(w / 2);
    holds &= cc::MedianFilter::history({}, w) == std::max<std::size_t>(floor_half, 1);
    holds &= cc::MedianFilter::history({.nyquist_most = 8}, w) == std::clamp<std::size_t>(floor_half, 1, 4);
  }
  context.judge("E39", holds, "equal for all W up to 512 packets, W / 2 rounded down; H = 76 and 4 for W = 152");
}

}  // namespace

std::vector<Evaluator> spraying_arithmetic() {
  return {
      {{"E6"}, Tier::quick, 0.01, e6_smartt_tends_to_the_square_root, Evidence::exact},
      {{"E11"}, Tier::quick, 0.01, e11_resilient_ones_are_higher_and_fall, Evidence::exact},
      {{"E38"}, Tier::quick, 0.5, e38_meeting_an_elephant, Evidence::exact},
      {{"E39"}, Tier::quick, 0.01, e39_history, Evidence::exact},
  };
}

}  // namespace weir::claims
