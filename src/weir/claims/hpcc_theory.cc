// Claims of the HPCC paper's appendix: the recursion of its rates, their equilibrium, and the queue of paced flows.
// How the rules were read: docs/evidence/claims/hpcc.md.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "weir/base/units.h"
#include "weir/cc/hpcc.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/claim_scenario.h"
#include "weir/engine/model/flow_network.h"
#include "weir/probe/port_choice.h"
#include "weir/scenario/build.h"
#include "weir/scenario/perturbation.h"
#include "weir/scenario/scenario.h"
#include "weir/theory/max_min.h"
#include "weir/theory/queue.h"
#include "weir/theory/random_network.h"
#include "weir/theory/recursion.h"

namespace weir::claims {
namespace {

using namespace weir::theory;
using namespace weir::literals;

using Rates = std::vector<double>;

constexpr double kTarget = 0.95;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNetworks = 1000;

double worst(const Rates& got, const Rates& wanted) {
  double out = 0;
  for (std::size_t j = 0; j < got.size(); ++j) out = std::max(out, std::abs(got[j] / wanted[j] - 1));
  return out;
}

void a4_a5_a6_recursion(Context& context) {
  double overload = -kInfinite;
  double decrease = 0;
  int in_time = 0;
  int nearly = 0;
  int optimal = 0;
  int most_steps = 0;
  for (std::uint32_t number = 0; number < kNetworks; ++number) {
    Draws draw(number);
    const Network n = random_network(draw);
    Rates r = next_rates(n, random_rates(draw, n));
    // the first hundred steps; (ii) says something from R(1) on
    const Rates first = r;
    for (int step = 1; step < 100; ++step) {
      for (const double u : congestion(n, r)) overload = std::max(overload, u - 1);
      const Rates next = next_rates(n, r);
      for (std::size_t j = 0; j < r.size(); ++j) decrease = std::max(decrease, 1 - next[j] / r[j]);
      r = next;
    }
    const Settled s = settle(n, first);
    const auto links = static_cast<int>(n.capacities.size());
    in_time += s.steps + 1 <= links;
    nearly += worst(settle(n, first, 0, links - 1).rates, s.rates) <= 0.01;
    optimal += s.settled && pareto_optimal(n, s.rates);
    most_steps = std::max(most_steps, s.steps + 1);
  }
  // rounding: Y is a sum of up to 20 rates
  const bool feasible = overload < 1e-12;
  const bool growing = decrease < 1e-12;
  require(optimal == static_cast<int>(kNetworks), "a limit is not Pareto optimal");
  context.judge("A4", feasible, "no load above its capacity by more than 1e-12 in 1000 random networks");
  context.judge("A5", growing, "no rate falls by more than 1e-12 of it in 1000 random networks");
  const bool constant = in_time == static_cast<int>(kNetworks);
  context.judge(
      "A6", constant,
      fmt::format("constant to 1e-12 after I steps in {} of 1000 random networks, in the others after up to {}; all "
                  "rates within 1 % of their limit after I steps in {}; the limit is Pareto optimal in {}",
                  in_time, most_steps, nearly, optimal));
}

// What flows under HPCC get within [from, to), by sender, and what one port carries.
struct Measured {
  std::vector<std::uint32_t> senders;
  Rates rates;      // on the wire, bit/s
  Rates u;          // the mean of the U that the sender measures
  double load = 0;  // of the port
};
Measured run(const ClaimFile& file, const std::string& w_ai, const std::string& port, Time from, Time to) {
  const scenario::Scenario scenario = load_claim_scenario(file, {"algorithm.w_ai=" + w_ai});
  const auto r = scenario::build(scenario);
  auto& simulation = dynamic_cast<engine::Simulation&>(*r.simulation);
  const auto id =
      probe::choose_ports(r.model->topology, scenario::mirrored_ports(port, r.model->topology, scenario.mirrored_hosts))
          .at(0);
  struct Sender {
    std::int64_t acknowledged = 0;
    double u = 0;
    int samples = 0;
  };
  std::map<std::uint32_t, Sender> senders;
  engine::advance_unstalled(simulation, from);
  const auto sent = simulation.port_figures(id).sent_bytes;
  simulation.for_each_active([&](const host::FlowView& f) { senders[f.src].acknowledged = -f.in_order.count; });
  for (Time t = from; t < to; t += 257_ns) {
    engine::advance_unstalled(simulation, t);
    simulation.for_each_active([&](const host::FlowView& f) {
      senders[f.src].u += static_cast<const cc::Hpcc*>(simulation.flow(f).state())->utilisation();
      ++senders[f.src].samples;
    });
  }
  engine::advance_unstalled(simulation, to);
  simulation.for_each_active([&](const host::FlowView& f) { senders[f.src].acknowledged += f.in_order.count; });

  Measured out;
  const double wire = static_cast<double>(r.model->data_wire(r.model->profiles.front()).count) /
                      static_cast<double>(r.model->transport.payload.count);
  const double per_second = 8 / (to - from).seconds();
  for (const auto& [src, sender] : senders) {
    out.senders.push_back(src);
    out.rates.push_back(static_cast<double>(sender.acknowledged) * wire * per_second);
    out.u.push_back(sender.u / sender.samples);
  }
  const std::uint32_t link = id / 2;
  out.load = static_cast<double>(simulation.port_figures(id).sent_bytes - sent) * per_second /
             static_cast<double>(r.model->topology.links[link].rate.bits_per_second);
  return out;
}

void a8_additive_increase(Context& context) {
  // the recursion against U(i) = U_t / (1 - a / R(i)), and against the condition for U(1) < 1
  double error = 0;
  int conditions = 0;
  int below = 0;
  for (std::uint32_t number = 0; number < 200; ++number) {
    Draws draw(number);
    Network n = random_network(draw);
    const Rates start = random_rates(draw, n);
    for (double& c : n.capacities) c *= kTarget;
    const double a = draw.between(0.1, 3) * 0.05 * max_min(n).levels.front();
    const Settled s = settle(n, start, a);
    Rates u = congestion(n, s.rates);
    for (double& x : u) x *= kTarget;
    for (std::size_t j = 0; j < u.size(); ++j) error = std::max(error, std::abs(u[j] - kTarget / (1 - a / s.rates[j])));
    const bool expected = a < *std::min_element(s.rates.begin(), s.rates.end()) * (1 - kTarget);
    const bool found = *std::max_element(u.begin(), u.end()) < 1;
    conditions += expected == found;
    below += found;
  }
  require(below > 20 && below < 180, "nearly all random networks are on one side of the condition");
  const bool fluid = error < 1e-6 && conditions == 200;

  // 16 flows on one link of 100 Gb/s, T = 4.2 us: B T = 52,500 B
  std::string packets;
  double off = 0;
  for (const int w_ai : {25, 80, 150}) {
    const double predicted = kTarget + 16 * w_ai / 52'500.0;
    const Measured m = run(context.scenario("incast-16.toml"), fmt::format("{} B", w_ai), "17->16", 2_ms, 4_ms);
    off = std::max(off, std::abs(m.load - predicted));
    packets +=
        fmt::format("; {} B: load {:.3f}, U as measured {:.3f}, for {:.3f}", w_ai, m.load, m.u.front(), predicted);
  }
  const bool holds = fluid && off <= 0.03;
  context.judge(
      "A8", holds,
      fmt::format("fluid: formula to 1e-6 and condition in all of 200 random networks. Packets, 16 flows{}", packets));
}

void a9_max_min_fairness(Context& context) {
  struct Case {
    std::string file;
    std::string title;
    std::string port;
    std::string w_ai;
  };
  constexpr Time kRoundTrip = 9_us;  // T of both scenarios
  std::string measured;
  bool holds = true;
  for (const Case& c : {Case{"uneven-lot", "100 and 40 Gb/s", "7->8", "80 B"},
                        Case{"uneven-lot", "the same with W_AI = 400 B", "7->8", "400 B"},
                        Case{"even-lot", "100 and 100 Gb/s", "7->8", "80 B"}}) {
    const ClaimFile file = context.scenario(c.file + ".toml");
    const auto scenario = load_claim_scenario(file);
    const auto model = scenario::build_model(scenario);
    std::vector<traffic::Flow> flows;
    scenario::build_traffic(scenario, *model)->pull_until(1_us, flows);
    Network n = engine::flow_network(*model, flows);
    for (double& capacity : n.capacities) capacity *= kTarget;
    const Rates fair = max_min(n).rates;
    const double increase = 8 * static_cast<double>(parse_bytes(c.w_ai).count) / kRoundTrip.seconds();
    const Rates fluid = additive_equilibrium(n, increase).rates;
    const Measured m = run(file, c.w_ai, c.port, 20_ms, 25_ms);
    const Rates& got = m.rates;
    require(got.size() == fair.size(), "not all flows were seen");
    if (c.w_ai == "80 B") holds = holds && worst(fluid, fair) <= 0.05;
    const auto three = [](const Rates& r, double unit, int digits) {
      return fmt::format("{:.{}f}, {:.{}f}, {:.{}f}", r[0] * unit, digits, r[1] * unit, digits, r[2] * unit, digits);
    };
    measured += fmt::format("{}{}: {} Gb/s for {}; packets {} (U: {})", measured.empty() ? "" : "; ", c.title,
                            three(fluid, 1e-9, 1), three(fair, 1e-9, 1), three(got, 1e-9, 1), three(m.u, 1, 4));
  }
  context.judge("A9", holds, measured);
}

// A lot's flows as a network of eta times its capacities, by sender as run() tells them.
struct Lot {
  Network network;
  std::vector<std::uint32_t> senders;
};
Lot lot_of(const ClaimFile& file) {
  const auto scenario = load_claim_scenario(file);
  const auto model = scenario::build_model(scenario);
  std::vector<traffic::Flow> flows;
  scenario::build_traffic(scenario, *model)->pull_until(1_us, flows);
  std::sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) { return a.src < b.src; });
  Lot out{.network = engine::flow_network(*model, flows), .senders = {}};
  for (double& capacity : out.network.capacities) capacity *= kTarget;
  for (const auto& flow : flows) out.senders.push_back(flow.src);
  return out;
}

