#include "weir/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "weir/base/archive.h"
#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/engine/time/simulation.h"
#include "weir/probe/probe_set.h"
#include "weir/probe/results.h"
#include "weir/result/tables.h"
#include "weir/run/checkpoint.h"
#include "weir/run/epoch_steps.h"
#include "weir/run/execute.h"
#include "weir/run/steering.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/scenario.h"

namespace weir {

struct Simulation::Parts {
  Parts(const Scenario& s, const SimulationOptions& o, std::string sum, scenario::Run&& built)
      : scenario(s),
        options(o),
        checksum(std::move(sum)),
        run(std::move(built)),
        files(o.tables ? probe::ResultDirectory::in_memory() : nullptr),
        probes(s.internal().probes, *run.simulation, run.tags(), files.get()) {}

  Scenario scenario;
  const SimulationOptions options;
  const std::string checksum;  // of the scenario and of its data files, as they were when the run was built
  const probe::RunClock clock;
  scenario::Run run;
  const std::unique_ptr<probe::ResultDirectory> files;  // null: tables are not kept
  probe::ProbeSet probes;
  bool has_ended = false;
};

namespace {

std::string checksum_of_all(const scenario::Scenario& s) {
  const auto effective = scenario::effective(s);
  std::string all = effective.toml;
  for (const auto& file : effective.attachments) all += checksum_of(file.content);
  return checksum_of(all);
}

scenario::Run build(const scenario::Scenario& s, bool events) {
  if (!events) return scenario::build(s);
  if (!s.run.fidelity->tells_events)
    throw scenario::key_error(
        s, "run.fidelity",
        fmt::format("the program reads single events, which only {} tells; write that, or read none",
                    scenario::names_of([](const scenario::Fidelity& f) { return f.tells_events; })));
  return scenario::build(s, scenario::build_model(s), 0, true);
}

// The tables among the files in memory.
std::map<std::string, std::string> take_tables(probe::ResultDirectory& files) {
  std::map<std::string, std::string> out = files.take_texts();
  std::erase_if(out, [](const auto& file) { return result::find_table(file.first) == nullptr; });
  return out;
}

// What a run has come to, as documents.
Result result_of(const run::Outcome& outcome, const result::Contents& contents, const char* if_interrupted) {
  return {.summary = probe::to_json(outcome.summary),
          .manifest = probe::to_json(outcome.manifest, contents),
          .is_whole = outcome.is_whole(),
          .reason = outcome.manifest.interrupted ? if_interrupted : outcome.manifest.reason,
          .tables = {}};
}

}  // namespace

Simulation::Simulation(const Scenario& scenario, const SimulationOptions& options)
    : parts_(std::make_unique<Parts>(scenario, options, checksum_of_all(scenario.internal()),
                                     build(scenario.internal(), options.events))) {}

Simulation::Simulation(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

engine::Engine& Simulation::engine() { return *parts_->run.simulation; }
const engine::Engine& Simulation::engine() const { return *parts_->run.simulation; }

bool Simulation::advance(Time until) { return parts_->has_ended = engine().advance(until); }

bool Simulation::advance(Time until, const std::function<bool()>& goes_on) {
  run::EpochSteps steps(engine().epoch());
  while (engine().now() < until) {
    parts_->has_ended = engine().advance_for(run::EpochSteps::kLongest, steps.next(engine().now(), until));
    if (parts_->has_ended) return true;
    steps.done();
    if (!goes_on()) return false;
  }
  return advance(until);
}

const std::vector<std::string>& Simulation::tags() const { return parts_->run.tags(); }

std::vector<std::string> Simulation::profiles() const {
  std::vector<std::string> out;
  for (const auto& profile : parts_->scenario.internal().profiles) out.push_back(profile.name);
  return out;
}

std::uint64_t Simulation::send(const NewFlow& flow) {
  const Time start = flow.start < Time{} ? engine().now() : flow.start;
  const traffic::Flow out =
      run::flow_of({.src = flow.src, .dst = flow.dst, .size = flow.size, .tag = flow.tag, .profile = flow.profile},
                   start, parts_->run.tags(), parts_->scenario.internal());
  const std::uint64_t id = engine().inject(out);
  parts_->has_ended = false;
  return id;
}

std::string Simulation::save() const {
  Saver a;
  a.text(run::build_of_weir());
  a.text(parts_->checksum);
  a.value(engine().partitions());
  a.value(parts_->options.tables);
  run::save(a, *parts_->run.simulation, parts_->probes);
  std::string out = a.take();
  return out + checksum_of(out);
}

void Simulation::restore(std::string_view saved) {
  if (engine().now() != Time{}) throw std::logic_error("a run that has begun cannot take the state of another one");
  const std::size_t checksum = checksum_of("").size();
  if (saved.size() < checksum ||
      checksum_of(saved.substr(0, saved.size() - checksum)) != saved.substr(saved.size() - checksum))
    throw InputError("the saved run is cut short or changed");
  Loader a(saved.substr(0, saved.size() - checksum));
  std::string text;
  a.text(text);
  if (text != run::build_of_weir())
    throw InputError(fmt::format("the saved run is of weir {}, and this is {}", text, run::build_of_weir()));
  a.text(text);
  if (text != parts_->checksum) throw InputError("the saved run is of another scenario");
  std::uint32_t partitions = 0;
  a.value(partitions);
  if (partitions != engine().partitions())
    throw InputError(fmt::format("the saved run is in {} partitions, and this one in {}; set run.threads alike",
                                 partitions, engine().partitions()));
  bool tables = false;
  a.value(tables);
  if (tables != parts_->options.tables)
    throw InputError(fmt::format("the saved run {} its tables, and this one {}; set SimulationOptions::tables alike",
                                 tables ? "keeps" : "does not keep", tables ? "does not" : "does"));
  run::load(a.rest(), engine(), parts_->probes);
}

Simulation Simulation::clone(const std::function<void(engine::Engine&)>& prepare) const {
  auto parts = std::make_unique<Parts>(
      parts_->scenario, parts_->options, parts_->checksum,
      scenario::build_for_copy(parts_->scenario.internal(), parts_->run, parts_->options.events));
  if (prepare) prepare(*parts->run.simulation);
  Saver a;
  run::save(a, *parts_->run.simulation, parts_->probes);
  run::load(a.content(), *parts->run.simulation, parts->probes);
  return Simulation(std::move(parts));
}

Result Simulation::finish() {
  run::Outcome outcome = run::conclude(parts_->probes, parts_->clock, parts_->scenario.internal());
  outcome.manifest.interrupted = !parts_->has_ended;
  Result out = result_of(outcome, {}, "finished early");
  if (parts_->files) out.tables = take_tables(*parts_->files);
  return out;
}

namespace {

// To say how much of a run is done: drawing so many takes about 0.1 s.
constexpr std::uint64_t kFlowsToExpect = 1'000'000;

}  // namespace

Result execute(const Scenario& scenario, const ExecuteOptions& options) {
  const scenario::Scenario& s = scenario.internal();
  const bool on_disk = !options.directory.empty();
  std::unique_ptr<probe::ResultDirectory> directory;
  if (on_disk)
    directory = std::make_unique<probe::ResultDirectory>(options.directory);
  else if (options.tables)
    directory = probe::ResultDirectory::in_memory();
  const auto model = scenario::build_model(s);
  run::ExecutionOptions execution{.prepare = options.prepare};
  scenario::Expected expected;
  if (options.progress) {
    expected = scenario::expect(s, *model, kFlowsToExpect);
    execution.progress = [&](Progress progress) {
      progress.done = run::share_done(progress, expected, s.run.stop);
      return options.progress(progress);
    };
  }
  const run::Outcome outcome = run::execute(s, model, directory.get(), execution);
  if (on_disk) directory->commit();
  Result out = result_of(outcome, on_disk ? directory->contents() : result::Contents(), "cancelled");
  if (directory && !on_disk) out.tables = take_tables(*directory);
  return out;
}

}  // namespace weir
