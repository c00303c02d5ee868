#include "weir/compare_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace weir::app {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double number_in(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : kUnknown;
}

bool has_ended(const nlohmann::ordered_json& collective) { return collective.value("unfinished", 0) == 0; }

// By collective and activity, in the order of the summary.
std::vector<ComparedTime> times_of(const nlohmann::ordered_json& summary) {
  std::vector<ComparedTime> out;
  for (const auto& c : summary.value("collectives", nlohmann::ordered_json::array())) {
    const std::string tag = c.value("tag", "");
    const auto same = std::count_if(out.begin(), out.end(), [&](const ComparedTime& t) {
      return t.activity.empty() && (t.collective == tag || t.collective.starts_with(tag + " #"));
    });
    const std::string name = same == 0 ? tag : fmt::format("{} #{}", tag, same + 1);
    out.push_back({name, "", {has_ended(c) ? number_in(c, "completion_ps") : kUnknown}, {}});
    for (const auto& a : c.value("activities", nlohmann::ordered_json::array()))
      out.push_back({name, a.value("name", ""), {has_ended(c) ? number_in(a, "mean_ps") : kUnknown}, {}});
  }
  return out;
}

std::string us(double ps) { return std::isnan(ps) ? "-" : fmt::format("{:.3f} us", ps * 1e-6); }

}  // namespace

double ComparedTime::mean_base_ps() const { return mean(base_ps); }
double ComparedTime::mean_other_ps() const { return mean(other_ps); }

void add_times(std::vector<ComparedTime>& to, const nlohmann::ordered_json& base, const nlohmann::ordered_json& other) {
  const auto find = [](auto& times, const ComparedTime& wanted) {
    return std::find_if(times.begin(), times.end(), [&](const ComparedTime& t) {
      return t.collective == wanted.collective && t.activity == wanted.activity;
    });
  };
  const std::vector<ComparedTime> others = times_of(other);
  for (const ComparedTime& time : times_of(base)) {
    const auto same = find(others, time);
    if (same == others.end()) continue;
    auto at = find(to, time);
    if (at == to.end()) at = to.insert(to.end(), {time.collective, time.activity, {}, {}});
    at->base_ps.push_back(time.base_ps.front());
    at->other_ps.push_back(same->base_ps.front());
  }
}

std::string to_text(const std::vector<ComparedTime>& times) {
  if (times.empty()) return "";
  std::string out = fmt::format("{:<28} {:>16} {:>16} {:>9}\n", "collectives", "base", "other", "ratio");
  for (const ComparedTime& t : times) {
    const std::string name = t.activity.empty() ? "  " + t.collective : "    " + t.activity;
    const auto text = [&](double ps) { return t.activity.empty() && std::isnan(ps) ? "unfinished" : us(ps); };
    out += fmt::format("{:<28} {:>16} {:>16} {:>9}\n", name, text(t.mean_base_ps()), text(t.mean_other_ps()),
                       std::isfinite(t.ratio()) ? fmt::format("{:.4f}", t.ratio()) : "-");
  }
  return out + "collectives: until all is received, and below it what hosts spend in the mean\n";
}

nlohmann::ordered_json to_json(const std::vector<ComparedTime>& times) {
  const auto number = [](double v) { return std::isfinite(v) ? nlohmann::ordered_json(v) : nlohmann::ordered_json(); };
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const ComparedTime& t : times)
    out.push_back({{"collective", t.collective},
                   {"activity", t.activity},
                   {"base_ps", number(t.mean_base_ps())},
                   {"other_ps", number(t.mean_other_ps())},
                   {"ratio", number(t.ratio())}});
  return out;
}

}  // namespace weir::app
