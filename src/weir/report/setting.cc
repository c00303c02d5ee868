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

#include "weir/base/error.h"
#include "weir/base/marking.h"
#include "weir/base/params.h"
#include "weir/toml/parser.h"

namespace weir::report {
namespace {

using Json = nlohmann::ordered_json;

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

// "ring.graph" of "./topology-ring.graph", as a result calls its copy of a file of the table `owner`.
std::string file_text(std::string_view copy, const std::string& owner) {
  for (const std::string& before : {std::string("./"), owner + "-"})
    if (copy.starts_with(before)) copy.remove_prefix(before.size());
  return std::string(copy);
}

// By what runs are told apart: the name that `table`, "algorithm" or "profile.0", gives an algorithm, and the policy
// that decides there: "pcc_rl (wide)".
std::string algorithm_text(const Values& run, const std::string& table) {
  std::string owner = table;
  std::replace(owner.begin(), owner.end(), '.', '-');
  std::string policy = file_text(at(run, table + ".policy"), owner);
  constexpr std::string_view kEnd = ".toml";
  if (policy.ends_with(kEnd)) policy.resize(policy.size() - kEnd.size());
  return policy.empty() ? at(run, table + ".name") : fmt::format("{} ({})", at(run, table + ".name"), policy);
}

// "fat-tree, k 4, 100 Gbps", "graph ring.graph": without delays.
std::string topology_text(const Settings& settings) {
  constexpr std::string_view kTable = "topology.";
  std::string out;
  for (const auto& [key, value] : settings) {
    if (!key.starts_with(kTable) || key.ends_with("delay") || key.ends_with("delay_scale")) continue;
    std::string name = key.substr(kTable.size());
    if (name.find('.') != std::string::npos || (name == "links_per_pair" && value == "1")) continue;
    std::replace(name.begin(), name.end(), '_', ' ');
    if (name == "kind" && value == "file") continue;
    if (!out.empty()) out += ", ";
    if (name != "kind" && name != "rate") out.append(name == "file" ? "graph" : name).append(" ");
    out += name == "file" ? file_text(value, "topology") : value;
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
    const std::string algorithm = algorithm_text(by_key(run), "algorithm");
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

std::string text_of(const RedMarking& k) {
  const std::string low = format_value(k.k_min);
  if (k.k_min == k.k_max) return "above " + low;
  return fmt::format("{} to {}, p_max {:.7g}", low, format_value(k.k_max), k.p_max);
}

// What a scenario's text says of a rate or a size; nothing if it says none that is known here.
template <typename T>
std::optional<T> quantity(const std::string& text, T (*parse)(std::string_view)) {
  if (text.empty()) return std::nullopt;
  try {
    return parse(text);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// The rates of the links that the topology's parameters tell, slowest first; none of a graph in a file.
std::set<std::int64_t> link_rates(const Settings& settings) {
  std::set<std::int64_t> out;
  for (const auto& [key, value] : settings)
    if (key.starts_with("topology.") && key.ends_with("rate"))
      if (const auto rate = quantity(value, parse_rate)) out.insert(rate->bits_per_second);
  return out;
}

// Of a table with thresholds; nothing if it has none.
std::optional<RedMarking> marking_in(const Values& run, const std::string& table) {
  const auto low = quantity(at(run, table + "k_min"), parse_bytes);
  const auto high = quantity(at(run, table + "k_max"), parse_bytes);
  if (!low || !high) return std::nullopt;
  return RedMarking{*low, *high, std::strtod(at(run, table + "p_max").c_str(), nullptr)};
}

std::vector<RedMarkingOfRate> markings_of_rates(const Values& run) {
  std::vector<RedMarkingOfRate> out;
  for (std::size_t i = 0;; ++i) {
    const std::string row = fmt::format("network.ecn.rate.{}.", i);
    const auto rate = quantity(at(run, row + "rate"), parse_rate);
    const auto marking = marking_in(run, row);
    if (!rate || !marking) return out;
    out.push_back({*rate, *marking});
  }
}

// "ECN 400 KB to 1.6 MB, p_max 0.2, at 100 Gbps": as it is at the network's links. Of a graph in a file, whose rates
// are not known here, as it is written.
std::string ecn_text(const Settings& settings) {
  const Values run = by_key(settings);
  if (at(run, "network.ecn.enabled") != "true") return "ECN off";
  const auto given = marking_in(run, "network.ecn.");
  if (!given) return "ECN on";
  const Rate at_rate = quantity(at(run, "network.ecn.at_rate"), parse_rate).value_or(Rate{});
  const std::set<std::int64_t> rates = link_rates(settings);
  if (rates.empty())
    return fmt::format("ECN {}{}", text_of(*given), at_rate == Rate{} ? "" : " per " + format_value(at_rate));
  const auto rows = markings_of_rates(run);
  std::vector<std::pair<RedMarking, std::string>> parts;  // and their rates
  for (const std::int64_t rate : rates) {
    const RedMarking k = marking_at({rate}, *given, at_rate, rows);
    const std::string name = format_value(Rate{rate});
    if (!parts.empty() && parts.back().first == k)
      parts.back().second += " and " + name;
    else
      parts.emplace_back(k, name);
  }
  if (parts.size() == 1 && rates.size() > 1) return "ECN " + text_of(parts[0].first);
  std::vector<std::string> texts;
  for (const auto& [k, at_rates] : parts)
    texts.push_back(fmt::format("{}{} at {}", text_of(k), k.k_min == k.k_max ? "" : ",", at_rates));
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

std::string last_part_of(const std::string& key) { return key.substr(key.rfind('.') + 1); }

// What tells nothing of the experiment, or has a column of its own.
bool is_told_elsewhere(const std::string& key) {
  return key == "title" || key == "run.threads" || key == "run.scheduler" || key == "algorithm.name" ||
         key == "algorithm.policy" || key.starts_with("probes.");
}

}  // namespace

Settings settings_of(const Run& run) {
  Settings out;
  const scenario::Value root = scenario::parse_toml(run.scenario, run.file("scenario.toml"));
  for (const auto& [key, value] : scenario::leaves_of(root)) out.emplace_back(key, shown(*value));
  return out;
}

std::vector<std::string> algorithms_of(const Run& run, const Settings& settings) {
  const Values values = by_key(settings);
  std::map<std::string, std::string> texts;  // by the name of an algorithm or a profile
  std::string table = "algorithm";
  for (std::size_t i = 0; !at(values, table + ".name").empty(); table = fmt::format("profile.{}", i++))
    texts.emplace(at(values, table + ".name"), algorithm_text(values, table));
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const Json finished = run.summary.at("slowdown").value("by_algorithm", Json::object());
  for (const auto& [name, numbers] : finished.items()) add(name);
  if (names.empty())
    for (std::size_t i = 0; !at(values, fmt::format("traffic.{}.kind", i)).empty(); ++i)
      add(at(values, fmt::format("traffic.{}.profile", i)));
  if (names.empty()) add(at(values, "algorithm.name"));
  for (std::string& name : names)
    if (const auto text = texts.find(name); text != texts.end()) name = text->second;
  return names;
}

std::string setting_line(std::span<const Settings> runs) {
  std::vector<std::string> out;
  for (std::string part : {together(runs, "topologies", topology_text), traffic_text(runs),
                           together(runs, "settings of ECN", ecn_text), together(runs, "buffers", buffer_text)})
    if (!part.empty()) out.push_back(std::move(part));
  return fmt::format("{}", fmt::join(out, " · "));
}

std::vector<std::string> link_events(const Settings& settings) {
  const Values run = by_key(settings);
  const bool reroutes = at(run, "network.reroute") != "false";
  std::vector<std::string> out;
  for (std::size_t i = 0;; ++i) {
    const std::string row = fmt::format("network.link_event.{}.", i);
    const std::string state = at(run, row + "state");
    if (state.empty()) return out;
    const std::string what =
        state == "up" ? "comes up again"
        : reroutes ? "goes down; what is on it is lost, and from then on switches take the paths that are left, if any"
                   : "goes down; switches go on sending over it, and all of that is lost";
    const std::string place = at(run, row + "parallel");
    std::string links =
        fmt::format("{} between nodes {} and {}", place.empty() || place == "0" ? "every link" : "link " + place,
                    at(run, row + "a"), at(run, row + "b"));
    for (const char* whole : {"switch", "plane"})
      if (const std::string number = at(run, row + whole); !number.empty() && number != "-1")
        links = fmt::format("every link of {} {}", whole, number);
    out.push_back(fmt::format("At {} {} {}.", at(run, row + "time"), links, what));
  }
}

std::string fork_event(const Run& run) {
  const auto forked_at = run.manifest.find("forked_at_ps");
  if (forked_at == run.manifest.end()) return "";
  Values fork;
  const scenario::Value root =
      scenario::parse_toml(run.files.text(result::kFork), run.file(std::string(result::kFork)));
  for (const auto& [key, value] : scenario::leaves_of(root)) fork[key] = shown(*value);
  std::vector<std::string> changes;
  for (std::size_t i = 0;; ++i) {
    const std::string row = fmt::format("change.{}.", i);
    const std::string key = at(fork, row + "key");
    if (key.empty()) break;
    const std::string before = at(fork, row + "before");
    const std::string after = at(fork, row + "after");
    changes.push_back(fmt::format("{} = {}{}", key, after.empty() ? "(its default)" : after,
                                  before.empty() ? "" : fmt::format(" instead of {}", before)));
  }
  return fmt::format("At {} the run was forked from another one, which it equals up to there{}{}.",
                     format_value(Time{forked_at->get<std::int64_t>()}), changes.empty() ? "" : "; from then on ",
                     fmt::join(changes, ", "));
}

std::string steering_event(const Run& run) {
  const auto changes = run.manifest.find("changes");
  if (changes == run.manifest.end()) return "";
  const auto count = changes->get<std::uint64_t>();
  return fmt::format("The run was changed {} while it went on, as {} says; its setting is that of the end.",
                     count == 1 ? "once" : fmt::format("{} times", count), result::kSteering);
}

std::vector<Settings> differences(std::span<const Settings> runs) {
  std::vector<Settings> out(runs.size());
  std::vector<Values> values;
  std::vector<std::string> keys;  // in the order of the runs
  std::set<std::string> known;
  for (const Settings& run : runs) {
    values.push_back(by_key(run));
    for (const auto& [key, value] : run)
      if (!is_told_elsewhere(key) || is_chooser(last_part_of(key)))
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
    if (is_chooser(last_part_of(key))) other_kinds.insert(table_of(key));
  }
  for (const std::string& key : keys) {
    if (!different.contains(key) || is_told_elsewhere(key)) continue;
    // a source of flows without a profile of its own has the algorithm's name there
    if (key.starts_with("traffic.") && last_part_of(key) == "profile" &&
        std::all_of(values.begin(), values.end(),
                    [&](const Values& run) { return at(run, key) == at(run, "algorithm.name"); }))
      continue;
    if (other_kinds.contains(table_of(key)) && !is_chooser(last_part_of(key))) continue;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (const auto it = values[i].find(key); it != values[i].end()) out[i].emplace_back(key, it->second);
  }
  return out;
}

std::string left_out_text(std::vector<Unfinished> runs) {
  constexpr std::size_t kMaxNamed = 4;
  const bool alone = runs.size() == 1;
  std::erase_if(runs, [](const Unfinished& run) { return run.unfinished == 0; });
  if (runs.empty()) return "";
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Unfinished& a, const Unfinished& b) { return a.unfinished > b.unfinished; });
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(runs.size(), kMaxNamed); ++i)
    parts.push_back(fmt::format("{} of {}{}", runs[i].unfinished, runs[i].unfinished + runs[i].finished,
                                alone ? "" : " of " + runs[i].run));
  std::uint64_t others = 0;
  for (std::size_t i = kMaxNamed; i < runs.size(); ++i) others += runs[i].unfinished;
  if (others > 0) parts.push_back(fmt::format("{} in {} further runs", others, runs.size() - kMaxNamed));
  return fmt::format("Flows that had not finished when {} ended are not in it: {}.", alone ? "the run" : "their run",
                     fmt::join(parts, ", "));
}

}  // namespace weir::report
