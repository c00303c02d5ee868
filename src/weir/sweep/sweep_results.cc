#include "weir/sweep/sweep_results.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/figure/document.h"
#include "weir/probe/whole_files.h"
#include "weir/scenario/effective.h"
#include "weir/study/figures.h"
#include "weir/study/kept_runs.h"
#include "weir/sweep/sweep_locks.h"
#include "weir/toml/writer.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

// Does the value that begins at `at` stand behind `key =`?
bool is_value_of(std::string_view text, std::size_t at, std::string_view key) {
  const auto before = [&](std::size_t end) { return end == 0 ? 0 : text.find_last_not_of(" \t", end - 1) + 1; };
  const std::size_t equals = before(at);
  if (equals == 0 || text[equals - 1] != '=') return false;
  const std::size_t end = before(equals - 1);
  if (!text.substr(0, end).ends_with(key)) return false;
  const std::size_t begin = end - key.size();
  return begin == 0 || std::string_view(" \t\n{,").find(text[begin - 1]) != std::string_view::npos;
}

// The name of a file as the study writes it, in its quotes, becomes one that leads there from `dir`.
std::string relocated(const study::Plan& plan, const std::string& dir) {
  std::string text = plan.study.text;
  for (const std::string& name : plan.scenario_files()) {
    const auto path = fs::path(plan.study.folder) / name;
    const auto relative = scenario::toml_text(fs::relative(path, dir).generic_string());
    for (const std::string& written : {scenario::toml_text(name), fmt::format("'{}'", name)})
      for (auto at = text.find(written); at != std::string::npos; at = text.find(written, at + 1))
        if (is_value_of(text, at, "scenario")) text.replace(at, written.size(), relative);
  }
  return text;
}

constexpr std::size_t kLongestReason = 600;  // bytes that are shown

// In DIR/failed, of data files.
std::string folder_of_failed(const std::string& dir, const std::string& run_name) {
  return fmt::format("{}/{}", study::failures_of(dir), run_name);
}

}  // namespace

std::string failures_text(const study::Measurements& measured, const std::string& dir, const SweepOutcome& outcome) {
  const auto& failures = outcome.failures;
  const auto& [run, why] = *failures.begin();
  // reasons that differ in times and node numbers alone are the same
  const auto alike = std::count_if(
      failures.begin(), failures.end(),
      [kind = study::without_numbers(why)](const auto& f) { return study::without_numbers(f.second) == kind; });
  const std::string& name = measured.planned[run].name;
  std::string file = study::failure_of(dir, name);
  if (const auto scenario = study::failed_scenario_of(dir, name); fs::exists(scenario))
    file += fmt::format("; weir run {} repeats it", scenario);
  if (failures.size() == 1)
    return fmt::format("1 run failed, {}: {}; see {}", name, one_line(why, kLongestReason), file);
  return fmt::format("{} runs failed; the first, {}: {}; {} failed for this reason; see {}", failures.size(), name,
                     one_line(why, kLongestReason), alike == 1 ? "no other" : fmt::format("{} of them", alike), file);
}

void write_failure(const study::Plan& plan, const std::string& dir, std::size_t run, const std::string& why) {
  const std::string& name = plan.runs[run].name;
  std::error_code error;
  fs::create_directory(study::failures_of(dir), error);
  if (error) throw std::system_error(error, fmt::format("cannot create {}", study::failures_of(dir)));
  remove_failure(dir, name);
  probe::write_whole(study::failure_of(dir, name), why + "\n");
  try {
    const auto scenario = scenario::effective(plan.scenario(run), name);
    if (!scenario.attachments.empty()) fs::create_directory(folder_of_failed(dir, name));
    for (const auto& file : scenario.attachments)
      probe::write_whole(folder_of_failed(dir, name) + "/" + file.name, file.content);
    probe::write_whole(study::failed_scenario_of(dir, name), scenario.toml);
  } catch (const InputError&) {
    // a data file of the scenario is gone, which may be why the run failed
  }
}

void remove_failure(const std::string& dir, const std::string& run_name) {
  fs::remove(study::failed_scenario_of(dir, run_name));
  fs::remove_all(folder_of_failed(dir, run_name));
  fs::remove(study::failure_of(dir, run_name));
}

study::Measurements collect_all(const study::Plan& plan, const std::string& dir, std::vector<std::string>* warnings) {
  // those that finish after this one wait, and their tables have more
  const ResultsLock lock(dir);
  auto measured = study::collect(plan, dir, warnings);
  probe::write_whole(dir + "/study.toml", relocated(plan, dir));
  probe::write_whole(dir + "/runs.csv", study::runs_csv(measured));
  probe::write_whole(dir + "/points.csv", study::points_csv(measured));
  probe::write_whole(dir + "/sweep.json", study::sweep_json(measured));
  if (plan.study.figures.empty())
    fs::remove(dir + "/figures.json");
  else
    probe::write_whole(dir + "/figures.json", figure::to_text({plan.study.title, study::make_figures(measured, dir)}));
  return measured;
}

}  // namespace weir::run
