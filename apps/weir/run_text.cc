#include "weir/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/cc/plugin.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/probe/probe_set.h"
#include "weir/progress.h"
#include "weir/run/memory_limit.h"
#include "weir/scenario/ecn_choice.h"
#include "weir/signals.h"

namespace weir::app {

int status_of(const run::Outcome& o) {
  if (o.manifest.interrupted) return 128 + (pending_signal() != 0 ? pending_signal() : SIGINT);
  return o.is_whole() ? 0 : 1;
}

std::string early_end_text(const run::Outcome& o) {
  if (o.is_whole()) return "";
  const double ms = o.manifest.sim_time.seconds() * 1e3;
  return o.manifest.interrupted ? fmt::format("interrupted at {:.3f} ms", ms)
                                : fmt::format("ended at {:.3f} ms: {}", ms, o.manifest.reason);
}

std::string engine_text(const probe::Manifest& m) {
  const auto& c = m.counters;
  const std::string_view s = m.threads == 1 ? "" : "s";
  const double memory = static_cast<double>(m.max_rss_bytes) * 1e-6;
  if (c.packet_hops == 0)
    return fmt::format(
        "network  no packets, run.fidelity = \"{}\"\n"
        "engine   {:.2f} s on {} thread{}, {:.4f} s of processor time: {} events; {:.0f} MB of memory\n"
        "digest   {:016x}\n",
        m.fidelity, m.wall_s, m.threads, s, m.cpu_s, c.events, memory, m.digest);
  return fmt::format(
      "network  {} packet-hops; switches dropped {} packets and trimmed {}, links lost {}; {} data packets arrived "
      "marked; {} retransmitted, {} timeouts, {} pauses\n"
      "engine   {:.2f} s on {} thread{}, {:.2f} s of processor time: {:.2f} M packet-hops per processor second; "
      "{:.0f} MB of memory\n"
      "digest   {:016x}\n",
      c.packet_hops, c.dropped, c.trimmed, c.lost, c.marked, c.retransmitted, c.timeouts, c.pauses, m.wall_s, m.threads,
      s, m.cpu_s, static_cast<double>(c.packet_hops) / m.cpu_s * 1e-6, memory, m.digest);
}

run::CheckpointRhythm RunCommandOptions::checkpoints() const {
  run::CheckpointRhythm out{.simulated = {}, .wall_s = checkpoint_seconds};
  if (checkpoint.empty()) return out;
  try {
    out.simulated = parse_time(checkpoint);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--checkpoint: {}", error.what()));
  }
  if (out.simulated <= Time{} || out.simulated > Time{1'000'000 * kPicosecondsPerSecond})
    throw InputError("--checkpoint: write a time above 0 and up to 1000000 s, like '10 ms'");
  return out;
}

void add_plugin_option(CLI::App& command) {
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin",
          [](const std::vector<std::string>& files) {
            for (const std::string& file : files) cc::load_plugin(file);
          },
          "load algorithms from this shared library, which was built against this weir")
      ->check(not_empty())
      ->allow_extra_args(false);
}

void add_format_option(CLI::App& command, std::optional<Parquet>& parquet) {
  command
      .add_option_function<std::string>(
          "--format",
          [&parquet](const std::string& format) {
            parquet.reset();
            if (format == "parquet") parquet.emplace();
          },
          "csv, or parquet: the tables of the results as Parquet as well, by a Python that has pyarrow")
      ->check(CLI::IsMember({"csv", "parquet"}));
}

void add_run_options(CLI::App& command, RunCommandOptions& o) {
  command.add_option("--threads", o.threads, "run.threads instead of the scenario's")->check(not_empty());
  command
      .add_option("--checkpoint", o.checkpoint,
                  "simulated time between checkpoints, like '10 ms'; `weir resume` goes on from the last one")
      ->check(not_empty());
  command.add_option("--checkpoint-seconds", o.checkpoint_seconds, "seconds of the run between checkpoints")
      ->check(CLI::Range(1e-3, 1e9));
  command
      .add_option("--memory", o.memory, "memory that the run may take, like '8 GB'; without it, 80 % of what is free")
      ->check(not_empty());
  add_format_option(command, o.parquet);
  add_plugin_option(command);
  command.add_flag("--json", o.json, "print manifest and summary as JSON");
  command.add_flag("-q,--quiet", o.quiet, "print nothing but what went wrong");
}

