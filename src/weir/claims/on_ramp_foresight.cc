// Claim C12 of the On-Ramp paper: what foretells the delay of the next packet (section 3.3, figure 6).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "weir/base/random.h"
#include "weir/base/units.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/measures.h"
#include "weir/claims/watch.h"
#include "weir/study/range_text.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

// How what a sender knew when a packet left correlates with the delay that the packet then saw, in logarithms.
struct Foresight {
  std::size_t pairs = 0;
  double by_delay = 0;
  double by_rtt = 0;
  double by_ntp = 0;

  bool holds() const { return by_delay >= 0.6 && by_delay >= by_rtt + 0.15 && by_ntp < 0.3; }
};

Foresight foresight(const Context& context, std::uint64_t seed) {
  Watch watch(context.scenario("websearch-10g.toml"), "32->0", {fmt::format("run.seed={}", seed)});
  struct Known {
    double delay = 0;
    double rtt = 0;
    double ntp = 0;
    Time when;
    bool waits = false;
  };
  struct Latest {
    cc::OnRamp::Report report;
    Known known;
  };
  std::map<std::uint64_t, Latest> flows;
  std::vector<double> next, delay, rtt, ntp;
  const RandomStream random(seed, 0, Purpose::clock);
  const auto ntp_offset = [&](std::uint32_t host) {  // of a millisecond, uniform
    return 1e3 * std::sqrt(12.0) * (random.uniform(host) - 0.5);
  };
  watch.record(1_us, 100_ms, [&](Time now, const host::FlowView& f) {
    const cc::OnRamp::Report& r = watch.simulation().on_ramp(f)->last_report();
    Latest& latest = flows[f.id];
    if (r.sent < Time{} || r.sent == latest.report.sent) return;
    if (latest.known.waits && r.sent >= latest.known.when) {
      next.push_back(us(r.delay));
      delay.push_back(latest.known.delay);
      rtt.push_back(latest.known.rtt);
      ntp.push_back(latest.known.ntp);
      latest.known.waits = false;
    }
    latest.report = r;
    if (latest.known.waits) return;
    latest.known = {us(r.delay), us(r.heard - r.sent), us(r.delay) + ntp_offset(f.dst) - ntp_offset(f.src), now, true};
  });
  const auto logs = [](std::vector<double> x) {
    const double least = *std::min_element(x.begin(), x.end());
    for (double& v : x) v = std::log(v - std::min(0.0, least - 1));
    return x;
  };
  return {next.size(), linear_correlation(logs(delay), logs(next)), linear_correlation(logs(rtt), logs(next)),
          linear_correlation(logs(ntp), logs(next))};
}

void c12_one_way_delay_foretells_the_next_packets(Context& context) {
  std::vector<Foresight> seeds;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) seeds.push_back(foresight(context, seed));
  const auto hold = std::ranges::count_if(seeds, &Foresight::holds);
  std::size_t pairs = 0;
  for (const Foresight& f : seeds) pairs += f.pairs;
  const auto span = [&](double Foresight::*what) {
    const auto [least, most] = std::ranges::minmax_element(seeds, {}, what);
    return study::range_text("{:.2f}", (*least).*what, (*most).*what);
  };
  const auto compared = [&](const std::string& text, const std::function<double(const Foresight&)>& by) {
    Compared out{.text = text};
    for (const Foresight& f : seeds) out.by.push_back(by(f));
    return out;
  };
  context.judge(
      "C12",
      {{compared("one-way delay >= 0.6", [](const Foresight& f) { return f.by_delay - 0.6; }),
        compared("one-way delay >= RTT + 0.15", [](const Foresight& f) { return f.by_delay - f.by_rtt - 0.15; }),
        compared("by NTP < 0.3", [](const Foresight& f) { return 0.3 - f.by_ntp; })}},
      fmt::format("{} pairs; one-way delay {}, RTT {}, one-way delay by NTP {}; true with {} of {} seeds", pairs,
                  span(&Foresight::by_delay), span(&Foresight::by_rtt), span(&Foresight::by_ntp), hold, seeds.size()));
}

}  // namespace

std::vector<Evaluator> on_ramp_foresight() {
  return {{{"C12"}, Tier::slow, 15, c12_one_way_delay_foretells_the_next_packets, Evidence::seeds}};
}

}  // namespace weir::claims
