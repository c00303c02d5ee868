#include "weir/scenario/replica_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "weir/toml/document.h"

namespace weir::scenario {

InputError replica_error(const Scenario& s, const std::string& key, std::string_view what) {
  return key_error(s, key, fmt::format("{} under run.fidelity = \"{}\"", what, s.run.fidelity->name));
}

void hold(const Scenario& s, const std::string& table, const ParamSet& set, const void* object, const void* fixed,
          const std::vector<std::string_view>& free) {
  for (const Param& p : set.params()) {
    if (std::find(free.begin(), free.end(), p.name) != free.end()) continue;
    if (p.get(object) != p.get(fixed))
      throw replica_error(s, join(table, p.name),
                          fmt::format("it is '{}', but only '{}' is possible", format_value(p.get(object)),
                                      format_value(p.get(fixed))));
  }
}

void hold_profile(const Scenario& s) {
  if (s.profiles.size() > 1)
    throw replica_error(s, "profile.0", "all flows have the one profile of [algorithm]: remove this one");
  const host::RecoveryParams go_back_n;
  static const host::HostParams no_delays;
  hold(s, "host", params_of<host::HostParams>(), &s.host, &no_delays, {});
  hold(s, "algorithm.recovery", params_of<host::RecoveryParams>(), &s.profiles.front().recovery, &go_back_n, {});
  const host::BalancingParams ecmp;
  hold(s, "algorithm.load_balancing", params_of<host::BalancingParams>(), &s.profiles.front().balancing, &ecmp, {});
  if (s.profiles.front().sending.unsolicited.count > 0)
    throw replica_error(s, "algorithm.unsolicited", "receivers grant no credits");
  if (s.profiles.front().on_ramp) throw replica_error(s, "algorithm.on_ramp", "On-Ramp is not possible");
}

void hold_failures(const Scenario& s, std::string_view instead) {
  const auto none = [&](bool any, const std::string& key) {
    if (any)
      throw replica_error(s, key,
                          instead.empty() ? "it is not possible" : fmt::format("it is not possible; {}", instead));
  };
  none(!s.faults.failures.empty(), "network.failure.0");
  none(!s.faults.link_events.empty(), "network.link_event.0");
  if (!s.faults.host_pauses.empty()) throw replica_error(s, "host.pause.0", "pauses of hosts are not possible");
  if (!s.faults.slow_hosts.empty()) throw replica_error(s, "host.slow.0", "slow hosts are not possible");
  if (!s.classes.empty()) throw replica_error(s, "network.class.0", "classes are not possible");
}

}  // namespace weir::scenario