std::uint64_t RunCommandOptions::memory_limit(std::uint32_t sharing) const {
  const std::uint64_t limit = run::memory_limit(memory);
  return memory.empty() ? limit / sharing : limit;
}

void RunCommandOptions::find_python() {
  if (parquet && is_first()) parquet->find_python();
}

std::string text_of(const run::CheckpointRhythm& rhythm) {
  return fmt::format("{} {}", rhythm.simulated.ps, rhythm.wall_s);
}

namespace {

void show_outcome(const scenario::Scenario& s, const run::Outcome& outcome, const std::string& ecn,
                  const probe::ResultDirectory* directory, const std::string& why) {
  if (!s.title.empty()) show("{}\n\n", s.title);
  show("{}\n{}", probe::to_text(outcome.summary), engine_text(outcome.manifest));
  if (!ecn.empty()) show("ecn      {}\n", ecn);
  if (outcome.manifest.forked_at)
    show("fork     at {}; up to there it is another run\n", format_value(*outcome.manifest.forked_at));
  if (outcome.manifest.changes > 0)
    show("steered  {} change{} while it ran: steering.toml\n", outcome.manifest.changes,
         outcome.manifest.changes == 1 ? "" : "s");
  show("results  {}\n", directory == nullptr ? "not kept; --out DIR keeps them" : directory->name());
  if (!why.empty()) show("\nThese are the figures of an incomplete run, {}.\n", why);
}

}  // namespace

int run_and_show(const scenario::Scenario& s, run::Admitted admitted, std::uint64_t memory,
                 const run::CheckpointRhythm& checkpoints, const RunCommandOptions& o,
                 probe::ResultDirectory* directory, const Go& go) {
  std::optional<ProgressLine> line;
  if (!o.quiet && o.is_first()) line.emplace(admitted.expected, s.run.stop);
  const std::string ecn = scenario::ecn_text(s, *admitted.model);
  const run::ExecutionOptions execution{.progress =
                                            [&](const weir::Progress& progress) {
                                              if (line) line->show(progress);
                                              return pending_signal() == 0;
                                            },
                                        .tell =
                                            [&](const std::string& text) {
                                              if (line) line->tell(text);
                                            },
                                        .memory = memory,
                                        .checkpoints = checkpoints,
                                        .ranks = o.ranks};
  const std::optional<run::Outcome> result = go(std::move(admitted.model), execution);
  if (!result) {
    line.reset();
    notice("weir: interrupted; there is no result yet, and nothing is kept");
    return 128 + pending_signal();
  }
  const run::Outcome& outcome = *result;
  if (!o.is_first()) return status_of(outcome);
  std::string no_parquet;
  if (o.parquet && directory != nullptr) {
    no_parquet = o.parquet->write(*directory);
    if (no_parquet.empty()) probe::write_manifest(*directory, outcome.manifest);
  }
  if (directory != nullptr) {
    const HeldSignals held;
    directory->commit();
  }
  line.reset();

  const std::string why = early_end_text(outcome);
  if (o.json)
    show_text(run::to_json(outcome));
  else if (!o.quiet)
    show_outcome(s, outcome, ecn, directory, why);
  for (std::size_t i = s.notices.size(); i < outcome.manifest.notices.size() && !o.quiet; ++i)  // others are told
    notice("weir: {}", outcome.manifest.notices[i]);
  if (!why.empty()) notice("weir: {}; the result is incomplete", why);
  if (!outcome.checkpoint_problem.empty())
    notice("weir: the last checkpoint is not kept: {}", outcome.checkpoint_problem);
  if (!outcome.is_whole() && checkpoints.is_on() && !outcome.manifest.stall)
    notice("weir: `weir resume {}` goes on from here", directory->name());
  if (no_parquet.empty()) return status_of(outcome);
  notice("weir: the tables could not be written as Parquet, and are there as CSV alone: {}", no_parquet);
  return std::max(1, status_of(outcome));
}

}  // namespace weir::app
