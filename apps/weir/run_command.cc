// weir run FILE: one run of one scenario.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/capture/capture.h"
#include "weir/commands.h"
#include "weir/live_view.h"
#include "weir/output.h"
#include "weir/perfetto/trace.h"
#include "weir/probe/anatomy_probe.h"
#include "weir/probe/view_probe.h"
#include "weir/ranks.h"
#include "weir/result/directory.h"
#include "weir/run/execute.h"
#include "weir/run/memory_limit.h"
#include "weir/run/output_size.h"
#include "weir/run/steered.h"
#include "weir/run_text.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/fast_forward_rules.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/warnings.h"
#include "weir/signals.h"
#include "weir/study/estimate.h"
#include "weir/sweep/admission.h"
#include "weir/toml/document.h"

namespace weir::app {
namespace {

struct RunArguments {
  std::string file;
  std::string out;
  std::vector<std::string> set;
  std::string seed;
  bool view_data = false;
  bool view = false;
  LiveOptions live;
  std::string steer;
  capture::CaptureOptions capture;
  perfetto::TraceOptions trace;
  RunCommandOptions run;

  bool captures() const { return !capture.directory.empty(); }
  bool traces() const { return !trace.file.empty(); }
};

bool is_within(const std::string& path, const std::string& folder) {
  const auto place = [](const std::string& of) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(of));
  };
  const std::filesystem::path inner = place(path);
  const std::filesystem::path outer = place(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

void must_tell_events(std::string_view option, const scenario::Scenario& s) {
  scenario::check_sends_all(s, option);
  if (s.run.fidelity->tells_events) return;
  throw InputError(fmt::format("{}: single packets are only told by run.fidelity = {}, and this scenario has \"{}\"",
                               option, scenario::names_of([](const scenario::Fidelity& f) { return f.tells_events; }),
                               s.run.fidelity->name));
}

void check_trace(const RunArguments& o, const scenario::Scenario& s) {
  const perfetto::TraceOptions& t = o.trace;
  if (!o.traces()) {
    if (!t.at.empty() || !t.flows.empty() || !t.from.empty() || !t.until.empty() || !t.interval.empty() || t.engine)
      throw InputError("there is no --trace FILE; the other options of traces only say what goes there");
    return;
  }
  must_tell_events("--trace", s);
  if (o.run.checkpoints().is_on())
    throw InputError("--trace: traces do not go on from a checkpoint; leave out one of the two");
  if (!o.out.empty() && is_within(t.file, o.out))
    throw InputError("--trace: the directory of the results (--out) holds nothing else; write the file elsewhere");
  if (o.captures() && is_within(t.file, o.capture.directory))
    throw InputError("--trace: the directory of captures (--pcap) holds nothing else; write the file elsewhere");
}

void check_capture(const RunArguments& o, const scenario::Scenario& s) {
  const capture::CaptureOptions& c = o.capture;
  if (!o.captures()) {
    if (!c.at.empty() || !c.flows.empty() || !c.from.empty() || !c.until.empty() || !c.snaplen.empty() || c.ipv6)
      throw InputError("there is no --pcap DIR; the other options of captures only say what goes there");
    return;
  }
  must_tell_events("--pcap", s);
  if (o.run.checkpoints().is_on())
    throw InputError("--pcap: captures do not go on from a checkpoint; leave out one of the two");
  if (o.out.empty()) return;
  if (is_within(c.directory, o.out) || is_within(o.out, c.directory))
    throw InputError("--pcap: write captures and results (--out) to directories of which none is inside the other");
}

// Makes the captures of an admitted run, and tells how large they will be.
void begin_capture(std::optional<capture::Capture>& capture, const RunArguments& o, const scenario::Scenario& s,
                   const run::Admitted& admitted) {
  capture.emplace(o.capture, *admitted.model);
  if (admitted.expected.all) capture->check_flows(admitted.expected.flows);
  if (o.run.quiet) return;
  const std::string what = fmt::format("captures at {} port{}", capture->ports(), capture->ports() == 1 ? "" : "s");
  if (!admitted.expected.is_estimable() || !o.capture.from.empty() || !o.capture.until.empty() ||
      !o.capture.flows.empty() || s.run.stop > Time{}) {
    notice("weir: {}; their size is not known before", what);
    return;
  }
  double of_flows = 0;
  std::uint32_t entropy = 0;
  scenario::expect(s, *admitted.model, study::kMaxEstimatedFlows, [&](const scenario::ExpectedFlow& flow) {
    of_flows += static_cast<double>(capture->expected_bytes(flow.src, flow.dst, flow.size, ++entropy));
  });
  const auto bytes = capture->bytes() + static_cast<std::uint64_t>(of_flows * admitted.expected.of_all);
  const std::uint64_t left = run::space_left(o.capture.directory);
  notice("weir: {} will take about {:.1f} MB on disk{}", what, static_cast<double>(bytes) * 1e-6,
         bytes > left ? fmt::format(", and {:.1f} MB are left; --pcap-at, --pcap-flow and --pcap-until make it less",
                                    static_cast<double>(left) * 1e-6)
                      : "");
}

void begin_trace(std::optional<perfetto::Trace>& trace, const RunArguments& o, const scenario::Scenario& s,
                 const run::Admitted& admitted) {
  trace.emplace(o.trace, *admitted.model, scenario::build_traffic(s, *admitted.model)->tags());
  if (admitted.expected.all) trace->check_flows(admitted.expected.flows);
}

// Turns on the probes whose tables `weir view` shows, with their defaults unless the scenario has others.
void record_view(const RunArguments& o, scenario::Scenario& s) {
  if (!o.view_data && !o.view) return;
  const std::string_view name = o.view ? "--view" : "--view-data";
  if (o.out.empty())
    throw InputError(fmt::format("{}: what weir view shows stands in the results; write --out DIR", name));
  must_tell_events(name, s);
  if (s.probes.get<probe::ViewParams>() == nullptr) s.probes.set(probe::ViewParams());
  if (s.probes.get<probe::AnatomyParams>() == nullptr) s.probes.set(probe::AnatomyParams());
}

// What a run that is driven step by step cannot be combined with.
void check_steered(const RunArguments& o, const scenario::Scenario& s) {
  if (!o.view && o.live.paused) throw InputError("--view-paused: there is no --view that it could be about");
  if (!o.view && o.steer.empty()) return;
  const std::string_view name = o.view ? "--view" : "--steer";
  if (o.view && !o.steer.empty()) throw InputError("--steer: with --view the page makes the changes; leave out one");
  if (o.out.empty())
    throw InputError(fmt::format("{}: what was changed is kept in the results; write --out DIR", name));
  if (o.run.checkpoints().is_on())
    throw InputError(fmt::format(
        "{}: a run that may be changed while it goes on keeps no checkpoints; leave out --checkpoint", name));
  if (o.captures())
    throw InputError(fmt::format("{}: captures do not follow a run through changes; leave out --pcap", name));
  if (o.traces())
    throw InputError(fmt::format("{}: traces do not follow a run through changes; leave out --trace", name));
  run::check_can_be_saved(s, fmt::format("can be run with {}", name));
}

// What a run of several ranks cannot be combined with.
void check_alone(const RunArguments& o) {
  const std::string ranks = started_ranks();
  if (ranks.empty()) return;
  const auto error = [&](std::string_view name) {
    return InputError(
        fmt::format("{}: mpirun has started {} processes as ranks of one run, and this takes a run of one "
                    "process; leave out one of the two",
                    name, printable(ranks)));
  };
  if (o.view) throw error("--view");
  if (!o.steer.empty()) throw error("--steer");
  if (o.captures()) throw error("--pcap");
  if (o.traces()) throw error("--trace");
}

void check_ranks(const engine::Ranks* ranks, const scenario::Scenario& s) {
  if (ranks == nullptr || s.run.fidelity->has_ranks) return;
  throw scenario::key_error(s, "run.fidelity",
                            fmt::format("only {} runs on several ranks of mpirun",
                                        scenario::names_of([](const scenario::Fidelity& f) { return f.has_ranks; })));
}

// What all ranks have to have alike. `s` is the scenario as it is run.
Facts facts_of(const scenario::Scenario& s, const std::string& out, const run::CheckpointRhythm& checkpoints) {
  const scenario::Effective effective = scenario::effective(s);
  Facts facts{{"--out", out}, {"--checkpoint", text_of(checkpoints)}, {"scenario", checksum_of(effective.toml)}};
  for (const auto& file : effective.attachments) facts.emplace_back(file.name, checksum_of(file.content));
  return facts;
}

// `out`: where the result goes, "" = nowhere.
std::vector<std::string> warnings(const scenario::Scenario& s, const run::Admitted& admitted, const std::string& out) {
  auto all = scenario::warnings(s, *admitted.model);
  if (out.empty()) return all;
  const auto size = run::output_size(s, *admitted.model, admitted.expected);
  if (const auto warning = run::size_warning(size, run::space_left(out)); !warning.empty()) all.push_back(warning);
  return all;
}

// The scenario as it is asked for, and what a run of it keeps and changes.
struct Asked {
  scenario::Scenario scenario;
  run::CheckpointRhythm checkpoints;
  std::vector<run::Change> changes;
};

// Throws InputError for options that do not go with each other or with the scenario.
Asked read_asked(RunArguments& o, const engine::Ranks* ranks) {
  std::vector<scenario::Option> options;
  if (!o.seed.empty()) options.push_back({"--seed", "run.seed=" + o.seed});
  if (!o.run.threads.empty()) options.push_back({"--threads", "run.threads=" + o.run.threads});
  Asked out{.scenario = scenario::load_scenario_file(o.file, o.set, options)};
  scenario::Scenario& s = out.scenario;
  record_view(o, s);
  if (o.run.parquet && o.out.empty())
    throw InputError("--format: the tables stand in the directory of the results; write --out DIR");
  o.run.find_python();
  out.checkpoints = o.run.checkpoints();
  if (out.checkpoints.is_on() && o.out.empty())
    throw InputError("--checkpoint: checkpoints stand in the directory of the results; write --out DIR");
  if (out.checkpoints.is_on()) run::check_can_be_saved(s, "keeps checkpoints; write that, or leave out --checkpoint");
  check_capture(o, s);
  check_steered(o, s);
  if (!o.steer.empty()) out.changes = run::read_changes(result::read_text(o.steer), o.steer);
  check_trace(o, s);
  check_ranks(ranks, s);
  return out;
}

// Runs an admitted scenario with what watches it.
run::Outcome execute_watched(const RunArguments& o, const scenario::Scenario& s,
                             std::shared_ptr<const engine::Model> model, probe::ResultDirectory* target,
                             run::ExecutionOptions execution, std::optional<capture::Capture>& capture,
                             std::optional<perfetto::Trace>& trace) {
  execution.traced = o.captures() || o.traces();
  execution.prepare = [&](engine::Engine& engine) {
    if (capture) capture->attach(engine);
    if (trace) trace->attach(engine);
  };
  execution.conclude = [&](engine::Engine& engine) {
    if (trace) trace->conclude(engine);
  };
  run::Outcome outcome = run::execute(s, std::move(model), target, execution);
  if (capture) capture->finish();
  if (trace) trace->finish();
  if (capture && !o.run.quiet)
    notice("weir: {} has {} captured packets, {:.1f} MB", o.capture.directory, capture->packets(),
           static_cast<double>(capture->bytes()) * 1e-6);
  if (trace && !o.run.quiet)
    notice("weir: {} has {:.1f} MB; https://ui.perfetto.dev opens it", o.trace.file,
           static_cast<double>(trace->bytes()) * 1e-6);
  return outcome;
}

int run(RunArguments o, engine::Ranks* ranks) {
  o.run.ranks = ranks;
  Asked asked;
  together(ranks, [&] { asked = read_asked(o, ranks); });
  const scenario::Scenario& s = asked.scenario;
  if (ranks != nullptr) must_agree(ranks, facts_of(s, o.out, asked.checkpoints));
  catch_signals();
  std::optional<LiveView> live;
  if (o.view) live.emplace(o.live);
  const std::uint32_t sharing = ranks_here(ranks);
  std::uint64_t limit = 0;
  // first of all: a large network takes its time
  std::unique_ptr<probe::ResultDirectory> directory;
  run::Admitted admitted;
  together(ranks, [&] {
    if (!o.out.empty())
      directory =
          o.run.is_first() ? std::make_unique<probe::ResultDirectory>(o.out) : probe::ResultDirectory::nowhere();
    limit = o.run.memory_limit(sharing);
    admitted = run::admit(s, limit, o.file + ": it");
  });
  std::vector<std::string> crowded;
  if (ranks != nullptr) crowded = crowding(*ranks, s.run.threads);
  if (!o.run.quiet && o.run.is_first()) {
    for (const auto& warning : crowded) notice("weir: {}", warning);
    for (const auto& warning : warnings(s, admitted, o.out)) notice("weir: {}", warning);
  }
  probe::ResultDirectory* const target = directory.get();
  const auto model = admitted.model;  // which the captures name
  std::optional<capture::Capture> capture;
  if (o.captures()) begin_capture(capture, o, s, admitted);
  std::optional<perfetto::Trace> trace;
  if (o.traces()) begin_trace(trace, o, s, admitted);
  if (live) {
    show("{}\n", live->address());
    finish_output(0);
    if (!o.run.quiet) notice("weir: open this address in a browser on this machine");
  }
  const int status =
      run_and_show(s, std::move(admitted), limit, asked.checkpoints, o.run, target,
                   [&](std::shared_ptr<const engine::Model> of_run, run::ExecutionOptions execution) {
                     if (live) return live->drive(s, std::move(of_run), *target, execution);
                     if (!o.steer.empty())
                       return run::execute_steered(s, std::move(of_run), *target, execution, asked.changes);
                     return execute_watched(o, s, std::move(of_run), target, std::move(execution), capture, trace);
                   });
  if (live && pending_signal() == 0) {
    finish_output(0);
    if (!o.run.quiet) notice("weir: the page shows the result until it, or Ctrl-C, ends this");
    live->stay(o.out);
  }
  return status;
}

// An option that takes a text, or several, none of which may be empty.
void add_text(CLI::App& command, const char* name, auto& to, const char* help) {
  command.add_option(name, to, help)->check(not_empty());
}

void add_capture_options(CLI::App& command, capture::CaptureOptions& c) {
  add_text(command, "--pcap", c.directory,
           "write the packets of chosen ports to this new directory, one pcapng file for each port");
  add_text(command, "--pcap-at", c.at,
           "where: numbers of nodes, or ports as in probes, like '0,320->0,edge up'; "
           "without it, all hosts");
  add_text(command, "--pcap-flow", c.flows, "only packets of these flows, like '0,17,200-299', and pauses");
  add_text(command, "--pcap-from", c.from, "only packets from this time on, like '1.5 ms'");
  add_text(command, "--pcap-until", c.until, "only packets before this time");
  add_text(command, "--pcap-snaplen", c.snaplen, "bytes kept of each packet; without it, all of its headers");
  command.add_flag("--pcap-ipv6", c.ipv6, "show packets as IPv6");
}

void add_trace_options(CLI::App& command, perfetto::TraceOptions& trace) {
  add_text(command, "--trace", trace.file,
           "write what happens to flows, queues and ports to this file, which https://ui.perfetto.dev shows");
  add_text(command, "--trace-at", trace.at,
           "where: numbers of nodes, or ports as in probes, like '0,320->0,edge up'; without it, everywhere");
  add_text(command, "--trace-flow", trace.flows,
           "only these flows and their packets, like '0,17,200-299', queues and pauses; without it, all that "
           "the chosen hosts send");
  add_text(command, "--trace-from", trace.from, "only what happens from this time on, like '1.5 ms'");
  add_text(command, "--trace-until", trace.until, "only what happens before this time");
  add_text(command, "--trace-interval", trace.interval, "between values of windows, rates and queues; 1 us without it");
  command.add_flag("--trace-engine", trace.engine, "also where the time goes that the run takes");
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto o = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Run a scenario");
  command->add_option("FILE", o->file, "scenario, a TOML file")->required();
  add_text(*command, "-o,--out", o->out, "write the results to this new directory; without it they are only shown");
  add_text(*command, "--seed", o->seed, "run.seed instead of the scenario's");
  command->add_option("--set", o->set, "key=value: any value instead of the scenario's, like traffic.0.load=0.3")
      ->allow_extra_args(false);
  add_run_options(*command, o->run);
  command->add_flag("--view-data", o->view_data, "record what weir view shows; needs --out");
  command->add_flag_callback(
      "--view-paused", [o] { o->live.paused = true; }, "with --view: the run begins paused");
  command
      ->add_flag(
          "--view{0}", o->live.port,
          "serve the page of weir view to this machine while the run goes on, to pause, step and change it there; "
          "--view=PORT chooses the port; needs --out")
      ->each([o](const std::string&) { o->view = true; });
  add_text(*command, "--steer", o->steer, "make the changes that this file has, the steering.toml of another run");
  add_capture_options(*command, o->capture);
  add_trace_options(*command, o->trace);
  command->callback([o, &status] {
    check_alone(*o);
    status = on_ranks([&](engine::Ranks* ranks) { return run(*o, ranks); });
  });
}

}  // namespace weir::app
