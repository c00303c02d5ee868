#include "weir/run/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/probe/probes.h"
#include "weir/run/memory_limit.h"
#include "weir/scenario/document.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/fidelity.h"

namespace weir::run {
namespace {

using Clock = std::chrono::steady_clock;

double thread_cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// A run between its beginning, or a checkpoint, and its end.
class Execution {
 public:
  Execution(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model, probe::ResultDirectory* directory,
            const ExecuteOptions& options, const Checkpoint* from)
      : scenario_(s),
        directory_(directory),
        options_(options),
        clock_(from != nullptr ? from->wall_s : 0, from != nullptr ? from->cpu_s : 0),
        run_(scenario::build(s, std::move(model), from != nullptr ? from->partitions : 0)) {
    if (directory_ != nullptr) store_scenario(from != nullptr);
    probes_.emplace(s.probes, *run_.simulation, run_.tags, directory_);
    if (from != nullptr) go_on_from(*from, *run_.simulation, *probes_);
    if (from != nullptr) directory_->has_gone_on();
  }

  Outcome finish() {
    Outcome outcome;
    bool cancelled = false;
    const std::string reason = advance(cancelled);
    // A run that can still go on elsewhere, or later, does so from here.
    const bool goes_on = (cancelled || !reason.empty()) && run_.simulation->stall() == nullptr;
    if (goes_on && options_.checkpoints.is_on()) keep();
    outcome.summary = probes_->finish();
    outcome.manifest = probes_->manifest(clock_);
    outcome.manifest.title = scenario_.title;
    outcome.manifest.interrupted = cancelled;
    outcome.manifest.reason = outcome.manifest.stall ? engine::to_text(*outcome.manifest.stall) : reason;
    if (options_.own_thread) outcome.manifest.cpu_s = thread_cpu_s() - cpu_before_;
    if (directory_ != nullptr) probe::store(*directory_, outcome.summary, outcome.manifest);
    if (directory_ != nullptr && !goes_on) directory_->has_ended();
    outcome.checkpoint_problem = std::move(problem_);
    return outcome;
  }

 private:
  // Of a run that goes on its files are there.
  void store_scenario(bool is_there) {
    const auto effective = scenario::effective(scenario_);
    if (is_there) {
      directory_->adopt("scenario.toml");
      for (const auto& file : effective.attachments) directory_->adopt(file.name);
      return;
    }
    directory_->write("scenario.toml", effective.toml);
    for (const auto& file : effective.attachments) directory_->write(file.name, file.content);
  }

  // Advances by whole epochs, so many at a time as take about 50 ms. Returns why it ended early, if it was not
  // cancelled.
  std::string advance(bool& cancelled) {
    engine::Engine& simulation = *run_.simulation;
    std::int64_t epochs = 1;
    const Time epoch = simulation.epoch();
    kept_ = simulation.now();
    kept_wall_s_ = clock_.wall_s();
    for (;;) {
      const auto begin = Clock::now();
      Time until = (simulation.now() / epoch + epochs) * epoch;
      if (options_.checkpoints.simulated > Time{})
        until = std::min(until, std::max((simulation.now() / epoch + 1) * epoch, next_checkpoint() / epoch * epoch));
      const bool ended = simulation.advance(until);
      if (options_.look) options_.look({simulation.now(), simulation.counters()});
      if (ended) return "";
      cancelled = options_.cancelled && options_.cancelled();
      if (cancelled) return "";
      if (options_.memory > 0 && memory_resident() > options_.memory)
        return fmt::format("it took more than {:.0f} MB of memory, its limit (--memory sets another)",
                           static_cast<double>(options_.memory) * 1e-6);
      if (is_checkpoint_due()) keep();
      const std::chrono::duration<double> took = Clock::now() - begin;
      if (took.count() < 0.04) epochs = std::min<std::int64_t>(epochs * 2, 1 << 20);
      if (took.count() > 0.1) epochs = std::max<std::int64_t>(epochs / 2, 1);
    }
  }

  Time next_checkpoint() const { return kept_ + options_.checkpoints.simulated; }
  bool is_checkpoint_due() const {
    const CheckpointRhythm& rhythm = options_.checkpoints;
    if (rhythm.wall_s > 0 && clock_.wall_s() - kept_wall_s_ >= rhythm.wall_s) return true;
    const Time epoch = run_.simulation->epoch();
    return rhythm.simulated > Time{} && run_.simulation->now() + epoch > next_checkpoint();
  }
  // A full disk, say, may have room again, and the results may still have: the run goes on without.
  void keep() {
    try {
      keep_checkpoint(*directory_, *run_.simulation, *probes_, clock_, options_.checkpoints);
      problem_.clear();
    } catch (const std::system_error& error) {
      problem_ = error.what();
    }
    kept_ = run_.simulation->now();
    kept_wall_s_ = clock_.wall_s();
  }

  const double cpu_before_ = thread_cpu_s();
  const scenario::Scenario& scenario_;
  probe::ResultDirectory* const directory_;
  const ExecuteOptions& options_;
  const probe::RunClock clock_;
  scenario::Run run_;
  std::optional<probe::Probes> probes_;
  Time kept_;  // the last checkpoint, or where the run began
  double kept_wall_s_ = 0;
  std::string problem_;  // why the last checkpoint was not kept
};

}  // namespace

Outcome execute(const scenario::Scenario& s, probe::ResultDirectory* directory, const ExecuteOptions& options) {
  return execute(s, scenario::build_model(s), directory, options);
}

Outcome execute(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model,
                probe::ResultDirectory* directory, const ExecuteOptions& options) {
  check_checkpoints(s, options.checkpoints);
  if (options.checkpoints.is_on() && directory == nullptr) throw std::logic_error("checkpoints need a directory");
  return Execution(s, std::move(model), directory, options, nullptr).finish();
}

void check_checkpoints(const scenario::Scenario& s, const CheckpointRhythm& rhythm) {
  if (!rhythm.is_on() || s.run.fidelity->can_be_saved) return;
  scenario::fail_key(s.place("run.fidelity"), "run.fidelity",
                     fmt::format("only {} keeps checkpoints; write that, or leave out --checkpoint",
                                 scenario::names_of([](const scenario::Fidelity& f) { return f.can_be_saved; })));
}

Unfinished read_unfinished(const probe::ResultDirectory& directory, const std::vector<std::string>& overrides) {
  for (const std::string& override : overrides)
    if (!override.starts_with("run.threads=") && !override.starts_with("run.scheduler="))
      throw InputError(
          fmt::format("--set {}: a run goes on as it began; only run.threads and run.scheduler may be "
                      "others",
                      override));
  Unfinished out;
  out.checkpoint = read_checkpoint(directory.partial());
  out.scenario = scenario::load_scenario_file(directory.partial() + "/scenario.toml", overrides);
  return out;
}

Outcome resume(Unfinished& unfinished, std::shared_ptr<const engine::Model> model, probe::ResultDirectory& directory,
               const ExecuteOptions& options) {
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

double share_done(const Pace& pace, const scenario::Expected& expected, Time stop) {
  const auto& c = pace.counters;
  double out = -1;
  if (expected.is_estimable() && expected.packets > 0)
    out = static_cast<double>(c.data_packets - std::min(c.data_packets, c.retransmitted)) /
          (static_cast<double>(expected.packets) * expected.of_all);
  // of an estimate, it is not known when all has been sent
  if (!expected.all) out = std::min(out, 0.99);
  if (stop > Time{}) out = std::max(out, pace.now.seconds() / stop.seconds());
  return std::min(out, 1.0);
}

}  // namespace weir::run
