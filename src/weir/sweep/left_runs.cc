#include "weir/sweep/left_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/scenario/effective.h"
#include "weir/study/kept_runs.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial-";
constexpr std::string_view kOfRun = "/run.partial-run";  // how probe::ResultDirectory writes `run`

std::string written_in(const std::string& partial) { return partial + std::string(kOfRun); }

// The folders that are left of a result, without this one.
std::vector<std::string> left_of(const std::string& target, const std::string& own = "") {
  const fs::path path = target;
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(path.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (is_left(name) && run_of_left(name) == path.filename() && entry.path() != own) out.push_back(entry.path());
  }
  return out;
}

// Takes it from whoever may still be writing it; "" if it is gone.
std::string fence(const std::string& target, const std::string& left) {
  const std::string out = partial_name(target, new_token());
  std::error_code error;
  fs::rename(left, out, error);
  return error ? "" : out;
}

bool is_of(const std::string& folder, const scenario::Effective& wanted) {
  const auto holds = [&](const std::string& name, const std::string& content) {
    return read_bytes(fmt::format("{}/{}", folder, name), "a file of the result") == content;
  };
  return holds("scenario.toml", wanted.toml) &&
         std::all_of(wanted.attachments.begin(), wanted.attachments.end(),
                     [&](const auto& file) { return holds(file.name, file.content); });
}

// The instant of its checkpoint; below 0 if that is of no use here.
Time time_of(const std::string& partial, const scenario::Effective& wanted) {
  try {
    if (!has_checkpoint(partial) || !is_of(written_in(partial), wanted)) return Time{-1};
    return read_checkpoint(written_in(partial)).now;
  } catch (const InputError&) {
    return Time{-1};
  }
}

// The checkpoint first: files that grow meanwhile have at least what it counts on.
void copy_files(const std::string& from, const std::string& to) {
  fs::create_directories(to);
  fs::copy_file(fmt::format("{}/{}", from, probe::kCheckpoint), fmt::format("{}/{}", to, probe::kCheckpoint));
  for (const auto& entry : fs::directory_iterator(from))
    if (entry.is_regular_file() && entry.path().filename() != probe::kCheckpoint)
      fs::copy_file(entry.path(), fs::path(to) / entry.path().filename());
}

void remove_all(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace

std::string partial_name(const std::string& target, const std::string& token) {
  return fmt::format("{}{}{}", target, kPartial, token);
}

std::string result_in(const std::string& partial) { return partial + "/run"; }

std::string new_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

bool is_left(std::string_view name) { return name.find(kPartial) != std::string_view::npos; }
std::string run_of_left(std::string_view name) { return std::string(name.substr(0, name.rfind(kPartial))); }

bool has_checkpoint(const std::string& partial) {
  std::error_code error;
  return fs::is_regular_file(fmt::format("{}/{}", written_in(partial), probe::kCheckpoint), error);
}

std::vector<std::string> left_runs(const std::string& dir) {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator(study::results_of(dir)))
    if (const std::string name = entry.path().filename().string(); is_left(name)) out.insert(run_of_left(name));
  return {out.begin(), out.end()};
}

void remove_left(const std::string& target) {
  for (const std::string& left : left_of(target))
    if (const std::string mine = fence(target, left); !mine.empty()) remove_all(mine);
}

std::unique_ptr<Resumed> resume_left(const std::string& target, const std::string& partial,
                                     const scenario::Scenario& wanted, const ExecutionOptions& options) {
  const scenario::Effective effective = scenario::effective(wanted);
  std::string best;
  Time best_time{-1};
  for (const std::string& left : left_of(target, partial)) {
    const std::string mine = fence(target, left);
    if (mine.empty()) continue;
    const Time time = time_of(mine, effective);
    std::string worse = mine;
    if (time > best_time) {
      worse = std::exchange(best, mine);
      best_time = time;
    }
    if (!worse.empty()) remove_all(worse);
  }
  if (best.empty()) return nullptr;
  try {
    copy_files(written_in(best), written_in(partial));
  } catch (const std::system_error&) {
    if (fs::exists(best)) throw;  // a full disk, say; it stays for the next one
    remove_all(written_in(partial));
    return nullptr;
  }
  remove_all(best);
  auto out = std::make_unique<Resumed>();
  try {
    out->directory = probe::ResultDirectory::resume(result_in(partial));
    Unfinished unfinished = read_unfinished(out->directory->partial(), {});
    out->outcome = resume(unfinished, scenario::build_model(unfinished.scenario), *out->directory, options);
  } catch (const InputError&) {
    out.reset();  // gives its lock back
    remove_all(written_in(partial));
  }
  return out;
}

}  // namespace weir::run
