#include "weir/sweep_progress.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "weir/output.h"
#include "weir/progress.h"
#include "weir/signals.h"

namespace weir::app {
namespace {

void show_pace(StatusLine& line, const run::SweepPace& pace) {
  if (!line.due()) return;
  std::string text = fmt::format("{} of {} runs done, {} under way", pace.done, pace.total, pace.running);
  if (pace.failed > 0) text += fmt::format(", {} failed", pace.failed);
  if (pace.work > 0)
    text += fmt::format(", about {} left", duration_text(line.since_begin() * (1 - pace.work) / pace.work));
  line.show(text);
}

}  // namespace

run::SweepOutcome sweep_with_progress(const study::Plan& plan, run::SweepOptions options, bool quiet) {
  options.cancelled = [] { return pending_signal() != 0; };
  std::optional<StatusLine> line;
  if (!quiet) line.emplace();
  return run::run_all(plan, options, [&](const run::SweepPace& pace) {
    if (line) show_pace(*line, pace);
  });
}

void show_warning(const study::Notice& warning) { notice("weir: {} ({})", warning.text, warning.points); }

study::Measurements collect_and_warn(const study::Plan& plan, const std::string& dir) {
  std::vector<std::string> warnings;
  auto measured = run::collect_all(plan, dir, &warnings);
  for (const auto& warning : warnings) notice("weir: {}", warning);
  return measured;
}

}  // namespace weir::app
