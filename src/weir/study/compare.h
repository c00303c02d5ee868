// The same flows under two algorithms, or on two networks, flow by flow.
//
// Runs with the same seed and traffic have the same flows, so that the ratio of a flow's two completion times is free
// of what differs from flow to flow: a much sharper comparison than that of two means.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/study/result_files.h"
#include "weir/study/statistics.h"

namespace weir::study {

// A flow that both runs list.
struct FlowPair {
  FlowRow row;       // of the base; its value is the completion time there, ps
  double other = 0;  // the completion time in the other run, ps; NaN = unfinished

  bool finished() const;  // in both
  double ratio() const { return other / row.value; }
};

struct PairedFlows {
  std::vector<FlowPair> flows;  // in order of flow_id
  std::size_t only_base = 0;    // flows that one run lists and the other has not come to
  std::size_t only_other = 0;
  std::set<std::string, std::less<>> tags;  // which the flows refer to
};

// Pairs the flows of two results by flow_id. Throws InputError that names the first
// flow which is not the same in both, by sender, receiver, size, tag or start; the start of messages that wait for
// others may differ.
PairedFlows pair_flows(const RunFiles& base, const RunFiles& other);

// What is told of the ratios of some pairs: completion time in the other run over that in the base.
struct Ratios {
  std::size_t n = 0;  // finished in both
  double median = kNoValue;
  double geomean = kNoValue;
  double low = kNoValue;  // 95 % confidence interval of the geometric mean; NaN with fewer than two
  double high = kNoValue;
  double slower = kNoValue;  // share of flows
  double faster = kNoValue;
  double mean_error = kNoValue;      // of |ratio - 1|: how far the other run is off, if the base is what is true
  double worst_error = kNoValue;     // the largest of it
  std::size_t unfinished_base = 0;   // finished in the other run alone
  std::size_t unfinished_other = 0;  // finished in the base alone
  std::size_t unfinished_both = 0;
};

// Of one pair of runs, whose flows are in order of their start. The interval is a bootstrap over at most kBlocks blocks
// of flows that follow one another, as flows near each other share queues: it tells how far the result would vary with
// other flows of the same kind on the same network, not from seed to seed. Deterministic.
inline constexpr std::size_t kBlocks = 100;
inline constexpr std::size_t kResamples = 2000;
Ratios compare(std::span<const FlowPair* const> flows);

// Of several pairs of runs, one per seed: counts are sums, median, shares and the mean error are means over seeds, the
// worst error is the largest of all, and the geometric mean and its interval are those of the seeds' geometric means,
// by Student's t of their logarithms. Runs without a ratio do not count.
Ratios over_seeds(std::span<const Ratios> seeds);

}  // namespace weir::study
