// Claims of Fast Convergence to Fairness that take no network: the model of Sampling Frequency, and the parts told what
// they see by hand. How the rules were read: docs/evidence/claims/fairness.md.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "weir/base/units.h"
#include "weir/cc/sampling_frequency.h"
#include "weir/cc/variable_ai.h"
#include "weir/claims/catalogue.h"
#include "weir/theory/random_network.h"
#include "weir/theory/recursion.h"
#include "weir/theory/sampling.h"
#include "weir/traffic/size_distribution.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

constexpr std::uint32_t kModels = 1000;

theory::SamplingModel random_model(std::uint32_t number) {
  theory::Draws draw(number);
  theory::SamplingModel m;
  m.rtt = Time{static_cast<std::int64_t>(draw.between(1e6, 100e6))};
  m.acks_per_drop = 1 + draw.below(200);
  m.mtu = {200 + draw.below(9000)};
  m.beta = draw.between(0.05, 1);
  m.slow = Rate{static_cast<std::int64_t>(draw.between(1e9, 50e9))};
  m.fast = Rate{static_cast<std::int64_t>(draw.between(50e9, 200e9))};
  return m;
}

void b1_condition_for_a_gain(Context& context) {
  std::uint32_t agree = 0;
  std::uint32_t gains = 0;
  for (std::uint32_t number = 0; number < kModels; ++number) {
    const theory::SamplingModel m = random_model(number);
    const bool grows = theory::integrate(m, 1_ns, 1_ns).back().gain() > 0;
    agree += grows == m.gains();
    gains += grows;
  }
  require(gains > 100 && gains < 900, "nearly all random models are on one side of the condition");
  context.judge("B1", agree == kModels,
                fmt::format("in {} of {} random draws, {} of them with a gain", agree, kModels, gains));
}

void b2_gain_over_time(Context& context) {
  const theory::SamplingTimes t = theory::sampling_times({});
  const double peak = t.peak.value() * 1e-3;
  context.judge("B2", std::abs(t.peak_gain / 4.3235 - 1) < 0.01 && std::abs(peak / 11.89 - 1) < 0.01,
                fmt::format("largest, {:.3f} B/ns, after {:.2f} us; positive until {:.0f} us, negative from then on",
                            t.peak_gain, peak, t.end_of_gain.value() * 1e-3));
}

void b3_threshold_as_time(Context& context) {
  const Time t = transmission_time(50_KB, 100_Gbps);
  context.judge("B3", t == 4_us, fmt::format("{:.2f} us", us(t)));
}

// The share of flows of at most this size, by 100,000 draws at equal distances.
double share_up_to(std::string_view workload, double bytes) {
  const auto sizes = traffic::SizeDistribution::named(workload);
  constexpr int kDraws = 100'000;
  int small = 0;
  for (int i = 0; i < kDraws; ++i) small += static_cast<double>(sizes.quantile((i + 0.5) / kDraws).count) <= bytes;
  return static_cast<double>(small) / kDraws;
}

void b43_sizes_of_the_workloads(Context& context) {
  const double small = share_up_to("FB_Hadoop", 300e3);
  const double large = 1 - share_up_to("FB_Hadoop", 1e6);
  const double web = 1 - share_up_to("WebSearch", 1e6);
  const double storage = share_up_to("AliStorage2019", 128e3);
  const double all = share_up_to("AliStorage2019", 2e6);
  const auto is = [](double share, double printed) { return std::abs(share - printed) <= 0.01; };
  context.judge("B43", is(small, 0.95) && is(large, 0.025) && is(web, 0.3) && is(storage, 0.96) && is(all, 1),
                fmt::format("Hadoop {:.1f} % up to 300 KB, {:.1f} % above 1 MB; WebSearch {:.1f} % above 1 MB; storage "
                            "{:.1f} % up to 128 KB, {:.1f} % up to 2 MB",
                            100 * small, 100 * large, 100 * web, 100 * storage, 100 * all));
}

// A round trip with this longest queue; a token for each KB, from 50 KB on.
void round_trip(cc::VariableAi& vai, double queue) {
  vai.observe(queue, true);
  vai.generate({}, 50'000, queue / 1'000);
}

struct Spent {
  double minted = 0;
  double dampener = 0;
  double first = 0;   // steps
  double second = 0;  // of what is left
};
Spent mint_and_spend(double queue) {
  cc::VariableAi vai;
  round_trip(vai, queue);
  Spent out{.minted = vai.bank(), .dampener = vai.dampener(), .first = vai.multiplier({})};
  vai.spend({});
  out.second = vai.multiplier({});
  return out;
}

// How often a flow whose every acknowledgement asks for a decrease does so in this many.
int decreases(int acks, int every) {
  const cc::SamplingFrequency::Params params{.acks = every};
  cc::SamplingFrequency sf;
  int out = 0;
  for (int i = 0; i < acks; ++i) {
    sf.count();
    if (!sf.moves(params, true, false)) continue;
    sf.moved(params, true);
    ++out;
  }
  return out;
}

// By hand: M = 120 KB mints 120 tokens; the dampener is 120 / 50 = 2.4, hence the divisor 2.4 / 8 + 1 = 1.3; 100 tokens
// are spent at a time, 100 / 1.3 = 76.923 steps, and the 20 that are left are 15.385.
void b4_tokens_and_dampener(Context& context) {
  const Spent s = mint_and_spend(120'000);
  const auto is = [](double value, double wanted) { return std::abs(value / wanted - 1) < 1e-6; };
  const bool tokens = is(s.minted, 120) && is(s.dampener, 2.4) && is(s.first, 100 / 1.3) && is(s.second, 20 / 1.3);
  const int fast = decreases(6'000, 30);
  const int slow = decreases(3'000, 30);
  context.judge("B4", tokens && fast == 200 && slow == 100,
                fmt::format("{:g} tokens, dampener {:.1f}: {:.3f} steps, then {:.3f}; {} and {} decreases in 6000 and "
                            "3000 acknowledgements",
                            s.minted, s.dampener, s.first, s.second, fast, slow));
}

// Two flows of B / 2, and one that starts at B: the load is 2 B, and all are scaled by it.
void b33_a_new_flow(Context& context) {
  const std::vector<double> r = theory::next_rates({{1}, {{{0}}, {{0}}, {{0}}}}, {0.5, 0.5, 1});
  context.judge("B33", r == std::vector<double>{0.25, 0.25, 0.5},
                fmt::format("B / {:g}, B / {:g}, B / {:g}", 1 / r[0], 1 / r[1], 1 / r[2]));
}

}  // namespace

std::vector<Evaluator> fairness_arithmetic() {
  return {
      {{"B1"}, Tier::quick, 0.1, b1_condition_for_a_gain, Evidence::exact},
      {{"B2"}, Tier::quick, 0.1, b2_gain_over_time, Evidence::exact},
      {{"B3"}, Tier::quick, 0.01, b3_threshold_as_time, Evidence::exact},
      {{"B4"}, Tier::quick, 0.01, b4_tokens_and_dampener, Evidence::exact},
      {{"B33"}, Tier::quick, 0.01, b33_a_new_flow, Evidence::exact},
      {{"B43"}, Tier::quick, 0.1, b43_sizes_of_the_workloads, Evidence::exact},
  };
}

}  // namespace weir::claims
