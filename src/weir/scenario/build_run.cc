#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weir/probe/probe_set.h"
#include "weir/scenario/build.h"
#include "weir/scenario/fast_forward_rules.h"
#include "weir/scenario/fidelity.h"
#include "weir/toml/document.h"

namespace weir::scenario {
namespace {

void check_collectives(const Scenario& s, const traffic::Traffic& traffic) {
  const bool has_some = !traffic.program().empty() || !traffic.drivers().empty();
  if (!has_some && s.run.until == Until::collectives)
    throw key_error(s, "run.until",
                    "no traffic is a collective, so the run would not end; write \"flows\", or completion = true in a "
                    "[[traffic]]");
  if (has_some && !s.run.fidelity->runs_programs)
    throw key_error(s, "run.fidelity",
                    fmt::format("there are collectives, which only {} knows; write that, or take other traffic",
                                names_of([](const Fidelity& f) { return f.runs_programs; })));
  check_skipped_messages(s, traffic);
}

void check_trace(const Scenario& s) {
  if (s.run.fidelity->tells_events) return;
  if (const std::string key = s.probes.trace_key(); !key.empty())
    throw key_error(s, key,
                    fmt::format("only run.fidelity = {} tells single events; write that, or leave this out",
                                names_of([](const Fidelity& f) { return f.tells_events; })));
}

void check_packets(const Scenario& s) {
  if (s.run.fidelity->has_packets) return;
  for (const probe::ProbeKind& kind : probe::probe_kinds()) {
    if (!kind.needs_packets || s.probes.get(kind) == nullptr) continue;
    const std::string key = join("probes", kind.name);
    throw key_error(
        s, key,
        fmt::format("it measures packets, and there are none with run.fidelity = \"{}\"; write {}, or leave this "
                    "out",
                    s.run.fidelity->name, names_of([](const Fidelity& f) { return f.has_packets; })));
  }
}

bool needs_decisions(const engine::Model& model) {
  return std::any_of(model.profiles.begin(), model.profiles.end(),
                     [](const auto& profile) { return cc::has(profile.algorithm->about.needs, cc::Needs::decisions); });
}

std::unique_ptr<engine::Engine> build_engine(const Scenario& s, const engine::Model& model, traffic::Traffic& traffic,
                                             std::uint32_t partitions, bool traced = false,
                                             engine::Ranks* ranks = nullptr) {
  if (ranks != nullptr && skips(s))
    throw key_error(
        s, "run.fast_forward",
        "skips messages and time in one process only, and mpirun has started several; start one, or remove the table");
  const engine::RunOptions options{.threads = s.run.threads,
                                   .partitions = partitions,
                                   .scheduler = s.run.scheduler,
                                   .stop = s.run.stop > Time{} ? s.run.stop : Time::max(),
                                   .traced = traced || s.probes.need_trace() || needs_decisions(model),
                                   .shortest_interval = s.probes.shortest_interval(),
                                   .until_program = s.run.until == Until::collectives,
                                   .ranks = ranks,
                                   .fast_forward = s.fast_forward.value_or(engine::FastForwardParams{.theta = 0})};
  return s.run.fidelity->make(s, model, traffic, options);
}

Run prepare(const Scenario& s, std::shared_ptr<const engine::Model> model) {
  Run run;
  run.model = std::move(model);
  run.traffic = build_traffic(s, *run.model);
  check_collectives(s, *run.traffic);
  check_trace(s);
  check_packets(s);
  if (s.run.fidelity->for_each_flow != nullptr)
    s.run.fidelity->for_each_flow(s, *run.model, *run.traffic->clone(), [](const traffic::Flow&, bool) {});
  at_its_place(s, "probes", [&] { probe::check(s.probes, *run.model, run.tags()); });
  return run;
}

}  // namespace

Run build_for_copy(const Scenario& s, const Run& run, bool traced) {
  Run out{.model = run.model, .traffic = run.traffic->clone(), .simulation = nullptr};
  out.simulation = build_engine(s, *out.model, *out.traffic, run.simulation->partitions(), traced);
  return out;
}

Run prepare(const Scenario& s) { return prepare(s, build_model(s)); }

Run build(const Scenario& s) { return build(s, build_model(s)); }

Run build(const Scenario& s, std::shared_ptr<const engine::Model> model, std::uint32_t partitions, bool traced,
          engine::Ranks* ranks) {
  Run run = prepare(s, std::move(model));
  run.simulation = build_engine(s, *run.model, *run.traffic, partitions, traced, ranks);
  return run;
}

}  // namespace weir::scenario
