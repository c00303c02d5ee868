#include "weir/run/fork.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/result/directory.h"
#include "weir/run/execution.h"
#include "weir/scenario/document.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/reader.h"
#include "weir/scenario/toml_parser.h"
#include "weir/scenario/toml_writer.h"

namespace weir::run {
namespace {

// A key, or all keys of a table.
struct Rule {
  std::string_view key;
  std::string_view reason;  // why it cannot change; "" = it can
};
constexpr std::array kRules{
    Rule{"title", ""},
    Rule{"run.stop", ""},
    Rule{"run.threads", ""},
    Rule{"run.scheduler", ""},
    Rule{"run.seed", "all that is random before the fork would be another"},
    Rule{"network.ecn", ""},
    Rule{"network.buffer.size", ""},
    Rule{"network.buffer.pfc_alpha", ""},
    Rule{"network.buffer.egress_alpha", ""},
    Rule{"network.buffer.resume_offset", ""},
    Rule{"network.buffer", "packets that are in the buffer are accounted for by it"},
    Rule{"network.loss", ""},
    Rule{"network.failure", ""},
    Rule{"network.link_event", ""},
    Rule{"host.pause", ""},
    Rule{"topology", "packets are on their way through this network"},
    Rule{"traffic", "flows are drawn from the start of the run, and those before the fork would be others"},
    Rule{"probes", "the files of the result have been begun"},
    Rule{"transport", "flows and packets under way are framed by it"},
};

// The keys that can change, for messages.
std::string changeable() {
  std::vector<std::string_view> keys;
  for (const Rule& rule : kRules)
    if (rule.reason.empty()) keys.push_back(rule.key);
  return fmt::format("{}, and times, rates, bytes and numbers of algorithms", fmt::join(keys, ", "));
}

bool is_of(std::string_view key, std::string_view table) {
  return key.starts_with(table) && (key.size() == table.size() || key[table.size()] == '.');
}

bool is_quantity(const Param& p) {
  return std::visit(
      [](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        return !std::is_same_v<T, std::string> && !std::is_same_v<T, std::int64_t> && !std::is_same_v<T, bool>;
      },
      p.fallback);
}

// The profile whose own parameters a key may be one of, and the parameter.
std::optional<std::string> reason_of_profile(const scenario::Scenario& s, std::string_view key) {
  for (std::size_t i = 0; i < s.profiles.size(); ++i) {
    const std::string table = i == 0 ? "algorithm" : fmt::format("profile.{}", i - 1);
    if (!is_of(key, table)) continue;
    const auto* p =
        key.size() > table.size() ? s.profiles[i].algorithm->params->find(key.substr(table.size() + 1)) : nullptr;
    if (p == nullptr) return "flows under way have state of it";
    if (!is_quantity(*p)) return "counts and choices of an algorithm are part of the state of its flows";
    return "";
  }
  return std::nullopt;
}

// Why this key cannot change; "" = it can.
std::string reason_of(const scenario::Scenario& s, std::string_view key) {
  for (const Rule& rule : kRules)
    if (is_of(key, rule.key)) return std::string(rule.reason);
  return reason_of_profile(s, key).value_or("the network that runs stands for it");
}

struct Change {
  std::string key;
  std::string before;  // "" = it was not there
  std::string after;
};

using Leaves = std::map<std::string, std::string>;

Leaves leaves_of(const std::string& toml) {
  const scenario::Value root = scenario::parse_toml(toml, "the effective scenario");
  Leaves out;
  for (const auto& [key, value] : scenario::leaves_of(root)) out[key] = scenario::text_of(*value).value_or("");
  return out;
}

std::vector<Change> changes_of(const Fork& f) {
  const Leaves before = leaves_of(f.before_toml);
  const Leaves after = leaves_of(f.after_toml);
  std::vector<Change> out;
  for (const auto& [key, value] : before) {
    const auto at = after.find(key);
    if (at == after.end() || at->second != value) out.push_back({key, value, at == after.end() ? "" : at->second});
  }
  for (const auto& [key, value] : after)
    if (!before.contains(key)) out.push_back({key, "", value});
  return out;
}

// Data files are the same in both, whatever their names.
void check_files(const std::vector<scenario::Attachment>& before, const std::vector<scenario::Attachment>& after) {
  const auto same = [](const auto& a, const auto& b) { return a.name == b.name && a.content == b.content; };
  const auto [a, b] = std::mismatch(before.begin(), before.end(), after.begin(), after.end(), same);
  if (a != before.end() || b != after.end())
    throw InputError(
        fmt::format("{}: the run has begun with another content of this data file; a fork cannot change it",
                    a != before.end() ? a->name : b->name));
}

// What goes wrong before the fork is the same in both.
void check_past(const Fork& f, const engine::Faults& before, const engine::Faults& after) {
  const auto check = [&](const char* key, const auto& a, const auto& b, auto&& facts_of, auto&& time_of) {
    const auto is_past = [&](const auto& row) { return time_of(row) < f.at; };
    const auto same = [&](const auto& x, const auto& y) { return facts_of(x) == facts_of(y); };
    const auto end_a = std::partition_point(a.begin(), a.end(), is_past);  // both are in order of time
    const auto end_b = std::partition_point(b.begin(), b.end(), is_past);
    if (!std::equal(a.begin(), end_a, b.begin(), end_b, same))
      scenario::fail_key(f.after.place(key), key,
                         fmt::format("up to the fork at {} it must be what it was", format_value(f.at)));
  };
  check(
      "network.link_event", before.changes, after.changes,
      [](const engine::LinkChange& c) { return std::tuple(c.time, c.link, c.state); },
      [](const engine::LinkChange& c) { return c.time; });
  check(
      "host.pause", before.pauses, after.pauses,
      [](const engine::HostPauseRow& p) { return std::tuple(p.start, p.host, p.duration); },
      [](const engine::HostPauseRow& p) { return p.start; });
}

std::string to_toml(Time at, const std::vector<Change>& changes) {
  scenario::TomlWriter out(
      fmt::format("Up to this instant {} holds, from then on scenario.toml.", result::kBeforeFork));
  out.text("at", format_value(at));
  for (const Change& c : changes) {
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
    table.fail_at("at", error.what());
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
  check_can_be_saved(out.before, "can be forked");
  for (const Change& change : changes_of(out))
    if (const std::string reason = reason_of(out.before, change.key); !reason.empty())
      scenario::fail_key(
          out.after.place(change.key), change.key,
          fmt::format("it cannot change while the network runs: {}; what can is {}", reason, changeable()));
  check_files(before.attachments, after.attachments);
  const Time stop = out.before.run.stop;
  if (stop > Time{} && at >= stop)
    throw InputError(fmt::format("--at {}: the run stops at {}", format_value(at), format_value(stop)));
  if (out.after.run.stop > Time{} && out.after.run.stop <= at)
    scenario::fail_key(out.after.place("run.stop"), "run.stop",
                       fmt::format("the fork is at {}; write a later time, or 0", format_value(at)));
  if (fs::exists(fs::path(folder) / probe::kCheckpoint))
    if (Checkpoint c = read_checkpoint(folder); c.now <= at && c.partitions == 1) out.from = std::move(c);
  return out;
}

std::optional<Outcome> fork(Fork& f, std::shared_ptr<const engine::Model> model, probe::ResultDirectory& directory,
                            const ExecuteOptions& options) {
  std::optional<Checkpoint> at;
  {
    const auto first = scenario::build_model(f.before);
    check_past(f, first->faults, model->faults);
    ExecuteOptions plain = options;
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
  directory.write(result::kFork, to_toml(at->now, changes_of(f)));
  directory.write("scenario.toml", f.after_toml);
  directory.keep_files();
  Execution after(f.after, std::move(model), &directory, options, &*at);
  at->state = {};
  return after.finish();
}

}  // namespace weir::run
