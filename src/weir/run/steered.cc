#include "weir/run/steered.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/result/directory.h"
#include "weir/run/change_rules.h"
#include "weir/run/epoch_steps.h"
#include "weir/run/execution.h"
#include "weir/scenario/effective.h"
#include "weir/toml/document.h"
#include "weir/toml/writer.h"

namespace weir::run {
namespace {

// Of a scenario in text, links that go down or up at that instant.
std::string with_links(std::string toml, const TurnedLinks& links, Time at) {
  toml += "\n[[network.link_event]]\n";
  toml += fmt::format("time = {}\na = {}\nb = {}\nstate = \"{}\"\n", scenario::toml_text(format_value(at)), links.a,
                      links.b, links.state == engine::LinkState::down ? "down" : "up");
  return toml;
}

}  // namespace

// In one part, as a fork is: by which rules a packet under way is judged at the far end of its link depends on the
// division.
SteeredRun::SteeredRun(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model,
                       probe::ResultDirectory& directory, const ExecutionOptions& options)
    : directory_(directory),
      options_(options),
      model_(model),
      scenario_(std::make_unique<const scenario::Scenario>(s)),
      execution_(std::make_unique<Execution>(*scenario_, std::move(model), &directory, options, nullptr, 1)) {}

SteeredRun::~SteeredRun() = default;

engine::Engine& SteeredRun::engine() { return execution_->engine(); }
const scenario::Scenario& SteeredRun::scenario() const { return *scenario_; }
probe::ProbeSet& SteeredRun::probes() { return execution_->probes(); }
const std::vector<std::string>& SteeredRun::tags() const { return execution_->tags(); }
bool SteeredRun::advance(Time until) {
  assert(until == Time::max() || until.ps % engine().epoch().ps == 0);
  return engine().advance(until);
}
std::string SteeredRun::lack_of_memory() const { return execution_->lack_of_memory(); }

void SteeredRun::apply(Change change) {
  change.at = engine().now();
  if (engine().stall() != nullptr) throw InputError(engine::to_text(*engine().stall()));
  const std::string toml = scenario::effective(*scenario_).toml;
  if (const auto* flow = std::get_if<SentFlow>(&change.what)) {
    engine().inject(flow_of(*flow, change.at, tags(), *scenario_));
  } else {
    if (const auto* links = std::get_if<TurnedLinks>(&change.what))
      turn(*links, toml);
    else
      go_on_with(toml, std::get<SetKeys>(change.what).assignments);
  }
  if (changes_.empty()) directory_.write(result::kBeforeFork, toml);
  changes_.push_back(std::move(change));
  directory_.write(result::kSteering, to_toml(changes_));
}

std::vector<std::pair<std::string, std::string>> SteeredRun::changeable() const {
  return changeable_keys(*scenario_, scenario::effective(*scenario_).toml);
}

// Complaints are about the links, not about the rows that stand for them here.
void SteeredRun::turn(const TurnedLinks& links, const std::string& toml) {
  try {
    go_on_with(with_links(toml, links, engine().now()), {});
  } catch (const InputError& error) {
    const std::string& reason = error.reason();
    const auto key = reason.starts_with("key '") ? reason.find("': ") : std::string::npos;
    throw InputError(key == std::string::npos ? reason : reason.substr(key + 3));
  }
}

// All that can be wrong with the new scenario is found before the run is left.
void SteeredRun::go_on_with(const std::string& toml, const std::vector<std::string>& overrides) {
  const Time now = engine().now();
  const std::string file = directory_.partial() + "/scenario.toml";
  auto after = std::make_unique<const scenario::Scenario>(scenario::load_scenario(toml, file, overrides));
  const scenario::Effective was = scenario::effective(*scenario_);
  const scenario::Effective is = scenario::effective(*after);
  const std::vector<ChangedKey> keys = changed_keys(was.toml, is.toml);
  if (keys.empty()) throw InputError("nothing would be changed by that");
  check_keys(*scenario_, *after, keys);
  check_files(was.attachments, is.attachments);
  if (after->run.stop > Time{} && after->run.stop <= now)
    throw scenario::key_error(after->place("run.stop"), "run.stop",
                              fmt::format("the run is at {}; write a later time, or 0", format_value(now)));
  const auto model = scenario::build_model(*after);
  check_past(*after, now, model_->faults, model->faults);

  Checkpoint state = execution_->state();
  execution_.reset();
  directory_.write("scenario.toml", is.toml);
  directory_.keep_files();
  try {
    execution_ = std::make_unique<Execution>(*after, model, &directory_, options_, &state);
  } catch (const InputError&) {
    directory_.write("scenario.toml", was.toml);
    directory_.keep_files();
    execution_ = std::make_unique<Execution>(*scenario_, model_, &directory_, options_, &state);
    throw;
  }
  scenario_ = std::move(after);
  model_ = model;
}

Outcome SteeredRun::finish(bool cancelled, const std::string& reason) {
  return execution_->end(cancelled, reason, changes_.size());
}

Outcome execute_steered(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model,
                        probe::ResultDirectory& directory, const ExecutionOptions& options,
                        const std::vector<Change>& changes) {
  SteeredRun run(s, std::move(model), directory, options);
  EpochSteps steps(run.engine().epoch());
  auto next = changes.begin();
  const auto error_of = [&](const std::string& what) {
    return InputError(fmt::format("the change at {}: {}", format_value(next->at), what));
  };
  for (; next != changes.end(); ++next)
    if (next->at.ps % run.engine().epoch().ps != 0)
      throw error_of(
          fmt::format("changes are made between epochs, which are {} long", format_value(run.engine().epoch())));
  for (next = changes.begin();;) {
    const Time now = run.engine().now();
    for (; next != changes.end() && next->at == now; ++next) try {
        run.apply(*next);
      } catch (const InputError& error) {
        throw error_of(error.what());
      }
    const Time limit = next == changes.end() ? Time::max() : next->at;
    const bool ended = run.advance(steps.next(now, limit));
    const bool goes_on = !options.progress || options.progress(progress_of(run.engine()));
    if (ended && next != changes.end())
      throw error_of(fmt::format("the run has ended at {}", format_value(run.engine().now())));
    if (ended) return run.finish();
    if (!goes_on) return run.finish(true);
    if (const std::string reason = run.lack_of_memory(); !reason.empty()) return run.finish(false, reason);
    steps.done();
  }
}

}  // namespace weir::run