void a57_packets_are_biased(Context& context) {
  std::string measured;
  bool holds = true;
  for (const std::string name : {"uneven-lot", "even-lot"}) {
    const ClaimFile file = context.scenario(name + ".toml");
    const Lot lot = lot_of(file);
    const Rates fair = max_min(lot.network).rates;
    Network unit = lot.network;
    const double scale = *std::max_element(unit.capacities.begin(), unit.capacities.end());
    for (double& capacity : unit.capacities) capacity /= scale;
    const Rates proportional = settle_registers(unit, 1, 1e-4).rates;
    const Measured m = run(file, "80 B", "7->8", 20_ms, 25_ms);
    require(m.senders == lot.senders, "not all flows were seen");
    for (std::size_t j = 0; j < fair.size(); ++j) {
      const double towards = proportional[j] * scale - fair[j];
      holds = holds && (m.rates[j] - fair[j]) * towards > 0;
      measured += fmt::format("{}{:.1f} (max-min {:.1f}, proportional {:.1f})",
                              measured.empty() ? ""
                              : j == 0         ? "; "
                                               : ", ",
                              m.rates[j] * 1e-9, fair[j] * 1e-9, proportional[j] * scale * 1e-9);
    }
    measured += " Gb/s";
  }
  context.judge("A57", holds, measured);
}

