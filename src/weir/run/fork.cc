#include "weir/run/fork.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/result/directory.h"
#include "weir/run/change_rules.h"
#include "weir/run/execution.h"
#include "weir/scenario/effective.h"
#include "weir/toml/document.h"
#include "weir/toml/parser.h"
#include "weir/toml/reader.h"
#include "weir/toml/writer.h"

namespace weir::run {
namespace {

std::string to_toml(Time at, const std::vector<ChangedKey>& changes) {
  scenario::TomlWriter out(
      fmt::format("Up to this instant {} holds, from then on scenario.toml.", result::kBeforeFork));
  out.text("at", format_value(at));
  for (const ChangedKey& c : changes) {
    out.section("[[change]]");
    out.text("key", c.key);
    if (!c.before.empty()) out.text("before", c.before);
    if (!c.after.empty()) out.text("after", c.after);
  }
  return out.take();
}

}  // namespace

std::optional<Time> fork_time(const std::string& folder) {
  const std::string file = fmt::format("{}/{}", folder, result::kFork);
  if (!std::filesystem::exists(file)) return std::nullopt;
  const scenario::Value root = scenario::parse_toml(result::read_text(file), file);
  const scenario::TableReader table(root, "");
  const std::string at = table.required_text("at", "the instant of the fork, like \"5 ms\"");
  try {
    return parse_time(at);
  } catch (const InputError& error) {
    throw table.error_at("at", error.what());
  }
}

Fork read_fork(const std::string& folder, Time at, const std::vector<std::string>& overrides) {
  namespace fs = std::filesystem;
  const std::string file = folder + "/scenario.toml";
  if (!fs::exists(file))
    throw InputError(fmt::format("{}: there is no run in it, for it has no scenario.toml", folder));
  // What the run wrote: another scenario or data file would not repeat it.
  const result::Directory written(folder);
  const std::string text = written.text("scenario.toml");
  Fork out;
  out.before = scenario::load_scenario(text, file);
  out.after = scenario::load_scenario(text, file, overrides);
  const scenario::Effective before = scenario::effective(out.before);
  const scenario::Effective after = scenario::effective(out.after);
  for (const auto& data : before.attachments) written.text(data.name);
  out.before_toml = before.toml;
  out.after_toml = after.toml;
  out.at = at;
  out.folder = folder;
  if (fs::exists(fs::path(folder) / result::kFork))
    throw InputError(
        fmt::format("{}: it was forked itself; fork the run that it was forked from, or run scenario.toml as it is and "
                    "fork that",
                    folder));
  if (fs::exists(fs::path(folder) / result::kSteering))
    throw InputError(
        fmt::format("{}: it was changed while it ran ({}), and cannot be forked", folder, result::kSteering));
  check_can_be_saved(out.before, "can be forked");
  check_keys(out.before, out.after, changed_keys(out.before_toml, out.after_toml));
  check_files(before.attachments, after.attachments);
  const Time stop = out.before.run.stop;
  if (stop > Time{} && at >= stop)
    throw InputError(fmt::format("--at {}: the run stops at {}", format_value(at), format_value(stop)));
  if (out.after.run.stop > Time{} && out.after.run.stop <= at)
    throw scenario::key_error(out.after.place("run.stop"), "run.stop",
                              fmt::format("the fork is at {}; write a later time, or 0", format_value(at)));
  if (fs::exists(fs::path(folder) / probe::kCheckpoint))
    if (Checkpoint c = read_checkpoint(folder); c.now <= at && c.partitions == 1) out.from = std::move(c);
  return out;
}

std::optional<Outcome> fork(Fork& f, std::shared_ptr<const engine::Model> model, probe::ResultDirectory& directory,
                            const ExecutionOptions& options) {
  std::optional<Checkpoint> at;
  {
    const auto first = scenario::build_model(f.before);
    check_past(f.after, f.at, first->faults, model->faults);
    ExecutionOptions plain = options;
    plain.checkpoints = {};
    if (f.from) directory.take_copies(f.folder);
    // In one part: by which rules a packet under way is judged at the far end of its link depends on the division.
    Execution before(f.before, first, &directory, plain, f.from ? &*f.from : nullptr, 1);
    f.from.reset();
    try {
      at = before.state_at(f.at);
    } catch (const InputError& error) {
      throw InputError(fmt::format("--at {}: {}", format_value(f.at), error.what()));
    }
  }
  if (!at) return std::nullopt;
  directory.write(result::kBeforeFork, f.before_toml);
  directory.write(result::kFork, to_toml(at->now, changed_keys(f.before_toml, f.after_toml)));
  directory.write("scenario.toml", f.after_toml);
  directory.keep_files();
  Execution after(f.after, std::move(model), &directory, options, &*at);
  at->state = {};
  return after.finish();
}

}  // namespace weir::run
