#include "weir/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include <nlohmann/json.hpp>

#include "weir/memory_limit.h"
#include "weir/probe/probes.h"
#include "weir/scenario/effective.h"
#include "weir/signals.h"

namespace weir::app {
namespace {

using Clock = std::chrono::steady_clock;

double thread_cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Advances by whole epochs, so many at a time as take about 50 ms. Returns why it ended early, if no signal ended it.
std::string advance(engine::Engine& simulation, const ExecuteOptions& options, int& signal) {
  std::int64_t epochs = 1;
  const Time epoch = simulation.epoch();
  for (;;) {
    const auto begin = Clock::now();
    const bool ended = simulation.advance((simulation.now() / epoch + epochs) * epoch);
    if (options.look) options.look({simulation.now(), simulation.counters()});
    if (ended) return "";
    signal = pending_signal();
    if (signal != 0) return "";
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

Outcome execute(const scenario::Scenario& s, std::unique_ptr<engine::Model> model, probe::ResultDirectory* directory,
                const ExecuteOptions& options) {
  const double cpu_before = thread_cpu_s();
  scenario::Run run = scenario::build(s, std::move(model));
  if (directory != nullptr) {
    const auto effective = scenario::effective(s);
    directory->write("scenario.toml", effective.toml);
    for (const auto& file : effective.attachments) directory->write(file.name, file.content);
  }
  probe::Probes probes(s.probes, *run.simulation, run.tags, directory);

  Outcome outcome;
  const std::string reason = advance(*run.simulation, options, outcome.signal);
  outcome.summary = probes.finish();
  outcome.manifest = probes.manifest(options.clock);
  outcome.manifest.title = s.title;
  outcome.manifest.interrupted = outcome.signal != 0;
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

std::string engine_text(const probe::Manifest& m) {
  const auto& c = m.counters;
  return fmt::format(
      "network  {} packet-hops, {} dropped, {} trimmed, {} lost, {} marked, {} retransmitted, {} timeouts, {} pauses\n"
      "engine   {:.2f} s on {} thread{}, {:.2f} s of processor time: {:.2f} M packet-hops per processor second; "
      "{:.0f} MB of memory\n"
      "digest   {:016x}\n",
      c.packet_hops, c.dropped, c.trimmed, c.lost, c.marked, c.retransmitted, c.timeouts, c.pauses, m.wall_s, m.threads,
      m.threads == 1 ? "" : "s", m.cpu_s, static_cast<double>(c.packet_hops) / m.cpu_s * 1e-6,
      static_cast<double>(m.max_rss_bytes) * 1e-6, m.digest);
}

}  // namespace weir::app
