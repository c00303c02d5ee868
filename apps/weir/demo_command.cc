// weir demo: HPCC and DCQCN on the same network and the same flows, side by side.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/commands.h"
#include "weir/embedded.h"
#include "weir/output.h"
#include "weir/progress.h"
#include "weir/report_command.h"
#include "weir/run/execute.h"
#include "weir/run_text.h"
#include "weir/signals.h"

namespace weir::app {
namespace {

struct DemoOptions {
  std::string duration;
  std::string seed;
  std::string out;
  bool json = false;
  bool quiet = false;
};

// One of the two runs, on a thread of its own.
struct Side {
  std::string name;   // of its result directory
  std::string title;  // of its column
  scenario::Scenario scenario;
  std::shared_ptr<const engine::Model> model;
  run::Outcome outcome;
  std::exception_ptr error;
  std::mutex mutex;  // of progress
  Progress progress;
  std::atomic<bool> done{false};
};
using Sides = std::array<Side, 2>;

// `whole` is the directory of both results, or null.
void run_side(Side& side, const probe::ResultDirectory* whole, const std::atomic<bool>& failed) {
  try {
    std::optional<probe::ResultDirectory> own;
    if (whole != nullptr) own.emplace(whole->within(side.name));
    const auto note = [&](const Progress& progress) {
      if (failed) throw std::runtime_error("the other run failed");
      const std::lock_guard lock(side.mutex);
      side.progress = progress;
      return pending_signal() == 0;
    };
    const run::ExecutionOptions options{.progress = note, .own_thread = true};
    side.outcome = run::execute(side.scenario, std::move(side.model), own ? &*own : nullptr, options);
    if (own) own->commit();
  } catch (...) {
    side.error = std::current_exception();
  }
  side.done = true;
}

// Waits for both, and tells how they are getting on.
void watch(Sides& sides, const scenario::Expected& expected, bool quiet, std::atomic<bool>& failed) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto begin = std::chrono::steady_clock::now();
  auto told = begin;
  while (!(sides[0].done && sides[1].done)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (const Side& side : sides)
      if (side.done && side.error) failed = true;
    const auto now = std::chrono::steady_clock::now();
    if (quiet || now - told < std::chrono::milliseconds(terminal ? 200 : 10'000)) continue;
    told = now;
    std::string line;
    double slowest = 1;
    for (Side& side : sides) {
      Progress progress;
      {
        const std::lock_guard lock(side.mutex);
        progress = side.progress;
      }
      const double share = side.done ? 1 : std::max(0.0, run::share_done(progress, expected, {}));
      slowest = std::min(slowest, share);
      line += fmt::format("{} {:3.0f} % ({:.2f} ms, {} of {} flows)   ", side.title, 100 * share,
                          progress.now.seconds() * 1e3, progress.counters.flows_completed, expected.flows);
    }
    const double spent = std::chrono::duration<double>(now - begin).count();
    if (slowest > 0.01) line += fmt::format("about {} left", duration_text(spent * (1 - slowest) / slowest));
    std::fputs(terminal ? ("\r\x1b[K" + line).c_str() : (line + "\n").c_str(), stderr);
    std::fflush(stderr);
  }
  if (terminal && !quiet) std::fputs("\r\x1b[K", stderr);
}

std::string bucket_name(const probe::SizeBucket& b) {
  return b.up_to == probe::SizeBucket::kNoLimit ? "above " + format_value(b.above) : "up to " + format_value(b.up_to);
}

std::string bytes_text(double bytes) { return fmt::format("{:.1f} KB", bytes * 1e-3); }

// A line of one text per run.
template <class F>
void row(const Sides& sides, std::string_view name, F&& text) {
  show("{:<34}{:>26}{:>26}\n", name, text(sides[0]), text(sides[1]));
}

void print(const Sides& sides) {
  const auto& flows = sides[0].outcome.summary.flows;
  show(
      "Facebook's Hadoop workload at 50 % load on 320 hosts at 100 Gb/s (HPCC, SIGCOMM'19, 5.1):\n"
      "{} flows, the same for both. Slowdown is the completion time of a flow over what it would\n"
      "take alone in the network.\n\n",
      flows.finished + flows.unfinished);
  show("{:<34}{:>26}{:>26}\n", "slowdown", sides[0].title, sides[1].title);
  show("{:<20}{:>14}{:>10}{:>8}{:>8}{:>10}{:>8}{:>8}\n", "  flow size", "flows", "p50", "p95", "p99", "p50", "p95",
       "p99");
  bool gaps = false;
  const auto line = [&](const std::string& name, const probe::Distribution& a, const probe::Distribution& b) {
    const auto text = [](const probe::Distribution& d, unsigned thousandths, double value) {
      return probe::percentile_text(d.count, thousandths, value, 2);
    };
    gaps = gaps || probe::is_the_largest(a.count, 990) || probe::is_the_largest(b.count, 990);
    show("  {:<18}{:>14}{:>10}{:>8}{:>8}{:>10}{:>8}{:>8}\n", name, a.count, text(a, 500, a.p50), text(a, 950, a.p95),
         text(a, 990, a.p99), text(b, 500, b.p50), text(b, 950, b.p95), text(b, 990, b.p99));
  };
  const auto& other = sides[1].outcome.summary.flows;
  line("all", flows.slowdown, other.slowdown);
  for (std::size_t i = 0; i < flows.by_size.size() && i < other.by_size.size(); ++i)
    if (flows.by_size[i].slowdown.count > 0)
      line(bucket_name(flows.by_size[i]), flows.by_size[i].slowdown, other.by_size[i].slowdown);
  if (gaps) show("  {}\n", probe::kPercentileGap);

  show("\nqueue of a switch port\n");
  const auto queue = [&](std::string_view name, double probe::Distribution::*at) {
    row(sides, name, [&](const Side& s) { return bytes_text(s.outcome.summary.queues.value().all.*at); });
  };
  queue("  p95", &probe::Distribution::p95);
  queue("  p99", &probe::Distribution::p99);
  queue("  p99.9", &probe::Distribution::p999);
  queue("  largest", &probe::Distribution::max);
  row(sides, "  p95 of the busiest port",
      [](const Side& s) { return bytes_text(s.outcome.summary.queues.value().busiest_port.p95); });

  show("\nnetwork\n");
  const auto counted = [&](std::string_view name, std::uint64_t engine::Counters::*at) {
    row(sides, name, [&](const Side& s) { return fmt::format("{}", s.outcome.manifest.counters.*at); });
  };
  row(sides, "  capacity lost to PFC pauses",
      [](const Side& s) { return fmt::format("{:.4f} %", 100 * s.outcome.summary.pfc.value().all.capacity_share); });
  counted("  packets dropped by switches", &engine::Counters::dropped);
  counted("  packets that arrived marked", &engine::Counters::marked);

  show("\nengine\n");
  counted("  packet-hops", &engine::Counters::packet_hops);
  row(sides, "  time taken", [](const Side& s) { return fmt::format("{:.1f} s", s.outcome.manifest.wall_s); });
  row(sides, "  million packet-hops per CPU second", [](const Side& s) {
    const auto& m = s.outcome.manifest;
    return fmt::format("{:.2f}", static_cast<double>(m.counters.packet_hops) / m.cpu_s * 1e-6);
  });
}

// Runs that were cut short cannot be compared.
void print_how_far(const Sides& sides, const scenario::Expected& expected) {
  for (const Side& side : sides)
    show("{:<6} {}: {:.3f} ms simulated, {} of {} flows done\n", side.title,
         status_of(side.outcome) == 0 ? "complete" : "interrupted", side.outcome.manifest.sim_time.seconds() * 1e3,
         side.outcome.summary.flows.finished, expected.flows);
}

// A directory for results that no one asked to keep.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weir-demo-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create a directory for " + pattern);
    path_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string results() const { return path_ + "/demo"; }

 private:
  std::string path_;
};

constexpr const char* kReport = "out/demo-report.html";  // without --out

// What the results look like, as a page. The comparison has been printed: without the page the demo has not failed.
void make_report(const std::string& results, const std::string& page, bool quiet) {
  try {
    write_report({results + "/hpcc", results + "/dcqcn"}, page, "HPCC and DCQCN on 320 hosts");
    if (!quiet) show("\nreport in {}: open it in a browser\n", page);
  } catch (const std::exception& error) {
    notice("weir: no report: {}", error.what());
  }
}

int demo(const DemoOptions& o) {
  catch_signals();
  std::vector<scenario::Option> options;
  if (!o.duration.empty()) options.push_back({"--duration", "traffic.0.stop=" + o.duration});
  if (!o.seed.empty()) options.push_back({"--seed", "run.seed=" + o.seed});
  Sides sides;
  sides[0].name = "hpcc";
  sides[0].title = "HPCC";
  sides[1].name = "dcqcn";
  sides[1].title = "DCQCN";
  for (Side& side : sides) {
    side.scenario = embedded_scenario("demo-" + side.name, {}, options);
    side.model = scenario::build_model(side.scenario);
  }
  const auto expected = scenario::expect(sides[0].scenario, *sides[0].model);
  if (expected.flows == 0)
    throw InputError(fmt::format("--duration: no flow starts within {}; take a longer time", o.duration));

  // the page is made of result files
  std::optional<Scratch> scratch;
  if (o.out.empty() && !o.json && has_report()) scratch.emplace();
  const std::string results = scratch ? scratch->results() : o.out;
  std::optional<probe::ResultDirectory> whole;
  if (!results.empty()) whole.emplace(results);
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  for (Side& side : sides) threads.emplace_back([&] { run_side(side, whole ? &*whole : nullptr, failed); });
  watch(sides, expected, o.quiet, failed);
  for (auto& t : threads) t.join();
  for (const Side& side : sides)
    if (side.error && !(failed && &side == &sides[0] && sides[1].error)) std::rethrow_exception(side.error);
  if (whole) whole->commit();
  const run::Outcome& first = sides[0].outcome.manifest.interrupted ? sides[0].outcome : sides[1].outcome;

  if (o.json) {
    nlohmann::ordered_json out;
    for (const Side& side : sides) out[side.name] = nlohmann::ordered_json::parse(to_json(side.outcome));
    show("{}\n", out.dump(2));
  } else {
    if (!first.manifest.interrupted)
      print(sides);
    else
      print_how_far(sides, expected);
    if (!o.out.empty()) show("\nresults in {0}/hpcc and {0}/dcqcn\n", o.out);
  }
  if (!first.manifest.interrupted && !results.empty())
    make_report(results, scratch ? kReport : o.out + "/report.html", o.json);
  if (first.manifest.interrupted) notice("weir: interrupted; the results are incomplete");
  return status_of(first);
}

}  // namespace

void add_demo(CLI::App& app, int& status) {
  auto o = std::make_shared<DemoOptions>();
  CLI::App* command = app.add_subcommand("demo", "Compare HPCC and DCQCN side by side, in about a minute");
  command->add_option("--duration", o->duration, "simulated time in which flows arrive (10 ms)")->check(not_empty());
  command->add_option("--seed", o->seed, "seed of the flows and of ECMP (1)")->check(not_empty());
  command
      ->add_option("-o,--out", o->out, "write the results to DIR/hpcc and DIR/dcqcn, and DIR/report.html; DIR is new")
      ->check(not_empty());
  command->add_flag("--json", o->json, "print manifests and summaries as JSON");
  command->add_flag("-q,--quiet", o->quiet, "no progress");
  command->callback([o, &status] { status = demo(*o); });
}

}  // namespace weir::app
