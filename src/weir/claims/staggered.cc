#include "weir/claims/staggered.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "weir/claims/measures.h"
#include "weir/claims/watch.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

constexpr int kRandomSeeds = 10;

void measure_finishes(const Watch& watch, Outcome& out) {
  std::vector<double> start;
  std::vector<double> finish;
  for (const host::FlowRecord& f : watch.finished()) {
    start.push_back(us(f.start));
    finish.push_back(us(f.finish));
  }
  out.correlation = rank_correlation(start, finish);
  out.spread = finish.back() - finish.front();
  out.deviation = deviation(finish);
}

Queue queue_between(const Watch& watch, Time from, Time to) {
  std::vector<double> queue;
  for (const Watch::Sample& s : watch.samples())
    if (s.time >= from && s.time < to) queue.push_back(static_cast<double>(s.queue));
  require(!queue.empty(), "the queue was not looked at while flows shared it");
  return {.mean = std::accumulate(queue.begin(), queue.end(), 0.0) / static_cast<double>(queue.size()),
          .p5 = percentile(queue, 50),
          .p50 = percentile(queue, 500),
          .p95 = percentile(queue, 950)};
}

Outcome run_once(const Context& context, const Incast& incast, const Variant& variant, int seed) {
  std::vector<std::string> overrides = variant.overrides;
  overrides.push_back(fmt::format("topology.hosts={}", incast.flows + 1));
  overrides.push_back(fmt::format("run.seed={}", seed));
  Watch watch(context.scenario(variant.file), fmt::format("{}->{}", incast.flows + 1, incast.flows), overrides);
  Shares shares;
  watch.record(1_us, incast.end, [&](Time now, const host::FlowView& flow) { shares.add(now, flow); });

  require(watch.finished().size() == static_cast<std::size_t>(incast.flows), "some flows have not ended");
  require(watch.counters().retransmitted == 0, "packets were lost");
  require(watch.counters().pauses == 0, "ports were paused");

  Outcome out;
  measure_finishes(watch, out);
  const Time first_finish = watch.finished().front().finish;
  out.queue = queue_between(watch, incast.settled, incast.busy_until);
  if (incast.busy_until > 2_ms) out.late_queue = queue_between(watch, 2_ms, incast.busy_until);
  out.queue_of_all = queue_between(watch, incast.settled, first_finish);
  out.busy = watch.utilisation(incast.settled, incast.busy_until);
  const auto by_rates = index_of_rates(shares);
  const auto by_deliveries = index_of_deliveries(shares, incast.interval);
  out.fair_rates = us(time_to_fairness(by_rates, incast.last_start));
  out.fair_deliveries = us(time_to_fairness(by_deliveries, incast.last_start));
  out.mean_index = mean_index(by_rates, incast.settled, first_finish);
  require(out.busy > 0.9, "the link was not busy while its queue was looked at");
  return out;
}

}  // namespace

const Incast kSixteen{
    .flows = 16, .last_start = 140_us, .settled = 340_us, .busy_until = 1300_us, .end = 3_ms, .interval = 20_us};
const Incast kNinetySix{
    .flows = 96, .last_start = 940_us, .settled = 1140_us, .busy_until = 8_ms, .end = 12_ms, .interval = 120_us};

Variant hpcc(const std::string& suffix, const std::vector<std::string>& overrides) {
  Variant out{"staggered-hpcc.toml", {"algorithm.preset=fast-convergence" + suffix}, suffix == "-probabilistic"};
  out.overrides.insert(out.overrides.end(), overrides.begin(), overrides.end());
  return out;
}
Variant swift(const std::string& suffix, const std::vector<std::string>& overrides) {
  Variant out = hpcc(suffix, overrides);
  out.file = "staggered-swift.toml";
  return out;
}

std::vector<Outcome> run_staggered(const Context& context, const Incast& incast, const Variant& variant) {
  std::vector<Outcome> out;
  for (int seed = 1; seed <= (variant.random ? kRandomSeeds : 1); ++seed)
    out.push_back(run_once(context, incast, variant, seed));
  return out;
}

}  // namespace weir::claims
