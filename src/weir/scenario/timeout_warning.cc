#include "weir/scenario/timeout_warning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "weir/scenario/each_flow.h"

namespace weir::scenario {
namespace {

// The least timeout of a profile's flows, and the key that sets it.
struct LeastTimeout {
  Time time;
  std::string key;
};

LeastTimeout least_timeout(const engine::Model& model, std::size_t profile) {
  const host::RecoveryParams& recovery = model.profiles[profile].recovery;
  if (recovery.kind != host::RecoveryKind::irn) return {model.transport.min_rto, "transport.min_rto"};
  return {recovery.rto_low, profile == 0 ? "algorithm.recovery.rto_low"
                                         : fmt::format("rto_low of profile '{}'", model.profiles[profile].name)};
}

}  // namespace

void warn_of_short_timeouts(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  const Time of_hosts = model.host.answer_delay();
  const Time longest = model.paths.network_rtt(model.largest_data_wire(), model.largest_ack_wire()) + of_hosts;
  std::vector<LeastTimeout> least;
  bool any = false;
  for (std::size_t i = 0; i < model.profiles.size(); ++i) {
    least.push_back(least_timeout(model, i));
    any = any || least.back().time < longest;
  }
  if (!any) return;
  std::map<std::string, Time> worst;  // by key: the longest round trip
  for_each_flow(s, model, [&](std::uint32_t src, std::uint32_t dst, Bytes, std::uint16_t profile) {
    const host::Profile& p = model.profiles[profile];
    const Time rtt = model.paths.base_rtt(src, dst, model.data_wire(p), model.ack_wire(p)) + of_hosts;
    if (rtt <= least[profile].time) return true;
    Time& known = worst[least[profile].key];
    known = std::max(known, rtt);
    return true;
  });
  for (const auto& [key, rtt] : worst)
    out.push_back(fmt::format(
        "{} is below the round trip of the empty network of some flows, which is up to {}; {}", key, format_value(rtt),
        key == "transport.min_rto" ? "their timeouts follow from the round trips that they measure alone"
                                   : "they send again what is still under way; write more than that"));
}

}  // namespace weir::scenario
