// Claims of the HPCC paper's figure 9, measured on its testbed; see hpcc.cc.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/base/units.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/measures.h"
#include "weir/claims/watch.h"
#include "weir/study/range_text.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

constexpr Time kRackRtt = 5400_ns;  // of the testbed, within a rack
const std::vector<std::string> kDcqcn{"algorithm.name=dcqcn", "algorithm.preset=vendor", "algorithm.T=0 ps"};

// The testbed with one port of each server; or with both in the second world, where flows keep to a port by their hash.
// The hash is another one for each seed, so that there each run has a seed of its own, HPCC's and DCQCN's the same.
class Testbed {
 public:
  explicit Testbed(const Context& context)
      : both_(context.world() == World::second), run_(1 + static_cast<int>(context.perturbation())) {}

  std::vector<std::string> hpcc() const { return both_ ? with_both({}, run_) : std::vector<std::string>(); }
  std::vector<int> seeds() const { return both_ ? std::vector{run_} : std::vector{1, 2, 3, 4, 5}; }
  std::vector<std::string> dcqcn(int seed) const { return with_both(kDcqcn, seed); }
  std::string seeds_text() const {
    return both_ ? fmt::format("seed {}", run_) : fmt::format("{} seeds", seeds().size());
  }

 private:
  std::vector<std::string> with_both(std::vector<std::string> overrides, int seed) const {
    if (both_) overrides.emplace_back("topology.kind=hpcc-testbed-64");
    overrides.push_back(fmt::format("run.seed={}", seed));
    return overrides;
  }

  bool both_;
  int run_;
};

void a26_hpcc_recovers_at_once_and_dcqcn_does_not(Context& context) {
  // The rate of the long flow and the load of its link, which nobody shares once the short flow has left.
  const Testbed testbed(context);
  Watch hpcc(context.scenario("long-short.toml"), "->2", testbed.hpcc());
  std::map<Time, double> rate;
  hpcc.record(1_us, 4_ms, [&](Time now, const host::FlowView& f) {
    if (f.src == 0) rate[now] = hpcc.share(f.rate);
  });
  const Time left = hpcc.finish_of(1);
  Time below = left;
  for (const auto& [time, r] : rate)
    if (time > left && r < 0.9) below = time;
  const Time grid{(left + 20 * kRackRtt).ps / 1'000'000 * 1'000'000 + 1'000'000};
  const double later = hpcc.least_utilisation(50_us, grid, grid + 2_ms);
  bool holds = below - left <= 20 * kRackRtt && later >= 0.9;

  std::vector<double> dcqcn;
  for (const int seed : testbed.seeds()) {
    Watch watch(context.scenario("long-short.toml"), "->2", testbed.dcqcn(seed));
    watch.record(1_us, 4500_us);
    const Time end{(watch.finish_of(1) + 2_ms).ps / 1'000'000 * 1'000'000};
    dcqcn.push_back(watch.utilisation(end - 100_us, end));
  }
  const auto [least, most] = std::minmax_element(dcqcn.begin(), dcqcn.end());
  holds = holds && *most < 0.95;
  context.judge(
      "A26", holds,
      fmt::format("HPCC: rate 90 % of line {:.0f} us = {:.1f} RTT after the short flow's end, throughput from 20 RTT "
                  "on at least {:.1f} %; DCQCN: {} % at 2 ms ({})",
                  us(below - left), us(below - left) / us(kRackRtt), 100 * later,
                  study::range_text("{:.0f}", 100 * *least, 100 * *most), testbed.seeds_text()));
}

void a27_incast_onto_a_long_flow(Context& context) {
  const Time start = 1_ms;
  const Testbed testbed(context);
  Watch hpcc(context.scenario("incast-7.toml"), "->7", testbed.hpcc());
  hpcc.record(100_ns, 1500_us);
  const std::int64_t hpcc_peak = hpcc.peak().queue;
  const Time drained = hpcc.drained(10_KB, hpcc.peak().time) - start;

  std::vector<std::int64_t> dcqcn;
  for (const int seed : testbed.seeds()) {
    Watch watch(context.scenario("incast-7.toml"), "->7", testbed.dcqcn(seed));
    watch.record(100_ns, 4_ms);
    dcqcn.push_back(watch.peak().queue);
  }
  const auto [least, most] = std::minmax_element(dcqcn.begin(), dcqcn.end());
  const bool holds = *least >= 400'000 && *most <= 700'000 && 2 * hpcc_peak < *least && drained < 100_us;
  context.judge("A27", holds,
                fmt::format("DCQCN: peak {} KB ({}); HPCC: peak {:.0f} KB, below 10 KB {:.0f} us after the start",
                            study::range_text("{:.0f}", kb(*least), kb(*most)), testbed.seeds_text(), kb(hpcc_peak),
                            us(drained)));
}