void a10_proportional_fairness(Context& context) {
  double error = 0;
  for (const std::uint32_t links : {1u, 2u, 4u, 8u}) {
    const Settled s = settle_registers(parking_lot(links, 1), 1, 1e-4);
    require(s.settled, "the registers do not settle");
    Rates wanted(links + 1, links / (links + 1.0));
    wanted[0] = 1 / (links + 1.0);
    error = std::max(error, worst(s.rates, wanted));
  }
  const bool holds = error <= 0.03;
  context.judge("A10", holds, fmt::format("within {:.2f} % for 1, 2, 4 and 8 links, a = C / 10,000", 100 * error));
}

void a11_limits_of_alpha(Context& context) {
  const Network n{{1, 0.4, 0.7}, {{{0, 1, 2}}, {{0}}, {{1}}, {{1, 2}}, {{2}}}};
  const double max_min_error = worst(settle_registers(n, 100, 1e-4).rates, max_min(n).rates);
  // The largest sum of rates: nothing for the flows on several links, all capacity once for the others.
  const Rates greedy = settle_registers(n, 0.1, 1e-4).rates;
  double sum = 0;
  for (const double r : greedy) sum += r;
  const double sum_error = std::abs(sum / (1 + 0.4 + 0.7) - 1);
  const bool holds = max_min_error <= 0.05 && sum_error <= 0.05;
  context.judge("A11", holds,
                fmt::format("alpha = 100: within {:.1f} % of max-min; alpha = 0.1: {:.1f} % off the largest sum",
                            100 * max_min_error, 100 * sum_error));
}

void a12_a13_a14_periodic_queue(Context& context) {
  const PeriodicQueue q{50, 0.95};
  const bool mean = q.mean_work() >= 2.8 && q.mean_work() <= 3.6;
  context.judge("A12", mean,
                fmt::format("work {:.2f} packet times; {:.2f} packets, {:.2f} of them waiting; bridge {:.2f}",
                            q.mean_work(), q.mean_packets(), q.mean_waiting(), q.bridge_mean()));

  const bool tail = q.tail(20) >= 1e-10 && q.tail(20) <= 2e-8;
  context.judge("A13", tail,
                fmt::format("work above 20: {:.1e}; more than 20 waiting: {:.1e}; bridge {:.1e}", q.tail(20),
                            q.tail(21), q.bridge_tail(20)));

  const PeriodicQueue full{50, 1};
  const bool at_one = std::abs(full.mean_work() / full.bridge_mean() - 1) <= 0.08;
  context.judge("A14", {at_one, full.mean_work() < 5},
                fmt::format("work {:.2f}, sqrt(pi N / 8) = {:.2f}; {:.2f} packets, {:.2f} of them waiting",
                            full.mean_work(), full.bridge_mean(), full.mean_packets(), full.mean_waiting()));
}

}  // namespace

std::vector<Evaluator> hpcc_theory() {
  return {
      {{"A4", "A5", "A6"}, Tier::quick, 1, a4_a5_a6_recursion, Evidence::exact},
      {{"A8"}, Tier::quick, 1, a8_additive_increase},
      {{"A9"}, Tier::quick, 1, a9_max_min_fairness},
      {{"A57"}, Tier::quick, 0.7, a57_packets_are_biased},
      {{"A10"}, Tier::quick, 0.1, a10_proportional_fairness, Evidence::exact},
      {{"A11"}, Tier::quick, 0.1, a11_limits_of_alpha, Evidence::exact},
      {{"A12", "A13", "A14"}, Tier::quick, 0.01, a12_a13_a14_periodic_queue, Evidence::exact},
  };
}

}  // namespace weir::claims
