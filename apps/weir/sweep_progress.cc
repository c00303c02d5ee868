#include "weir/sweep_progress.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "weir/output.h"
#include "weir/progress.h"
#include "weir/signals.h"
#include "weir/study/check.h"

namespace weir::app {
namespace {

void show_progress(StatusLine& line, Forecast& forecast, const run::SweepProgress& progress) {
  if (!line.due()) return;
  std::string text = fmt::format("{} of {} runs done, {} under way", progress.done, progress.total, progress.running);
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  if (const std::string left = forecast.text(progress.work, line.since_begin()); !left.empty()) text += ", " + left;
  line.show(text);
}

}  // namespace

run::SweepOutcome sweep_with_progress(const study::Plan& plan, run::SweepOptions options, bool quiet) {
  options.cancelled = [] { return pending_signal() != 0; };
  std::optional<StatusLine> line;
  Forecast forecast;
  if (!quiet) line.emplace();
  return run::run_all(plan, options, [&](const run::SweepProgress& progress) {
    if (line) show_progress(*line, forecast, progress);
  });
}

void show_warning(const study::Notice& warning) { notice("weir: {} ({})", warning.text, warning.points); }

void list_runs(const study::Plan& plan, const std::vector<std::size_t>& runs) {
  std::vector<study::Notice> warnings;
  const auto estimates = study::check_runs(plan, runs, &warnings);
  for (const auto& warning : warnings) show_warning(warning);
  for (const std::size_t run : runs) {
    const auto& e = estimates[run];
    show("{:<40} {:>12.0f} packets {:>8.0f} MB at most\n", plan.runs[run].name, e.packets,
         static_cast<double>(e.bytes) * 1e-6);
  }
  show("{} runs\n", runs.size());
}

study::Measurements collect_and_warn(const study::Plan& plan, const std::string& dir) {
  std::vector<std::string> warnings;
  auto measured = run::collect_all(plan, dir, &warnings);
  for (const auto& warning : warnings) notice("weir: {}", warning);
  return measured;
}

}  // namespace weir::app
