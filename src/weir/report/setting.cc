#include "weir/report/setting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "weir/scenario/toml_parser.h"

namespace weir::report {
namespace {

constexpr std::size_t kMaxValues = 3;  // that a line tells of one thing

std::string text_of(const scenario::Value& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* whole = value.as<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto* number = value.as<double>()) return fmt::format("{:.7g}", *number);
  if (const auto* flag = value.as<bool>()) return *flag ? "true" : "false";
  return "";
}

void flatten(const scenario::Value& value, const std::string& key, Settings& out) {
  const std::string before = key.empty() ? "" : key + ".";
  if (const auto* table = value.as<scenario::Table>()) {
    for (const auto& [name, item] : table->entries) flatten(item, before + name, out);
  } else if (const auto* list = value.as<scenario::List>()) {
    for (std::size_t i = 0; i < list->size(); ++i) flatten((*list)[i], fmt::format("{}{}", before, i), out);
  } else {
    out.emplace_back(key, text_of(value));
  }
}

using Values = std::map<std::string, std::string, std::less<>>;

Values by_key(const Settings& settings) { return {settings.begin(), settings.end()}; }

std::string at(const Values& run, const std::string& key) {
  const auto found = run.find(key);
  return found == run.end() ? "" : found->second;
}

std::string percent(const std::string& share) {
  return fmt::format("{:.4g} %", 100 * std::strtod(share.c_str(), nullptr));
}

// "ring.graph" of "./topology-ring.graph", as a result calls its copy.
std::string file_text(std::string_view copy) {
  for (const std::string_view before : {"./", "topology-"})
    if (copy.starts_with(before)) copy.remove_prefix(before.size());
  return std::string(copy);
}

// "fat-tree, k 4, 100 Gbps", "graph ring.graph": without delays.
std::string topology_text(const Settings& settings) {
  constexpr std::string_view kTable = "topology.";
  std::string out;
  for (const auto& [key, value] : settings) {
    if (!key.starts_with(kTable) || key.ends_with("delay")) continue;
    std::string name = key.substr(kTable.size());
    if (name.find('.') != std::string::npos || (name == "links_per_pair" && value == "1")) continue;
    std::replace(name.begin(), name.end(), '_', ' ');
    if (name == "kind" && value == "file") continue;
    if (!out.empty()) out += ", ";
    if (name != "kind" && name != "rate") out.append(name == "file" ? "graph" : name).append(" ");
    out += name == "file" ? file_text(value) : value;
  }
  return out;
}

// Of one source of flows: "web at 30 % load", "incast of 20 KB, 8:1, at 2 % load"; "" if there are fewer.
std::string source_text(const Settings& settings, std::size_t i) {
  const Values run = by_key(settings);
  const std::string table = fmt::format("traffic.{}.", i);
  if (at(run, table + "kind").empty()) return "";
  const std::string tag = at(run, table + "tag");
  std::string text = tag.empty() ? at(run, table + "kind") : tag;
  const std::string size = at(run, table + "size");
  const std::string fan_in = at(run, table + "fan_in");
  const std::string load = at(run, table + "load");
  if (!size.empty()) text += " of " + size;
  if (!fan_in.empty() && fan_in != "0") text += fmt::format(", {}:1", fan_in);
  if (!load.empty()) text += fmt::format("{} at {} load", size.empty() ? "" : ",", percent(load));
  return text;
}

// The different texts of the runs: all of them, or how many there are.
std::string together(std::span<const Settings> runs, const std::string& what,
                     const std::function<std::string(const Settings&)>& text_of_run) {
  std::vector<std::string> texts;
  for (const Settings& run : runs)
    if (const std::string text = text_of_run(run);
        !text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(text);
  return texts.size() > kMaxValues ? fmt::format("{} {}", texts.size(), what)
                                   : fmt::format("{}", fmt::join(texts, " / "));
}

// Source by source.
std::string traffic_text(std::span<const Settings> runs) {
  std::vector<std::string> sources;
  for (std::size_t i = 0;; ++i) {
    std::string text = together(runs, fmt::format("kinds of source {}", i + 1),
                                [&](const Settings& run) { return source_text(run, i); });
    if (text.empty()) return fmt::format("{}", fmt::join(sources, " + "));
    sources.push_back(std::move(text));
  }
}

std::string ecn_text(const Settings& settings) {
  const Values run = by_key(settings);
  if (at(run, "network.ecn.enabled") != "true") return "ECN off";
  const std::string low = at(run, "network.ecn.k_min");
  const std::string high = at(run, "network.ecn.k_max");
  std::string out = low.empty() ? "ECN on" : low == high ? "ECN above " + low : fmt::format("ECN {} to {}", low, high);
  const std::string rate = at(run, "network.ecn.at_rate");
  if (!low.empty() && !rate.empty() && rate != "0 bps") out += " per " + rate;
  return out;
}

std::string buffer_text(const Settings& settings) {
  const Values run = by_key(settings);
  return fmt::format("buffer {}, {}", at(run, "network.buffer.size"), at(run, "network.buffer.mode"));
}

// Keys that choose what else a table has.
bool is_chooser(std::string_view name) { return name == "name" || name == "kind" || name == "enabled"; }

std::string table_of(const std::string& key) {
  const auto dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::string name_of(const std::string& key) { return key.substr(key.rfind('.') + 1); }

// What tells nothing of the experiment, or has a column of its own.
bool is_told_elsewhere(const std::string& key) {
  return key == "title" || key == "run.threads" || key == "run.scheduler" || key == "algorithm.name" ||
         key.starts_with("probes.");
}

}  // namespace

Settings settings_of(const Run& run) {
  Settings out;
  flatten(scenario::parse_toml(run.scenario, run.file("scenario.toml")), "", out);
  return out;
}

std::string setting_line(std::span<const Settings> runs) {
  std::vector<std::string> out;
  for (std::string part : {together(runs, "topologies", topology_text), traffic_text(runs),
                           together(runs, "settings of ECN", ecn_text), together(runs, "buffers", buffer_text)})
    if (!part.empty()) out.push_back(std::move(part));
  return fmt::format("{}", fmt::join(out, " · "));
}

std::vector<Settings> differences(std::span<const Settings> runs) {
  std::vector<Settings> out(runs.size());
  std::vector<Values> values;
  std::vector<std::string> keys;  // in the order of the runs
  std::set<std::string> known;
  for (const Settings& run : runs) {
    values.push_back(by_key(run));
    for (const auto& [key, value] : run)
      if (!is_told_elsewhere(key) || is_chooser(name_of(key)))
        if (known.insert(key).second) keys.push_back(key);
  }
  std::set<std::string> different;       // keys
  std::set<std::string> other_kinds;     // tables
  std::set<std::string> not_everywhere;  // keys
  for (const std::string& key : keys) {
    std::set<std::string> found;
    for (const Values& run : values) {
      const auto it = run.find(key);
      if (it == run.end())
        not_everywhere.insert(key);
      else
        found.insert(it->second);
    }
    if (found.size() < 2 && !not_everywhere.contains(key)) continue;
    different.insert(key);
    if (is_chooser(name_of(key))) other_kinds.insert(table_of(key));
  }
  for (const std::string& key : keys) {
    if (!different.contains(key) || is_told_elsewhere(key)) continue;
    // a source of flows without a profile of its own has the algorithm's name there
    if (key.starts_with("traffic.") && name_of(key) == "profile" &&
        std::all_of(values.begin(), values.end(),
                    [&](const Values& run) { return at(run, key) == at(run, "algorithm.name"); }))
      continue;
    if (other_kinds.contains(table_of(key)) && !is_chooser(name_of(key))) continue;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (const auto it = values[i].find(key); it != values[i].end()) out[i].emplace_back(key, it->second);
  }
  return out;
}

}  // namespace weir::report
