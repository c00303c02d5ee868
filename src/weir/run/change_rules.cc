#include "weir/run/change_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/toml/document.h"
#include "weir/toml/parser.h"
#include "weir/toml/reader.h"

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
    Rule{"run.seed", "all that was random before would be another"},
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
    Rule{"traffic", "flows are drawn from the start of the run, and those before would be others"},
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

using Leaves = std::map<std::string, std::string>;

Leaves leaves_of(const std::string& toml) {
  const scenario::Value root = scenario::parse_toml(toml, "the effective scenario");
  Leaves out;
  for (const auto& [key, value] : scenario::leaves_of(root)) out[key] = scenario::text_of(*value).value_or("");
  return out;
}

}  // namespace

std::vector<ChangedKey> changed_keys(const std::string& before_toml, const std::string& after_toml) {
  const Leaves before = leaves_of(before_toml);
  const Leaves after = leaves_of(after_toml);
  std::vector<ChangedKey> out;
  for (const auto& [key, value] : before) {
    const auto at = after.find(key);
    if (at == after.end() || at->second != value) out.push_back({key, value, at == after.end() ? "" : at->second});
  }
  for (const auto& [key, value] : after)
    if (!before.contains(key)) out.push_back({key, "", value});
  return out;
}

std::vector<std::pair<std::string, std::string>> changeable_keys(const scenario::Scenario& s, const std::string& toml) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [key, value] : leaves_of(toml))
    if (reason_of(s, key).empty()) out.emplace_back(key, value);
  return out;
}

void check_keys(const scenario::Scenario& before, const scenario::Scenario& after,
                const std::vector<ChangedKey>& changes) {
  for (const ChangedKey& change : changes)
    if (const std::string reason = reason_of(before, change.key); !reason.empty())
      throw scenario::key_error(
          after.place(change.key), change.key,
          fmt::format("it cannot change while the network runs: {}; what can is {}", reason, changeable()));
}

void check_files(const std::vector<scenario::Attachment>& before, const std::vector<scenario::Attachment>& after) {
  const auto same = [](const auto& a, const auto& b) { return a.name == b.name && a.content == b.content; };
  const auto [a, b] = std::mismatch(before.begin(), before.end(), after.begin(), after.end(), same);
  if (a != before.end() || b != after.end())
    throw InputError(
        fmt::format("{}: the run has begun with another content of this data file; a fork cannot change it",
                    a != before.end() ? a->name : b->name));
}

void check_past(const scenario::Scenario& s, Time at, const engine::Faults& before, const engine::Faults& after) {
  const auto check = [&](const char* key, const auto& a, const auto& b, auto&& facts_of, auto&& time_of) {
    const auto is_past = [&](const auto& row) { return time_of(row) < at; };
    const auto same = [&](const auto& x, const auto& y) { return facts_of(x) == facts_of(y); };
    const auto end_a = std::partition_point(a.begin(), a.end(), is_past);  // both are in order of time
    const auto end_b = std::partition_point(b.begin(), b.end(), is_past);
    if (!std::equal(a.begin(), end_a, b.begin(), end_b, same))
      throw scenario::key_error(s, key, fmt::format("up to {} it must be what it was", format_value(at)));
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
}  // namespace weir::run
