#include "weir/study/run_differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "weir/base/text.h"
#include "weir/toml/parser.h"

namespace weir::study {
namespace {

constexpr std::string_view kScenario = "scenario.toml";
constexpr std::size_t kFewKeys = 5;

using Leaves = std::map<std::string, std::string>;

bool changes_nothing(std::string_view key) {
  return key == "title" || key == "run.threads" || key == "run.scheduler" || key.starts_with("probes.");
}

bool is_of_load(std::string_view key) {
  return key == "run.stop" || key == "run.until" || (key.starts_with("traffic.") && !key.ends_with(".profile"));
}

// "traffic.2" of "traffic.2.load"; "" of other keys.
std::string source_of(const std::string& key) {
  constexpr std::size_t kBegin = std::string_view("traffic.").size();
  return key.starts_with("traffic.") ? key.substr(0, key.find('.', kBegin)) : "";
}

// What a result says of its experiment.
Leaves settings_of(const RunFiles& files) {
  Leaves out;
  if (!files.has(kScenario)) return out;
  const auto root = scenario::parse_toml(files.text(kScenario), files.directory().file(kScenario));
  for (const auto& [key, value] : scenario::leaves_of(root))
    if (!changes_nothing(key)) out.emplace(key, scenario::text_of(*value).value_or(""));
  return out;
}

std::set<std::string> sources_of(const Leaves& leaves) {
  std::set<std::string> out;
  for (const auto& [key, value] : leaves) out.insert(source_of(key));
  return out;
}

}  // namespace

std::vector<Difference> differences(const RunFiles& base, const RunFiles& other) {
  std::vector<Difference> out;
  const Leaves a = settings_of(base);
  const Leaves b = settings_of(other);
  if (a.empty() || b.empty()) return out;
  const auto a_sources = sources_of(a);
  const auto b_sources = sources_of(b);
  std::set<std::string> keys;
  for (const auto* leaves : {&a, &b})
    for (const auto& [key, value] : *leaves) {
      const std::string source = source_of(key);
      keys.insert(a_sources.count(source) == b_sources.count(source) ? key : source);
    }
  const auto at = [](const Leaves& leaves, const std::set<std::string>& sources, const std::string& key) {
    const auto found = leaves.find(key);
    if (found != leaves.end()) return found->second;
    return std::string(sources.count(key) > 0 ? "a table" : "");
  };
  for (const std::string& key : keys) {
    Difference d{key, at(a, a_sources, key), at(b, b_sources, key), is_of_load(key)};
    if (d.base != d.other) out.push_back(std::move(d));
  }
  return out;
}

std::string load_text(const std::vector<Difference>& differences) {
  const auto text = [](const std::string& value) { return value.empty() ? "none" : one_line(value, kQuoted); };
  std::vector<std::string> out;
  std::size_t more = 0;
  for (const Difference& d : differences) {
    if (!d.of_load) continue;
    if (out.size() < kFewKeys)
      out.push_back(fmt::format("{} ({} and {})", d.key, text(d.base), text(d.other)));
    else
      ++more;
  }
  return fmt::format("{}{}", fmt::join(out, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace weir::study
