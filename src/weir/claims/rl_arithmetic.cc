// Claims of Reinforcement Learning for Datacenter Congestion Control that arithmetic decides. How the rules were read:
// docs/evidence/claims/rl.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "weir/base/random.h"
#include "weir/claims/catalogue.h"
#include "weir/policy/observation.h"

namespace weir::claims {
namespace {

// Flows of one congested link as a fluid. All see one round trip, and each has its own rate, as a fraction of the link.
struct Fluid {
  policy::Signal signal;
  std::vector<double> rates;
  double queue = 0;  // in base round trips of the link

  Time rtt() const { return Time{std::llround((1 + queue) * static_cast<double>(base_rtt().ps))}; }
  Time base_rtt() const { return signal.base_rtt.ps > 0 ? signal.base_rtt : Time{8'192'000}; }

  // A round trip: each flow multiplies its rate by 1 - gain * signal, within [0.8, 1.2].
  void step(double gain) {
    const policy::Observation common{.rtt = rtt(), .base_rtt = base_rtt(), .rate = 1, .sent = 0, .cnps = 0, .nacks = 0};
    double sum = 0;
    for (double& rate : rates) {
      policy::Observation seen = common;
      seen.rate = rate;
      rate = std::min(1.0, rate * std::clamp(1 - gain * policy::signal(signal, seen), 0.8, 1.2));
      sum += rate;
    }
    queue = std::max(0.0, queue + (sum - 1) * (1 + queue));
  }
};

struct Shared {
  double unfairness = 0;  // the largest distance of a rate from 1 / N, as a share of 1 / N
  double queue = 0;
};

Shared settle(const policy::Signal& signal, std::uint32_t flows, std::uint64_t start, double gain) {
  const RandomStream random(start, flows, Purpose::incast_arrival);
  Fluid fluid{.signal = signal, .rates = std::vector<double>(flows), .queue = 0};
  // from a hundredth of the fair share to a hundred times it, in powers of two; no rate is above that of the link
  for (std::uint32_t i = 0; i < flows; ++i) {
    double rate = 0.01 / flows * (1 + random.uniform(2 * i));
    for (auto doublings = random.below(2 * i + 1, 13); doublings > 0; --doublings) rate *= 2;
    fluid.rates[i] = std::min(1.0, rate);
  }
  for (int round = 0; round < 20'000; ++round) fluid.step(gain);
  Shared out{.unfairness = 0, .queue = fluid.queue};
  for (const double rate : fluid.rates) out.unfairness = std::max(out.unfairness, std::abs(rate * flows - 1));
  return out;
}

void d1_the_fixed_point_is_fair(Context& context) {
  // In the paper's own form an inflation of sqrt(N) target: 2 to 11 base round trips; and the public code's.
  const policy::Signal paper{.target = 2, .beta = 0, .scale = 1, .base_rtt = {}};
  const policy::Signal code;
  double worst = 0;
  std::uint32_t runs = 0;
  for (const std::uint32_t flows : {2u, 8u, 32u, 128u})
    for (std::uint64_t start = 1; start <= 5; ++start)
      for (const auto& [signal, gain] : {std::pair(paper, 0.02), {code, 0.02}}) {
        worst = std::max(worst, settle(signal, flows, start, gain).unfairness);
        ++runs;
      }
  context.judge("D1", worst <= 0.01,
                fmt::format("{} settled fluids of 2 to 128 flows from random rates, with the paper's signal and the "
                            "public code's: no rate is further from 1/N than {:.1g} of it",
                            runs, std::max(worst, 1e-6)));
}

// The reward of (1) as a function of the action: it multiplies the rate, and the round trip grows with the rate.
double reward(const policy::Signal& s, double inflation, double growth, double rate, double action) {
  const double x = std::max(inflation + growth * rate * (action - 1) - s.beta, 0.0) * std::sqrt(rate * action);
  return -(s.target - x) * (s.target - x);
}

void d2_the_gradient_pushes_towards_the_target(Context& context) {
  const RandomStream random(1, 0, Purpose::incast_arrival);
  std::uint32_t states = 0;
  std::uint32_t right = 0;
  double worst = 0;  // of (2) against differences, as a share
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const policy::Signal s{.target = 0.05 + 3 * random.uniform(5 * i),
                           .beta = 1.5 * random.uniform(5 * i + 1),
                           .scale = 1,
                           .base_rtt = {}};
    const double inflation = 1.6 + 20 * random.uniform(5 * i + 2);
    const double rate = 1e-4 + (1 - 1e-4) * random.uniform(5 * i + 3);
    const double growth = 10 * random.uniform(5 * i + 4);
    const policy::Observation seen{.rtt = Time{std::llround(inflation * 1e9)},
                                   .base_rtt = Time{1'000'000'000},
                                   .rate = rate,
                                   .sent = 0,
                                   .cnps = 0,
                                   .nacks = 0};
    const double above = policy::signal(s, seen);
    if (std::abs(above) < 1e-6) continue;  // at the target there is no direction
    ++states;
    constexpr double kStep = 1e-6;
    const double slope =
        (reward(s, inflation, growth, rate, 1 + kStep) - reward(s, inflation, growth, rate, 1 - kStep)) / (2 * kStep);
    // d/da of inflation(a) sqrt(rate a) at a = 1, which is not negative
    const double dx = growth * rate * std::sqrt(rate) + (inflation - s.beta) * std::sqrt(rate) / 2;
    const double analytic = -2 * above * dx;
    worst = std::max(worst, std::abs(slope - analytic) / std::max(std::abs(analytic), 1e-6));
    if ((above > 0) == (slope < 0)) ++right;
  }
  context.judge("D2", right == states && worst < 1e-3,
                fmt::format("{} of {} random states: the reward falls with the action where the signal is above 0, and "
                            "grows where it is below; (2) with its factor of 2 is within {:.0e} of finite differences",
                            right, states, worst));
}

}  // namespace

std::vector<Evaluator> rl_arithmetic() {
  return {{{"D1"}, Tier::quick, 0.4, d1_the_fixed_point_is_fair, Evidence::exact},
          {{"D2"}, Tier::quick, 0.01, d2_the_gradient_pushes_towards_the_target, Evidence::exact}};
}

}  // namespace weir::claims
