#include "weir/sweep/earlier_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "weir/base/error.h"
#include "weir/study/kept_runs.h"
#include "weir/sweep/left_runs.h"
#include "weir/sweep/sweep_locks.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

// Why a result does not count, and cannot be replaced; "" if it can.
std::string why_refused(const study::Plan& plan, const SweepOptions& o, std::size_t run, const std::string& why,
                        bool may_replace) {
  const std::string dir = study::result_of(o.dir, plan.runs[run].name);
  if (!study::is_result(dir))
    return fmt::format("{}: it is no result of weir; remove it, or choose another --out", dir);
  if (may_replace) return "";
  return fmt::format("{}: {} ({}); choose another --out, or run {} again with --fresh", dir, why, plan.describe(run),
                     o.fresh ? "the whole study" : "such results");
}

}  // namespace

void refuse_others(const study::Plan& plan, const SweepOptions& o) {
  std::string other;
  for (const auto& entry : fs::directory_iterator(study::results_of(o.dir))) {
    const std::string name = entry.path().filename().string();
    if (is_left(name)) continue;
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
    if (why.empty() || !fs::exists(dir)) continue;
    const bool may_replace = o.fresh && (now[run] || o.is_shared());
    if (const auto refused = why_refused(plan, o, run, why, may_replace); !refused.empty()) throw InputError(refused);
    if (now[run] && !o.leases) outdated.push_back(dir);
  }
  for (const std::string& dir : outdated) fs::remove_all(dir);
  return out;
}

bool is_done(const study::Plan& plan, const SweepOptions& o, std::size_t run) {
  const std::string dir = study::result_of(o.dir, plan.runs[run].name);
  if (!fs::exists(dir)) return false;
  const auto why = study::difference(plan, run, dir);
  if (why.empty()) return true;
  if (const auto refused = why_refused(plan, o, run, why, o.fresh); !refused.empty()) throw InputError(refused);
  // another one that reads it finds all of it, or nothing
  const std::string removed = partial_name(dir, new_token());
  fs::rename(dir, removed);
  fs::remove_all(removed);
  return false;
}

}  // namespace weir::run
