#include "weir/learn/environment.h"

#include <algorithm>

#include "weir/base/random.h"
#include "weir/engine/model/model.h"
#include "weir/scenario/outside_decisions.h"
#include "weir/scenario/scenario.h"

namespace weir::learn {
namespace {

constexpr Time kRoundTrip{8'000'000};
constexpr Bytes kEndless{1'000'000'000'000'000};

// Every profile of pcc_rl asks `maker`.
scenario::Scenario with_maker(const World& world, cc::DecisionMaker& maker, std::uint64_t seed) {
  scenario::Scenario out = world.scenario;
  out.run.seed = seed;
  out.run.threads = 1;  // a maker is one thread's, and is asked in the order of time
  out.run.scheduler = engine::SchedulerKind::wheel;
  for (auto& profile : out.profiles)
    if (scenario::pcc_rl_params(profile) != nullptr) scenario::set_maker(profile, maker);
  return out;
}

}  // namespace

Environment::Environment(const World& world, cc::DecisionMaker& maker, std::uint64_t seed, Time spread)
    : run_(scenario::build(with_maker(world, maker, seed))) {
  engine::Engine& e = engine();
  slice_ = std::max<std::int64_t>(1, kRoundTrip / e.epoch()) * e.epoch();
  const std::uint32_t hosts = e.network().hosts();
  const RandomStream starts(seed, 0, Purpose::learning);
  std::uint64_t i = 0;
  for_each_added(world, hosts, [&](std::uint32_t src, std::uint32_t dst) {
    traffic::Flow flow;
    flow.start = {static_cast<std::int64_t>(starts.below(i++, static_cast<std::uint64_t>(spread.ps) + 1))};
    flow.src = src;
    flow.dst = dst;
    flow.size = world.size.count > 0 ? world.size : kEndless;
    flow.profile = world.profile;
    e.inject(flow);
  });
}

bool Environment::advance() { return !engine().advance(engine().now() + slice_); }

std::uint64_t Environment::active() const {
  const auto c = run_.simulation->counters();
  return c.flows_started - c.flows_completed;
}

}  // namespace weir::learn
