// weir train CURRICULUM: a policy for pcc_rl.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/commands.h"
#include "weir/learn/trainer.h"
#include "weir/output.h"
#include "weir/progress.h"
#include "weir/scenario/scenario.h"
#include "weir/signals.h"

namespace weir::app {
namespace {

struct TrainOptions {
  std::string file;
  std::string out;
  int threads = 0;
  std::int64_t seed = -1;
  bool resume = false;
  bool quiet = false;
};

constexpr double kUsable = 0.5;  // the score of a policy that is worth a try; all that ship have more

std::string line_of(const learn::Update& u, std::uint32_t updates, double score, double elapsed, std::uint32_t first,
                    Forecast& forecast) {
  const double done = static_cast<double>(u.number - first) / static_cast<double>(updates - first);
  std::string line = fmt::format("update {} of {}, return {:.4g}, fairness {:.2f}, queue {:.1f} us", u.number, updates,
                                 u.reward, u.fairness, u.queue * 1e6);
  if (score != 0) line += fmt::format(", best score {:.2f}", score);
  return ProgressLine::with_forecast(fmt::format("{}, {}", line, duration_text(elapsed)), std::min(done, 0.999),
                                     elapsed, forecast);
}

void show_result(const learn::Trainer& trainer, const std::string& out, double elapsed) {
  const auto& best = trainer.best();
  const learn::Curriculum& c = trainer.curriculum();
  const bool has_networks = !c.validation_rows.empty();
  show("{:>6} {:>12} {:>9} {:>9} {:>11} {:>10} {:>13} {:>8}{}\n", "flows", "utilisation", "fairness", "Jain",
       "rate error", "queue us", "expected us", "dropped", has_networks ? "  network" : "");
  for (std::size_t i = 0; i < best.runs.size(); ++i) {
    const auto& run = best.runs[i];
    show("{:>6} {:>12.3f} {:>9.3f} {:>9.3f} {:>11.3f} {:>10.2f} {:>13.2f} {:>8}{}\n", run.flows, run.utilisation,
         run.fairness, run.jain, run.rate_error, run.queue * 1e6, run.expected_queue * 1e6, run.dropped,
         has_networks ? "  " + c.network_of(i / c.validation.seeds) : "");
  }
  show("\nbest     update {} of {}, score {:.3f}\n", best.update, trainer.updates(), best.score);
  show("time     {}\n", duration_text(elapsed));
  show("results  {}\n", out);
  if (best.score < kUsable)
    notice(
        "weir: the best policy's score is {:.3f}, of 1 at most: as the table says, it leaves links empty, shares them "
        "unequally, drops packets or keeps other queues than are expected; try other seeds (--seed), more updates or "
        "another curriculum",
        best.score);
}

int train(const TrainOptions& o) {
  auto curriculum = learn::read_curriculum(o.file);
  if (o.seed >= 0) curriculum.learner.seed = static_cast<std::uint64_t>(o.seed);
  const unsigned threads =
      o.threads > 0 ? static_cast<unsigned>(o.threads) : std::max(1u, std::thread::hardware_concurrency());
  learn::Trainer trainer(curriculum, {.directory = o.out, .threads = threads, .resume = o.resume});
  catch_signals();
  const std::uint32_t updates = trainer.curriculum().learner.updates;
  const std::uint32_t first = trainer.updates();
  double elapsed = 0;
  {
    StatusLine line;
    Forecast forecast;
    while (!trainer.done() && pending_signal() == 0) {
      const learn::Update update = trainer.step();
      if (!o.quiet && line.due())
        line.show(line_of(update, updates, trainer.best().score, line.since_begin(), first, forecast));
    }
    elapsed = line.since_begin();
    if (trainer.done()) trainer.finish();
  }
  if (!trainer.done()) {
    notice("weir: interrupted after update {} of {}; the same command with --resume goes on from there",
           trainer.updates(), updates);
    return 128 + pending_signal();
  }
  show_result(trainer, o.out, elapsed);
  return 0;
}

}  // namespace

void add_train(CLI::App& app, int& status) {
  auto o = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Train a policy of pcc_rl on simulated networks");
  command->add_option("CURRICULUM", o->file, "what to train on and how, a TOML file")->required();
  command->add_option("-o,--out", o->out, "directory of the policy, the progress and the checkpoint")
      ->required()
      ->check(not_empty());
  command->add_flag("--resume", o->resume, "go on from the checkpoint in DIR, if there is one");
  command->add_option("--threads", o->threads, "environments at once; without it, one per processor; changes no result")
      ->check(CLI::Range(1, 4096));
  command->add_option("--seed", o->seed, "learner.seed instead of the curriculum's")
      ->check(CLI::Range(std::int64_t{0}, scenario::kMaxSeed));
  command->add_flag("-q,--quiet", o->quiet, "no progress");
  command->callback([o, &status] { status = train(*o); });
}

}  // namespace weir::app
