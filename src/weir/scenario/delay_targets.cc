#include "weir/scenario/delay_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "weir/scenario/each_flow.h"

namespace weir::scenario {
namespace {

// What one profile's flows measure and may measure, by one setting.
struct Limit {
  std::uint16_t profile = 0;
  cc::DelayTarget (*of)(const engine::Model&, const host::Profile&, const cc::FlowFacts&, Time one_way) = nullptr;
  std::string_view effect = {};
  SomeFlows flows = {};
  cc::DelayTarget worst = {};  // the one that needs the largest value
};

cc::DelayTarget of_algorithm(const engine::Model& model, const host::Profile& p, const cc::FlowFacts& facts, Time) {
  return p.algorithm->delay_target(p.params.get(), facts, model.host.answer_delay());
}

cc::DelayTarget of_on_ramp(const engine::Model&, const host::Profile& p, const cc::FlowFacts&, Time one_way) {
  return {.delay = one_way, .target = p.on_ramp->T, .setting = "on_ramp.T", .least = one_way};
}

std::vector<Limit> limits_of(const engine::Model& model) {
  std::vector<Limit> out;
  for (std::size_t i = 0; i < model.profiles.size(); ++i) {
    const host::Profile& p = model.profiles[i];
    const auto number = static_cast<std::uint16_t>(i);
    if (p.algorithm->delay_target != nullptr)
      out.push_back({number, of_algorithm, "the algorithm slows down without any congestion"});
    if (p.on_ramp && p.on_ramp->T > Time{})
      out.push_back({number, of_on_ramp, "On-Ramp holds flows without any queue"});
  }
  return out;
}

class Paths {
 public:
  explicit Paths(const engine::Model& model)
      : model_(model), network_rtt_(model.paths.network_rtt(model.largest_data_wire(), model.largest_ack_wire())) {}

  cc::FlowFacts facts(const host::Profile& p, std::uint32_t src, std::uint32_t dst) const {
    const net::PathFacts path = model_.paths.facts(src, dst);
    cc::FlowFacts out = common(p);
    for (const std::uint32_t port : model_.routing.ports_of(src))
      out.line_rate = std::max(out.line_rate, model_.topology.links[port / 2].rate);
    out.path_rate = path.slowest;
    out.base_rtt = model_.paths.base_rtt(src, dst, out.wire, model_.ack_wire(p));
    out.switch_hops = static_cast<int>(path.switches);
    return out;
  }

  // No flow of the profile has a longer path, nor fewer switches.
  cc::FlowFacts longest(const host::Profile& p) const {
    cc::FlowFacts out = common(p);
    out.base_rtt = network_rtt_;
    out.switch_hops = 1;
    return out;
  }

 private:
  cc::FlowFacts common(const host::Profile& p) const {
    cc::FlowFacts out;
    out.network_rtt = network_rtt_;
    out.payload = model_.transport.payload;
    out.wire = model_.data_wire(p);
    out.trimming = model_.network.trimming;
    return out;
  }

  const engine::Model& model_;
  const Time network_rtt_;
};

std::string table_of(std::size_t profile) {
  return profile == 0 ? "algorithm" : fmt::format("profile.{}", profile - 1);
}

}  // namespace

void warn_of_delay_targets(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  const Paths paths(model);
  std::vector<Limit> limits = limits_of(model);
  std::erase_if(limits, [&](const Limit& limit) {
    const host::Profile& p = model.profiles[limit.profile];
    const cc::FlowFacts longest = paths.longest(p);
    const cc::DelayTarget t = limit.of(model, p, longest, longest.base_rtt);
    return t.is_met();
  });
  if (limits.empty()) return;
  for_each_flow(s, model, [&](std::uint32_t src, std::uint32_t dst, Bytes, std::uint16_t profile) {
    for (Limit& limit : limits) {
      if (limit.profile != profile) continue;
      const host::Profile& p = model.profiles[profile];
      const cc::FlowFacts facts = paths.facts(p, src, dst);
      const cc::DelayTarget t = limit.of(model, p, facts, model.paths.one_way(src, dst, facts.wire));
      if (t.is_met()) continue;
      limit.flows.add(src, dst);
      if (limit.worst.least < t.least) limit.worst = t;
    }
    return true;
  });
  for (const Limit& limit : limits) {
    if (limit.flows.flows == 0) continue;
    const cc::DelayTarget& t = limit.worst;
    out.push_back(fmt::format(
        "the empty paths of {} of profile '{}' (the first: {}) take up to {}, {} the {} that {} lets them take: "
        "{}; the least {} that works is {}, and more leaves room for queues",
        limit.flows.flows == 1 ? "1 flow" : fmt::format("{} flows", limit.flows.flows),
        model.profiles[limit.profile].name, limit.flows.first, format_value(t.delay),
        t.delay > t.target ? "longer than" : "not below", format_value(t.target), t.setting, limit.effect,
        fmt::format("{}.{}", table_of(limit.profile), t.setting), format_value(t.least)));
  }
}

}  // namespace weir::scenario
