#include "weir/claims/spraying.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/base/random.h"
#include "weir/claims/claim_scenario.h"
#include "weir/claims/measures.h"
#include "weir/probe/collective_report.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"

namespace weir::claims {
namespace {

struct Choice {
  std::string name;
  std::string preset;
  bool in_order = false;                 // three packets that overtake another one make it lost
  std::vector<std::string> others = {};  // of the sprayed flows and the network
};

// Its simulator routes acknowledgements by hash, and its REPS judges by the marks of data (docs/evidence/spraying.md).
const std::vector<std::string> kOfUltraEthernet{"algorithm.load_balancing.marks=data",
                                                "algorithm.load_balancing.acks=hash"};

Choice choice(const Algorithm& a) {
  static const std::map<Algorithm, Choice> known{{"Swift", {"swift", "spraying", true}},
                                                 {"LSwift", {"swift", "lswift"}},
                                                 {"MSwift", {"mswift", "mswift"}},
                                                 {"MSwift-P10", {"mswift", "mswift-p10"}},
                                                 {"MSwift-P90", {"mswift", "mswift-p90"}},
                                                 {"NSCC", {"nscc", "spraying", false, kOfUltraEthernet}},
                                                 {"MNSCC", {"mnscc", "mnscc", false, kOfUltraEthernet}}};
  return known.at(a);
}

std::vector<std::string> overrides(const Setting& s, const Algorithm& a, const Balancer& b, int seed) {
  const Choice c = choice(a);
  std::vector<std::string> out = s.overrides;
  if (s.by_seed) out = s.by_seed(seed);
  if (s.acks == World::second) out.emplace_back("transport.ack_class=priority");
  out.push_back(fmt::format("run.seed={}", seed));
  out.push_back("algorithm.load_balancing.kind=" + b);
  out.push_back("algorithm.name=" + c.name);
  out.push_back("algorithm.preset=" + c.preset);
  out.insert(out.end(), c.others.begin(), c.others.end());
  if (c.in_order) out.emplace_back("algorithm.recovery.reordering=0 us");
  if (!s.elephants) return out;
  out.push_back("profile.0.algorithm=" + c.name);
  out.push_back("profile.0.preset=" + c.preset);
  if (c.in_order) out.emplace_back("profile.0.recovery.reordering=0 us");
  return out;
}

// One run, as part of a bar.
void add(Bar& bar, const ClaimFile& file, const std::vector<std::string>& overrides) {
  scenario::Run run = scenario::build(load_claim_scenario(file, overrides));
  std::vector<double>& fct = bar.fct.emplace_back();
  run.simulation->on_finish([&](const host::FlowRecord& r) { fct.push_back(us(r.finish - r.start)); },
                            engine::FinishCalls::later);
  while (!engine::advance_unstalled(*run.simulation)) {
  }
  const probe::CollectiveSummary c = probe::report_collectives(*run.simulation, run.tags()).at(0);
  bar.increase.push_back(100 * c.acknowledged_excess().value_or(std::numeric_limits<double>::infinity()));
  bar.lost += run.simulation->counters().dropped;
  bar.timeouts += run.simulation->counters().timeouts;
}

}  // namespace

const std::vector<Balancer> kBalancers{"ops", "adaptive", "reps"};
const std::vector<Algorithm> kResilient{"LSwift", "MSwift", "NSCC", "MNSCC"};

double Bar::mean() const {
  return std::accumulate(increase.begin(), increase.end(), 0.0) / static_cast<double>(increase.size());
}

double Bar::error() const {
  const auto n = static_cast<double>(increase.size());
  return deviation(increase) * std::sqrt(n / (n - 1)) / std::sqrt(n);
}

double Bar::p99() const {
  std::vector<double> all;
  for (const std::vector<double>& seed : fct) all.insert(all.end(), seed.begin(), seed.end());
  return percentile(std::move(all), 990);
}

Setting baseline(const Context& context, int seeds, std::vector<std::string> overrides) {
  return {.file = context.example("spraying-baseline.toml"),
          .seeds = seeds,
          .overrides = std::move(overrides),
          .acks = context.world()};
}

namespace {

Setting of_file(const Context& context, const std::string& name, int seeds) {
  return {.file = context.scenario(name), .seeds = seeds, .acks = context.world(), .elephants = false};
}

// 32 of hosts 1 to 127, in order of random numbers.
std::vector<std::string> random_senders(int seed) {
  const RandomStream random(static_cast<std::uint64_t>(seed), 0, Purpose::incast_members);
  std::vector<int> hosts(127);
  std::iota(hosts.begin(), hosts.end(), 1);
  std::sort(hosts.begin(), hosts.end(), [&](int a, int b) { return random.bits(a) < random.bits(b); });
  hosts.resize(32);
  return {fmt::format("traffic.0.senders=\"{}\"", fmt::join(hosts, ","))};
}

}  // namespace

Setting permutation(const Context& context, int seeds) { return of_file(context, "spraying-permutation.toml", seeds); }
Setting hsdp(const Context& context, int seeds) { return of_file(context, "spraying-hsdp.toml", seeds); }

Setting incast(const Context& context, int seeds) {
  Setting s = of_file(context, "spraying-incast.toml", seeds);
  s.by_seed = random_senders;
  return s;
}

Figure::Figure(const Setting& s, const std::vector<Algorithm>& algorithms, const std::vector<Balancer>& balancers)
    : algorithms_(algorithms), balancers_(balancers) {
  for (const Algorithm& a : algorithms)
    for (const Balancer& b : balancers)
      for (int seed = 1; seed <= s.seeds; ++seed) add(bars_[{a, b}], s.file, overrides(s, a, b, seed));
}

double Figure::mean(const Algorithm& a) const {
  double sum = 0;
  for (const Balancer& b : balancers_) sum += mean(a, b);
  return sum / static_cast<double>(balancers_.size());
}

std::string Figure::row(const Algorithm& a) const {
  std::vector<std::string> parts;
  for (const Balancer& b : balancers_) {
    const int digits = mean(a, b) < 9.95 ? 1 : 0;
    parts.push_back(fmt::format("{:.{}f} +- {:.{}f}", mean(a, b), digits, at(a, b).error(), digits));
  }
  return fmt::format("{} {}", a, fmt::join(parts, " / "));
}

std::string Figure::text(const std::vector<Algorithm>& algorithms) const {
  std::vector<std::string> parts;
  for (const Algorithm& a : algorithms.empty() ? algorithms_ : algorithms) parts.push_back(row(a));
  return fmt::format("{} %", fmt::join(parts, "; "));
}

}  // namespace weir::claims
