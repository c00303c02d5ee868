#include "weir/run/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <system_error>
#include <utility>

#include "weir/base/archive.h"
#include "weir/base/error.h"
#include "weir/result/directory.h"
#include "weir/run/epoch_steps.h"
#include "weir/run/fork.h"
#include "weir/run/memory_limit.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/fidelity.h"

namespace weir::run {
namespace {

double thread_cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

Execution::Execution(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model,
                     probe::ResultDirectory* directory, const ExecutionOptions& options, const Checkpoint* from,
                     std::uint32_t partitions)
    : cpu_before_(thread_cpu_s()),
      scenario_(s),
      directory_(directory),
      options_(options),
      together_(options.ranks),
      clock_(from != nullptr ? from->wall_s : 0, from != nullptr ? from->cpu_s : 0),
      run_(scenario::build(s, std::move(model), from != nullptr ? from->partitions : partitions, options.traced,
                           options.ranks)) {
  if (from != nullptr && directory_ != nullptr && !directory_->is_nowhere())
    forked_at_ = fork_time(directory_->partial());
  if (directory_ != nullptr) store_scenario(from != nullptr);
  probes_.emplace(s.probes, *run_.simulation, run_.tags(), directory_);
  if (options.prepare) options.prepare(*run_.simulation);
  if (from != nullptr) load(from->state, *run_.simulation, *probes_);
  if (from != nullptr && directory_ != nullptr) directory_->has_gone_on();
}

Outcome Execution::finish() {
  const std::string reason = advance(Time::max());
  return end(cancelled_, reason);
}

Outcome Execution::end(bool cancelled, const std::string& reason, std::uint64_t changes) {
  if (options_.conclude) options_.conclude(*run_.simulation);
  // A run that can still go on elsewhere, or later, does so from here.
  const bool goes_on = (cancelled || !reason.empty()) && run_.simulation->stall() == nullptr;
  if (goes_on && options_.checkpoints.is_on()) keep();
  Outcome outcome = conclude(*probes_, clock_, scenario_);
  outcome.manifest.forked_at = forked_at_;
  outcome.manifest.changes = outcome.summary.changes = changes;
  outcome.manifest.interrupted = cancelled;
  if (!outcome.manifest.stall) outcome.manifest.reason = reason;
  if (options_.ranks != nullptr) {
    const auto cpu_us = static_cast<std::uint64_t>(outcome.manifest.cpu_s * 1e6);
    outcome.manifest.cpu_s = 1e-6 * static_cast<double>(together_.sum(cpu_us));
    outcome.manifest.max_rss_bytes = together_.sum(outcome.manifest.max_rss_bytes);
  }
  if (options_.own_thread) outcome.manifest.cpu_s = thread_cpu_s() - cpu_before_;
  if (directory_ != nullptr) probe::store(*directory_, outcome.summary, outcome.manifest);
  if (directory_ != nullptr && !goes_on) directory_->has_ended();
  outcome.checkpoint_problem = std::move(problem_);
  return outcome;
}

std::optional<Checkpoint> Execution::state_at(Time at) {
  engine::Engine& simulation = *run_.simulation;
  const Time end = at / simulation.epoch() * simulation.epoch();
  const std::string reason = advance(end);
  if (cancelled_) return std::nullopt;
  if (!reason.empty()) throw InputError(reason);
  if (simulation.stall() != nullptr) throw InputError(engine::to_text(*simulation.stall()));
  if (simulation.now() < end)
    throw InputError(fmt::format("the run ends at {}; choose an earlier instant", format_value(simulation.now())));
  return state();
}

Checkpoint Execution::state() {
  engine::Engine& simulation = *run_.simulation;
  Checkpoint out{.partitions = simulation.partitions(),
                 .now = simulation.now(),
                 .wall_s = clock_.wall_s(),
                 .cpu_s = clock_.cpu_s(),
                 .rhythm = {},
                 .state = {}};
  Saver a;
  save(a, simulation, *probes_);
  out.state = a.take();
  return out;
}

std::string Execution::lack_of_memory() const {
  if (options_.memory == 0 || memory_resident() <= options_.memory) return "";
  return fmt::format("it took more than {:.0f} MB of memory, its limit (--memory sets another)",
                     static_cast<double>(options_.memory) * 1e-6);
}

// Of a run that goes on its files are there.
void Execution::store_scenario(bool is_there) {
  const auto effective = scenario::effective(scenario_);
  if (!is_there) {
    directory_->write("scenario.toml", effective.toml);
    for (const auto& file : effective.attachments) directory_->write(file.name, file.content);
    return;
  }
  directory_->adopt("scenario.toml");
  for (const auto& file : effective.attachments) directory_->adopt(file.name);
  if (forked_at_)
    for (const std::string_view name : {result::kFork, result::kBeforeFork}) directory_->adopt(name);
}

std::string Execution::advance(Time limit) {
  engine::Engine& simulation = *run_.simulation;
  const Time epoch = simulation.epoch();
  EpochSteps steps(epoch);
  // If nobody is to be asked, what is done does not depend on how fast it goes.
  const bool is_watched = options_.progress || options_.memory > 0 || options_.checkpoints.wall_s > 0;
  kept_ = simulation.now();
  kept_wall_s_ = clock_.wall_s();
  while (simulation.now() < limit) {
    Time until = is_watched ? steps.next(simulation.now(), limit) : limit;
    if (options_.checkpoints.simulated > Time{})
      until = std::min(until, std::max((simulation.now() / epoch + 1) * epoch, next_checkpoint() / epoch * epoch));
    until = {together_.of_first(std::min(until, starvation_.next(epoch)).ps)};
    const bool ended = is_watched ? simulation.advance_for(EpochSteps::kLongest, until) : simulation.advance(until);
    if (std::string text = starvation_.look(simulation); options_.tell && !text.empty()) options_.tell(text);
    const bool goes_on = !options_.progress || options_.progress(progress_of(simulation));
    if (ended) return "";
    cancelled_ = together_.any(!goes_on);
    if (cancelled_) return "";
    if (std::string reason = together_.first_text(lack_of_memory()); !reason.empty()) return reason;
    if (is_checkpoint_due()) keep();
    steps.done();
  }
  return "";
}

bool Execution::is_checkpoint_due() const {
  const CheckpointRhythm& rhythm = options_.checkpoints;
  if (rhythm.wall_s > 0 && together_.of_first(clock_.wall_s() - kept_wall_s_ >= rhythm.wall_s) != 0) return true;
  const Time epoch = run_.simulation->epoch();
  return rhythm.simulated > Time{} && run_.simulation->now() + epoch > next_checkpoint();
}

// A full disk, say, may have room again, and the results may still have: the run goes on without.
void Execution::keep() {
  try {
    keep_checkpoint(*directory_, *run_.simulation, *probes_, clock_, options_.checkpoints);
    problem_.clear();
  } catch (const std::system_error& error) {
    problem_ = error.what();
  }
  kept_ = run_.simulation->now();
  kept_wall_s_ = clock_.wall_s();
}

}  // namespace weir::run
