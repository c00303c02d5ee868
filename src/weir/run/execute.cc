#include "weir/run/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include <nlohmann/json.hpp>

#include "weir/probe/probes.h"
#include "weir/run/memory_limit.h"
#include "weir/scenario/effective.h"

namespace weir::run {
namespace {

using Clock = std::chrono::steady_clock;

double thread_cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Advances by whole epochs, so many at a time as take about 50 ms. Returns why it ended early, if it was not cancelled.
std::string advance(engine::Engine& simulation, const ExecuteOptions& options, bool& cancelled) {
  std::int64_t epochs = 1;
  const Time epoch = simulation.epoch();
  for (;;) {
    const auto begin = Clock::now();
    const bool ended = simulation.advance((simulation.now() / epoch + epochs) * epoch);
    if (options.look) options.look({simulation.now(), simulation.counters()});
    if (ended) return "";
    cancelled = options.cancelled && options.cancelled();
    if (cancelled) return "";
    if (options.memory > 0 && memory_resident() > options.memory)
      return fmt::format("it took more than {:.0f} MB of memory, its limit (--memory sets another)",
                         static_cast<double>(options.memory) * 1e-6);
    const std::chrono::duration<double> took = Clock::now() - begin;
    if (took.count() < 0.04) epochs = std::min<std::int64_t>(epochs * 2, 1 << 20);
    if (took.count() > 0.1) epochs = std::max<std::int64_t>(epochs / 2, 1);
  }
}

}  // namespace

Outcome execute(const scenario::Scenario& s, probe::ResultDirectory* directory, const ExecuteOptions& options) {
  return execute(s, scenario::build_model(s), directory, options);
}

Outcome execute(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model,
                probe::ResultDirectory* directory, const ExecuteOptions& options) {
  const probe::RunClock clock;
  const double cpu_before = thread_cpu_s();
  scenario::Run run = scenario::build(s, std::move(model));
  if (directory != nullptr) {
    const auto effective = scenario::effective(s);
    directory->write("scenario.toml", effective.toml);
    for (const auto& file : effective.attachments) directory->write(file.name, file.content);
  }
  probe::Probes probes(s.probes, *run.simulation, run.tags, directory);

  Outcome outcome;
  bool cancelled = false;
  const std::string reason = advance(*run.simulation, options, cancelled);
  outcome.summary = probes.finish();
  outcome.manifest = probes.manifest(clock);
  outcome.manifest.title = s.title;
  outcome.manifest.interrupted = cancelled;
  outcome.manifest.reason = outcome.manifest.stall ? engine::to_text(*outcome.manifest.stall) : reason;
  if (options.own_thread) outcome.manifest.cpu_s = thread_cpu_s() - cpu_before;
  if (directory != nullptr) probe::store(*directory, outcome.summary, outcome.manifest);
  return outcome;
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
