#include "weir/scenario/fast_forward_rules.h"

#include <fmt/format.h>

#include "weir/probe/catalogue.h"
#include "weir/scenario/fidelity.h"
#include "weir/toml/document.h"

namespace weir::scenario {
namespace {

constexpr std::string_view kKey = "run.fast_forward";

InputError beside_error(const Scenario& s, const std::string& key, std::string_view why) {
  return key_error(
      s, key, fmt::format("with [run.fast_forward] some packets are not sent, and {}; remove one of the two", why));
}

}  // namespace

bool skips(const Scenario& s) { return s.fast_forward && s.fast_forward->is_on(); }

void check_fast_forward(const Scenario& s, const engine::Model& model) {
  if (!skips(s)) return;
  if (!s.run.fidelity->can_skip)
    throw key_error(
        s, kKey,
        fmt::format("only run.fidelity = {} skips anything, and this scenario has \"{}\"; write that, or remove "
                    "the table",
                    names_of([](const Fidelity& f) { return f.can_skip; }), s.run.fidelity->name));
  for (const probe::ProbeKind& kind : probe::probe_kinds())
    if (!kind.is_always_on && s.probes.get(kind) != nullptr)
      throw beside_error(s, join("probes", kind.name), "this probe would not see them");
  const auto none = [&](bool any, const std::string& key, std::string_view why) {
    if (any) throw beside_error(s, key, why);
  };
  none(!s.faults.loss.empty(), "network.loss.0", "would lose no packet");
  none(!s.faults.failures.empty(), "network.failure.0", "would not notice that links fail");
  none(!s.faults.link_events.empty(), "network.link_event.0", "would not notice that links go down");
  none(!s.faults.host_pauses.empty(), "host.pause.0", "would not notice that hosts pause");
  none(!s.faults.slow_hosts.empty(), "host.slow.0", "would not notice that hosts are slow");
  for (std::size_t i = 0; i < model.profiles.size(); ++i) {
    none(model.profiles[i].unsolicited.count > 0,
         fmt::format("{}.unsolicited", i == 0 ? "algorithm" : fmt::format("profile.{}", i - 1)),
         "would ask for no credits");
    none(cc::has(model.profiles[i].algorithm->about.needs, cc::Needs::decisions),
         i == 0 ? "algorithm.name" : fmt::format("profile.{}.algorithm", i - 1), "nobody would be asked about them");
  }
}

// In a ring of 16 hosts DCQCN's messages take as long as each other for 16 steps, and then longer and longer for a
// hundred (docs/guides/fast-forward.md).
void check_skipped_messages(const Scenario& s, const traffic::Traffic& traffic) {
  if (!skips(s)) return;
  const auto check = [&](std::uint16_t profile) {
    if (!s.profiles[profile].algorithm->about.name.starts_with("dcqcn")) return;
    throw beside_error(s, profile == 0 ? "algorithm.name" : fmt::format("profile.{}.algorithm", profile - 1),
                       "messages under DCQCN go on changing when they seem to repeat: a ring ended a fifth too early");
  };
  const traffic::Program& program = traffic.program();
  for (std::uint32_t node = 0; node < program.size(); ++node) check(program[node].profile);
  for (const auto& driver : traffic.drivers())
    driver->each_pair([&](const traffic::Message& message) {
      check(message.profile);
      return false;  // all of a table's messages are of one profile
    });
}

void check_sends_all(const Scenario& s, std::string_view option) {
  if (skips(s))
    throw InputError(fmt::format(
        "{}: with [run.fast_forward] some packets are not sent, and would be missing; remove one of the two", option));
}

void warn_of_fast_forward(const Scenario& s, std::vector<std::string>& out) {
  if (skips(s))
    out.emplace_back(
        "[run.fast_forward]: messages of collectives that repeat take as long as before and are not sent again, and "
        "spans in which all flows are steady are left out; summary.json tells how many and how far checked ones are "
        "off, docs/guides/fast-forward.md when to trust that");
}

}  // namespace weir::scenario
