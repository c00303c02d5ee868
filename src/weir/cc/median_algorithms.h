// Algorithms that react to the median of their latest signals instead of the last one (Gerstein, Silberstein, Keslassy:
// Congestion Control for Spraying with Congested Paths, section III). The paper tells of MSwift and MNSCC, and names
// marks in DCTCP and telemetry as other signals; so these are MDCTCP, and a median HPCC.
//
// Apart from the filter each is the algorithm that it is named after, with that one's parameters. What else the
// algorithm reads stays that of the latest packet: round-trip times for "once per round trip", NSCC's mark and its
// smoothed delay.
#pragma once

#include <span>

#include "weir/cc/dctcp.h"
#include "weir/cc/hpcc.h"
#include "weir/cc/hpcc_sprayed.h"
#include "weir/cc/median_of.h"
#include "weir/cc/nscc.h"
#include "weir/cc/swift.h"

namespace weir::cc {

// The median of delays. MSwift as such is its presets: on plain Swift every hole still counts as a loss.
class MSwift : public MedianOf<Swift> {
 public:
  using MedianOf::MedianOf;
  static constexpr About about{.name = "mswift",
                               .title = "MSwift",
                               .source = "Gerstein et al., Congestion Control for Spraying with Congested Paths, 2025"};
  static std::span<const Preset> presets();
  static DelayTarget delay_target(const Params& p, const FlowFacts& facts, Time host_delay) {
    return Swift::delay_target(p.algorithm, facts, host_delay);
  }
};

// The median of queueing delays, of at most 4 (equation 9).
class MNscc : public MedianOf<Nscc, 8> {
 public:
  using MedianOf::MedianOf;
  static constexpr About about{.name = "mnscc",
                               .title = "MNSCC",
                               .source = "Gerstein et al., Congestion Control for Spraying with Congested Paths, 2025",
                               .needs = Needs::ecn};
  static std::span<const Preset> presets();
  static DelayTarget delay_target(const Params& p, const FlowFacts& facts, Time host_delay) {
    return Nscc::delay_target(p.algorithm, facts, host_delay);
  }
};

// The median of marks: whether most packets are marked.
class MDctcp : public MedianOf<Dctcp> {
 public:
  using MedianOf::MedianOf;
  static constexpr About about{
      .name = "mdctcp", .title = "MDCTCP", .source = "named in Spraying III-B; the form is ours", .needs = Needs::ecn};
};

class MHpccSprayed;

// The median of the fullest links' U.
class MHpcc : public MedianOf<Hpcc> {
 public:
  using MedianOf::MedianOf;
  using Sprayed = MHpccSprayed;
  static constexpr About about{
      .name = "mhpcc", .title = "MHPCC", .source = "the framework of Spraying III, ours", .needs = Needs::telemetry};
};

// The same with the records of several paths.
class MHpccSprayed : public MedianOf<HpccSprayed> {
 public:
  using MedianOf::MedianOf;
  static constexpr About about = MHpcc::about;
};

}  // namespace weir::cc