void a28_mice_pass_elephants(Context& context) {
  const Testbed testbed(context);
  const auto mice = [&](const std::vector<std::string>& overrides) {
    Watch watch(context.scenario("mice.toml"), "->3", overrides);
    watch.record(1_us, 11_ms);
    std::vector<double> fct;
    for (const host::FlowRecord& f : watch.finished())
      if (f.size == 1_KB) fct.push_back(us(f.finish - f.start));
    require(fct.size() > 100, "there were too few mice");
    require(watch.utilisation(1_ms, 10_ms) > 0.5, "the elephants did not run");
    return fct;
  };
  const auto hpcc = mice(testbed.hpcc());
  std::vector<double> p5;
  std::vector<double> p50;
  for (const int seed : testbed.seeds()) {
    const auto dcqcn = mice(testbed.dcqcn(seed));
    p5.push_back(percentile(dcqcn, 50));
    p50.push_back(percentile(dcqcn, 500));
  }
  std::sort(p5.begin(), p5.end());
  std::sort(p50.begin(), p50.end());
  const bool close = percentile(hpcc, 500) <= 1.3 * us(kRackRtt);
  context.judge(
      "A28", {close && p5.front() >= 4 * us(kRackRtt), close && p5.front() > 35},
      fmt::format("HPCC: median {:.1f} us, 95th percentile {:.1f} us; DCQCN: median {} us, 5th "
                  "percentile {} us ({})",
                  percentile(hpcc, 500), percentile(hpcc, 950), study::range_text("{:.0f}", p50.front(), p50.back()),
                  study::range_text("{:.0f}", p5.front(), p5.back()), testbed.seeds_text()));
}

// Queues of the mice's link, looked at each microsecond while the mice come.
void a66_queues_of_mice(Context& context) {
  const auto queue = [&](const std::vector<std::string>& overrides, unsigned thousandths) {
    Watch watch(context.scenario("mice.toml"), "32->3", overrides);
    watch.record(1_us, 10_ms);
    std::vector<double> lengths;
    for (const Watch::Sample& s : watch.samples())
      if (s.time >= 2_ms) lengths.push_back(static_cast<double>(s.queue));
    return percentile(lengths, thousandths);
  };
  const Testbed testbed(context);
  const double hpcc = queue({}, 950);
  std::vector<double> dcqcn;
  for (const int seed : testbed.seeds()) dcqcn.push_back(queue(testbed.dcqcn(seed), 500));
  const auto [least, most] = std::minmax_element(dcqcn.begin(), dcqcn.end());
  context.judge("A66", hpcc <= 10'000 && *least >= 50'000 && *most <= 200'000,
                fmt::format("HPCC: 95th percentile {:.1f} KB; DCQCN: median {} KB ({})", kb(hpcc),
                            study::range_text("{:.0f}", kb(*least), kb(*most)), testbed.seeds_text()));
}

// Jain's index over 10 ms while four flows join and leave.
std::vector<Index> index_of_joins(const Context& context, const std::vector<std::string>& overrides, Time until) {
  Watch watch(context.scenario("joins.toml"), "32->4", overrides);
  Shares shares;
  watch.record(10_ms, until, [&](Time now, const host::FlowView& f) { shares.add(now, f); });
  return index_of_deliveries(shares, 10_ms);
}

void a67_both_share_alike(Context& context) {
  const double hpcc = mean_index(index_of_joins(context, {}, 800_ms), 0_us, 1_s);
  std::vector<double> dcqcn;
  for (int seed = 1; seed <= 3; ++seed) {
    std::vector<std::string> overrides = Testbed(context).dcqcn(seed);
    overrides.emplace_back("network.ecn.enabled=true");
    dcqcn.push_back(mean_index(index_of_joins(context, overrides, 800_ms), 0_us, 1_s));
  }
  const auto [least, most] = std::minmax_element(dcqcn.begin(), dcqcn.end());
  context.judge("A67", hpcc > *most,
                fmt::format("HPCC {:.4f}; DCQCN {} (3 seeds)", hpcc, study::range_text("{:.4f}", *least, *most)));
}

void a29_joining_flows_share_alike(Context& context) {
  const Testbed testbed(context);
  Watch watch(context.scenario("joins.toml"), "->4", testbed.hpcc());
  Shares shares;
  watch.record(10_ms, 800_ms, [&](Time now, const host::FlowView& f) { shares.add(now, f); });
  require(watch.finished().size() == 4, "not all flows have ended");
  std::vector<double> index;
  for (const Index& i : index_of_deliveries(shares, 10_ms))
    if (i.value >= 0) index.push_back(i.value);
  std::string left;
  for (const host::FlowRecord& f : watch.finished())
    left += fmt::format("{}{:.0f}", left.empty() ? "" : ", ", us(f.finish) * 1e-3);
  require(!index.empty(), "no two flows were active at once");
  const double least = *std::min_element(index.begin(), index.end());
  const bool holds = least >= 0.95;
  context.judge("A29", holds,
                fmt::format("at least {:.4f} in {} intervals, {:.4f} in the mean; they leave after {} ms", least,
                            index.size(), mean_index(index_of_deliveries(shares, 10_ms), 0_us, 1_s), left));
}

}  // namespace

std::vector<Evaluator> hpcc_testbed_runs() {
  return {
      {{"A26"}, Tier::quick, 0.03, a26_hpcc_recovers_at_once_and_dcqcn_does_not, Evidence::perturbed, true},
      {{"A27"}, Tier::quick, 0.03, a27_incast_onto_a_long_flow, Evidence::perturbed, true},
      {{"A28"}, Tier::quick, 0.1, a28_mice_pass_elephants, Evidence::perturbed, true},
      {{"A29"}, Tier::quick, 1, a29_joining_flows_share_alike, Evidence::perturbed, true},
      {{"A66"}, Tier::quick, 0.1, a66_queues_of_mice},
      {{"A67"}, Tier::quick, 4, a67_both_share_alike},
  };
}

}  // namespace weir::claims
