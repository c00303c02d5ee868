#include "weir/report/setting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "weir/base/params.h"
#include "weir/scenario/toml_parser.h"

namespace weir::report {
namespace {

constexpr std::size_t kMaxValues = 3;  // that a line tells of one thing

std::string shown(const scenario::Value& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* whole = value.as<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto* number = value.as<double>()) return fmt::format("{:.7g}", *number);
  if (const auto* flag = value.as<bool>()) return *flag ? "true" : "false";
  return "";
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

// The different texts of the runs: all of them, or how many there are. Where each algorithm has one text, it stands
// behind it: "ECN off (hpcc) / ECN above 390 KB (dctcp)".
std::string together(std::span<const Settings> runs, const std::string& what,
                     const std::function<std::string(const Settings&)>& text_of_run) {
  std::vector<std::pair<std::string, std::vector<std::string>>> texts;  // and the algorithms of their runs
  std::map<std::string, std::set<std::string>> of_algorithm;
  for (const Settings& run : runs) {
    const std::string text = text_of_run(run);
    if (text.empty()) continue;
    auto known = std::find_if(texts.begin(), texts.end(), [&](const auto& entry) { return entry.first == text; });
    if (known == texts.end()) known = texts.insert(known, {text, {}});
    const std::string algorithm = at(by_key(run), "algorithm.name");
    if (of_algorithm[algorithm].insert(text).second) known->second.push_back(algorithm);
  }
  if (texts.size() > kMaxValues) return fmt::format("{} {}", texts.size(), what);
  const bool by_algorithm =
      texts.size() > 1 && std::all_of(of_algorithm.begin(), of_algorithm.end(), [](const auto& entry) {
        return !entry.first.empty() && entry.second.size() == 1;
      });
  std::vector<std::string> out;
  for (const auto& [text, algorithms] : texts)
    out.push_back(by_algorithm ? fmt::format("{} ({})", text, fmt::join(algorithms, ", ")) : text);
  return fmt::format("{}", fmt::join(out, " / "));
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

// The rates of the links that the topology's parameters tell, slowest first; none of a graph in a file.
std::set<std::int64_t> link_rates(const Settings& settings) {
  std::set<std::int64_t> out;
  for (const auto& [key, value] : settings)
    if (key.starts_with("topology.") && key.ends_with("rate")) out.insert(parse_rate(value).bits_per_second);
  return out;
}

struct Thresholds {
  Bytes low;
  Bytes high;
  std::string probability;  // at `high`

  friend bool operator==(const Thresholds&, const Thresholds&) = default;
};

std::string text_of(const Thresholds& k) {
  const std::string low = format_value(k.low);
  if (k.low == k.high) return "above " + low;
  return fmt::format("{} to {}{}", low, format_value(k.high), k.probability.empty() ? "" : ", p_max " + k.probability);
}

// Of a table with thresholds; nothing if it has none.
std::optional<Thresholds> thresholds_in(const Values& run, const std::string& table) {
  const std::string low = at(run, table + "k_min");
  const std::string high = at(run, table + "k_max");
  if (low.empty() || high.empty()) return std::nullopt;
  return Thresholds{parse_bytes(low), parse_bytes(high), at(run, table + "p_max")};
}

Bytes scaled(Bytes k, std::int64_t rate, std::int64_t at_rate) {
  return {static_cast<std::int64_t>(static_cast<__int128>(k.count) * rate / at_rate)};
}

// What holds at links of this rate: the row that names it, or thresholds in proportion to the rate.
Thresholds thresholds_at(const Values& run, const Thresholds& given, std::int64_t at_rate, std::int64_t rate) {
  for (std::size_t i = 0;; ++i) {
    const std::string row = fmt::format("network.ecn.rate.{}.", i);
    const auto own = thresholds_in(run, row);
    if (!own) break;
    if (parse_rate(at(run, row + "rate")).bits_per_second == rate) return *own;
  }
  if (at_rate == 0) return given;
  return {scaled(given.low, rate, at_rate), scaled(given.high, rate, at_rate), given.probability};
}

// "ECN 400 KB to 1.6 MB, p_max 0.2, at 100 Gbps": as it is at the network's links. Of a graph in a file, whose rates
// are not known here, as it is written.
std::string ecn_text(const Settings& settings) {
  const Values run = by_key(settings);
  if (at(run, "network.ecn.enabled") != "true") return "ECN off";
  const auto given = thresholds_in(run, "network.ecn.");
  if (!given) return "ECN on";
  const std::string written_for = at(run, "network.ecn.at_rate");
  const std::int64_t at_rate = written_for.empty() ? 0 : parse_rate(written_for).bits_per_second;
  const std::set<std::int64_t> rates = link_rates(settings);
  if (rates.empty()) return fmt::format("ECN {}{}", text_of(*given), at_rate == 0 ? "" : " per " + written_for);
  std::vector<std::pair<Thresholds, std::string>> parts;  // and their rates
  for (const std::int64_t rate : rates) {
    const Thresholds k = thresholds_at(run, *given, at_rate, rate);
    const std::string name = format_value(Rate{rate});
    if (!parts.empty() && parts.back().first == k)
      parts.back().second += " and " + name;
    else
      parts.emplace_back(k, name);
  }
  if (parts.size() == 1 && rates.size() > 1) return "ECN " + text_of(parts[0].first);
  std::vector<std::string> texts;
  for (const auto& [k, at_rates] : parts)
    texts.push_back(fmt::format("{}{} at {}", text_of(k), k.low == k.high ? "" : ",", at_rates));
  return fmt::format("ECN {}", fmt::join(texts, "; "));
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
  const scenario::Value root = scenario::parse_toml(run.scenario, run.file("scenario.toml"));
  for (const auto& [key, value] : scenario::leaves_of(root)) out.emplace_back(key, shown(*value));
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
