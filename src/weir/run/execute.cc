#include "weir/run/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/run/execution.h"
#include "weir/scenario/fidelity.h"
#include "weir/toml/document.h"

namespace weir::run {

Outcome execute(const scenario::Scenario& s, probe::ResultDirectory* directory, const ExecutionOptions& options) {
  return execute(s, scenario::build_model(s), directory, options);
}

Outcome execute(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model,
                probe::ResultDirectory* directory, const ExecutionOptions& options) {
  if (options.checkpoints.is_on()) check_can_be_saved(s, "keeps checkpoints");
  if (options.checkpoints.is_on() && directory == nullptr) throw std::logic_error("checkpoints need a directory");
  return Execution(s, std::move(model), directory, options, nullptr).finish();
}

void check_can_be_saved(const scenario::Scenario& s, std::string_view what) {
  if (s.run.fidelity->can_be_saved) return;
  throw scenario::key_error(
      s, "run.fidelity",
      fmt::format("only {} {}", scenario::names_of([](const scenario::Fidelity& f) { return f.can_be_saved; }), what));
}

Unfinished read_unfinished(const std::string& folder, const std::vector<std::string>& overrides) {
  for (const std::string& override : overrides)
    if (!override.starts_with("run.threads=") && !override.starts_with("run.scheduler="))
      throw InputError(
          fmt::format("--set {}: a run goes on as it began; only run.threads and run.scheduler may be "
                      "others",
                      override));
  Unfinished out;
  out.checkpoint = read_checkpoint(folder);
  out.scenario = scenario::load_scenario_file(folder + "/scenario.toml", overrides);
  return out;
}

Outcome resume(Unfinished& unfinished, std::shared_ptr<const engine::Model> model, probe::ResultDirectory& directory,
               const ExecutionOptions& options) {
  Execution execution(unfinished.scenario, std::move(model), &directory, options, &unfinished.checkpoint);
  unfinished.checkpoint.state = {};
  return execution.finish();
}

std::string to_json(const Outcome& o) {
  nlohmann::ordered_json out;
  out["manifest"] = nlohmann::ordered_json::parse(probe::to_json(o.manifest));
  out["summary"] = nlohmann::ordered_json::parse(probe::to_json(o.summary));
  return out.dump(2) + "\n";
}

namespace {

// Links that were to go down or up when nothing was left to do; "" = none. What run.stop cuts off has been told before.
std::string late_events_text(const scenario::Scenario& s, Time end) {
  const auto& rows = s.faults.link_events;
  const auto late = std::count_if(rows.begin(), rows.end(), [&](const engine::LinkEventRow& row) {
    return row.time > end && (s.run.stop == Time{} || row.time < s.run.stop);
  });
  if (late == 0) return "";
  return fmt::format("{} of {} row{} of [[network.link_event]] change{} nothing: the run had ended before, at {}", late,
                     rows.size(), rows.size() == 1 ? "" : "s", late == 1 ? "s" : "", format_value(end));
}

}  // namespace

Outcome conclude(probe::ProbeSet& probes, const probe::RunClock& clock, const scenario::Scenario& s) {
  Outcome out;
  out.summary = probes.finish();
  out.manifest = probes.manifest(clock);
  out.manifest.title = s.title;
  out.manifest.notices = s.notices;
  out.manifest.fidelity = out.summary.fidelity = s.run.fidelity->name;
  if (out.manifest.stall) out.manifest.reason = engine::to_text(*out.manifest.stall);
  if (const std::string late = late_events_text(s, out.manifest.sim_time); !late.empty() && !out.manifest.interrupted)
    out.manifest.notices.push_back(late);
  return out;
}

Progress progress_of(const engine::Engine& engine) {
  const auto skipped = engine.fast_forward();
  return {.now = engine.now(), .counters = engine.counters(), .skipped = skipped ? skipped->unsent : 0};
}

double share_done(const Progress& progress, const scenario::Expected& expected, Time stop) {
  const auto& c = progress.counters;
  double out = -1;
  if (expected.is_estimable() && expected.packets > 0)
    out = static_cast<double>(c.data_packets - std::min(c.data_packets, c.retransmitted) + progress.skipped) /
          (static_cast<double>(expected.packets) * expected.of_all);
  // of an estimate, it is not known when all has been sent
  if (!expected.all) out = std::min(out, 0.99);
  if (stop > Time{}) out = std::max(out, progress.now.seconds() / stop.seconds());
  return std::min(out, 1.0);
}

}  // namespace weir::run
