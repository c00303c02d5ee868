// Claims of the On-Ramp paper that take no network: its rule told of delays by hand, and figures of its traffic. How
// the rules were read: docs/evidence/claims/on-ramp.md.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/base/units.h"
#include "weir/cc/on_ramp.h"
#include "weir/claims/catalogue.h"
#include "weir/traffic/context.h"
#include "weir/traffic/incast.h"
#include "weir/traffic/size_distribution.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

cc::OnRamp shim(const cc::OnRamp::Params& params) {
  cc::OnRamp out;
  out.start(params, 30_us, 1_KB);
  return out;
}

// Equation 2: delays of 50 and 55 us at 60 and 70 us pause for the whole excess over 30 us each time.
Time strawman_pause() {
  cc::OnRamp o = shim({.rule = cc::OnRamp::Rule::strawman});
  o.on_send(0, 1_KB, 0_us);
  o.on_send(1'000, 1_KB, 1_us);
  o.on_or_ack(0, 50_us, 60_us);
  o.on_or_ack(1'000, 55_us, 70_us);
  return o.next_packet(2'000);
}

// Equation 4 with beta = 1/2: 40 us of excess, and of the first pause 20 us have passed since packet 1,000 left.
Time final_pause() {
  cc::OnRamp o = shim({.initial_beta = 0.5});
  o.on_send(0, 1_KB, 0_us);
  o.on_send(1'000, 1_KB, 1_us);
  o.on_or_ack(0, 70_us, 80_us);
  o.on_or_ack(1'000, 70_us, 100_us);
  return o.next_packet(2'000);
}

// Equation 3 with g = 1/4 after a pause of 40 us: the share of it by which the delay has fallen from 70 us, from 0
// to 1.
double learnt(Time delay_after) {
  cc::OnRamp o = shim({.gain = 0.25, .initial_beta = 0});
  o.on_send(0, 1_KB, 0_us);
  o.on_or_ack(0, 70_us, 80_us);
  o.on_send(1'000, 1_KB, 120_us);
  o.on_or_ack(1'000, delay_after, 200_us);
  return o.beta();
}

void c11_the_rule(Context& context) {
  const Time strawman = strawman_pause();
  const Time final = final_pause();
  const double half = learnt(50_us);
  const double none = learnt(80_us);
  const double all = learnt(10_us);
  context.judge("C11", strawman == 95_us && final == 130_us && half == 0.125 && none == 0 && all == 0.25,
                fmt::format("strawman until {:g} us, final rule until {:g} us; beta {:g}, {:g} and {:g}", us(strawman),
                            us(final), half, none, all));
}

struct Small {
  double flows = 0;  // share of all that are not larger than 10 KB
  double bytes = 0;  // their share of bytes
};

// At a million places of the distribution.
Small small_flows(const traffic::SizeDistribution& sizes) {
  constexpr int kPlaces = 1'000'000;
  double small = 0;
  double bytes = 0;
  int flows = 0;
  for (int i = 0; i < kPlaces; ++i) {
    const auto size = sizes.quantile((i + 0.5) / kPlaces);
    bytes += static_cast<double>(size.count);
    if (size > 10_KB) continue;
    small += static_cast<double>(size.count);
    ++flows;
  }
  return {static_cast<double>(flows) / kPlaces, small / bytes};
}

void c30_sizes_of_search_rpcs(Context& context) {
  const Small s = small_flows(traffic::SizeDistribution::named("GoogleSearchRPC"));
  context.judge("C30", std::abs(s.flows - 0.9986) < 5e-5 && std::abs(s.bytes - 0.74) < 5e-3,
                fmt::format("{:.2f} % of the flows and {:.1f} % of the bytes are of at most 10 KB", 100 * s.flows,
                            100 * s.bytes));
}

// Between two requests at each of 50 servers, ms.
double mean_gap(Bytes size, double load) {
  traffic::Context network;
  network.host_rates.assign(50, 10_Gbps);
  return traffic::PoissonIncast({.size = size, .fan_in = 40, .load = load, .stop = 1_s}, network).mean_gap_ps() * 50 *
         1e-9;
}

void c44_mean_gaps_between_requests(Context& context) {
  const double small = mean_gap(2_KB, 0.02);
  const double large = mean_gap(500_KB, 0.02);
  const double often = mean_gap(500_KB, 0.2);
  const auto is = [](double value, double wanted) { return std::abs(value / wanted - 1) < 1e-8; };
  context.judge("C44", is(small, 3.2) && is(large, 800) && is(often, 80),
                fmt::format("{:.1f}, {:.1f}, {:.1f} ms", small, large, often));
}

}  // namespace

std::vector<Evaluator> on_ramp_arithmetic() {
  return {
      {{"C11"}, Tier::quick, 0.01, c11_the_rule, Evidence::exact},
      {{"C30"}, Tier::quick, 0.1, c30_sizes_of_search_rpcs, Evidence::exact},
      {{"C44"}, Tier::quick, 0.01, c44_mean_gaps_between_requests, Evidence::exact},
  };
}

}  // namespace weir::claims
