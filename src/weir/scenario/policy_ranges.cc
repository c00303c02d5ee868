#include "weir/scenario/policy_ranges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "weir/base/params.h"
#include "weir/scenario/each_flow.h"
#include "weir/scenario/outside_decisions.h"

namespace weir::scenario {
namespace {

constexpr double kTolerance = 1.25;

policy::Range<Time> widened(const policy::Range<Time>& range) {
  return {{static_cast<std::int64_t>(static_cast<double>(range.low.ps) / kTolerance)},
          {static_cast<std::int64_t>(static_cast<double>(range.high.ps) * kTolerance)}};
}

template <class T>
bool within(const policy::Range<T>& inner, const policy::Range<T>& outer) {
  return outer.has(inner.low) && outer.has(inner.high);
}

std::string text_of(std::int64_t value) { return fmt::format("{}", value); }
std::string text_of(Time value) { return format_value(value); }
std::string text_of(Rate value) { return format_value(value); }

template <class T>
std::string text_of(const policy::Range<T>& range) {
  if (range.low == range.high) return text_of(range.low);
  return fmt::format("{} to {}", text_of(range.low), text_of(range.high));
}

template <class T>
void compare(std::string_view what, const policy::Range<T>& found, const policy::Range<T>& trained,
             const policy::Range<T>& allowed, std::vector<std::string>& out) {
  if (!within(found, allowed)) out.push_back(fmt::format("{} of {} for {}", what, text_of(found), text_of(trained)));
}

}  // namespace

void include_path(const engine::Model& model, std::uint16_t profile, std::uint32_t src, std::uint32_t dst, bool empty,
                  policy::Trained& to) {
  const host::Profile& p = model.profiles[profile];
  const net::PathFacts path = model.paths.facts(src, dst);
  const Time base_rtt = model.paths.base_rtt(src, dst, model.data_wire(p), model.ack_wire(p));
  Rate line;
  for (const std::uint32_t port : model.routing.ports_of(src))
    line = std::max(line, model.topology.links[port / 2].rate);
  const std::int64_t hops = path.switches;
  if (empty) to = {{base_rtt, base_rtt}, {line, line}, {hops, hops}, to.flows};
  to.base_rtt.include(base_rtt);
  to.rate.include(line);
  to.rate.include(path.slowest);
  to.hops.include(hops);
}

void warn_of_policy_ranges(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  struct Found {
    const policy::Trained* trained = nullptr;  // null: nothing is to be compared
    std::uint64_t flows = 0;
    policy::Trained ranges;
  };
  std::vector<Found> profiles(model.profiles.size());
  bool any = false;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const cc::PccRl::Params* params = pcc_rl_params(s.profiles[i]);
    if (params == nullptr || params->maker != nullptr) continue;
    const auto& loaded = *static_cast<const cc::PccRl::Params*>(model.profiles[i].params.get());
    if (loaded.decider == nullptr || !loaded.decider->policy().trained) continue;
    profiles[i].trained = &*loaded.decider->policy().trained;
    any = true;
  }
  if (!any) return;
  for_each_flow(s, model, [&](std::uint32_t src, std::uint32_t dst, Bytes, std::uint16_t profile) {
    Found& found = profiles[profile];
    if (found.trained != nullptr) include_path(model, profile, src, dst, found.flows++ == 0, found.ranges);
    return true;
  });
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Found& found = profiles[i];
    if (found.flows == 0) continue;
    std::vector<std::string> differences;
    const policy::Trained& t = *found.trained;
    compare("a base RTT", found.ranges.base_rtt, t.base_rtt, widened(t.base_rtt), differences);
    compare("a rate", found.ranges.rate, t.rate, t.rate, differences);
    compare("a number of switches", found.ranges.hops, t.hops, t.hops, differences);
    if (differences.empty()) continue;
    out.push_back(
        fmt::format("the policy '{}' of profile '{}' was trained for other networks: paths here have {}; what it does "
                    "there nobody has tested",
                    pcc_rl_params(s.profiles[i])->policy, model.profiles[i].name, fmt::join(differences, ", ")));
  }
}

}  // namespace weir::scenario
