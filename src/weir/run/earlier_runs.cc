#include "weir/run/earlier_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "weir/base/error.h"
#include "weir/run/sweep_locks.h"
#include "weir/study/kept.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial-";

}  // namespace

std::string partial_name(const std::string& run_name, int process) {
  return fmt::format("{}{}{}", run_name, kPartial, process);
}

void refuse_others(const study::Plan& plan, const SweepOptions& o) {
  std::string other;
  for (const auto& entry : fs::directory_iterator(study::results_of(o.dir))) {
    const std::string name = entry.path().filename().string();
    if (name.find(kPartial) != std::string::npos) continue;
    if (std::any_of(plan.runs.begin(), plan.runs.end(), [&](const auto& run) { return run.name == name; })) return;
    if (other.empty() || name < other) other = name;
  }
  if (!other.empty() && !o.fresh)
    throw InputError(fmt::format(
        "--out: {} has the runs of another study, such as {}; name another directory, or use --fresh", o.dir, other));
}

std::vector<bool> find_done(const study::Plan& plan, const SweepOptions& o) {
  const ResultsLock lock(o.dir);
  std::vector<bool> out(plan.runs.size());
  std::vector<bool> now(plan.runs.size());
  for (const std::size_t run : o.runs) now[run] = true;
  std::vector<std::string> outdated;
  for (std::size_t run = 0; run < plan.runs.size(); ++run) {
    const std::string dir = study::result_of(o.dir, plan.runs[run].name);
    if (!fs::exists(dir)) continue;
    const auto why = study::difference(plan, run, dir);
    out[run] = why.empty();
    if (why.empty()) continue;
    if (!study::is_result(dir))
      throw InputError(fmt::format("{}: it is no result of weir; remove it, or choose another --out", dir));
    if (!o.fresh || (!now[run] && o.shard.n == 1))
      throw InputError(fmt::format("{}: {} ({}); choose another --out, or run {} again with --fresh", dir, why,
                                   plan.describe(run), o.fresh ? "the whole study" : "such results"));
    if (now[run]) outdated.push_back(dir);
  }
  for (const std::string& dir : outdated) fs::remove_all(dir);
  return out;
}

void clean(const study::Plan& plan, const SweepOptions& o) {
  std::vector<std::string> names;
  for (const std::size_t run : o.runs) names.push_back(plan.runs[run].name);
  std::sort(names.begin(), names.end());
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(study::results_of(o.dir))) {
    const std::string name = entry.path().filename().string();
    const auto end = name.rfind(kPartial);
    if (end != std::string::npos && std::binary_search(names.begin(), names.end(), name.substr(0, end)))
      leftovers.push_back(entry.path());
  }
  for (const auto& path : leftovers) fs::remove_all(path);
}

}  // namespace weir::run
