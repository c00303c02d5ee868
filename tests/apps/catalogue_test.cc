// Every parameter that `weir list` tells of: its bounds, its default and its meaning agree.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <regex>
#include <string>
#include <variant>

#include "weir/scenario/reference.h"

namespace weir::app {
namespace {

void each_param(const std::function<void(const std::string& where, const Param&)>& look) {
  for (const auto& section : scenario::reference())
    for (const auto& item : section.items)
      for (const auto& table : item.tables)
        for (const Param& p : table.params->params()) look(section.name + " " + item.name + " " + p.name, p);
}

bool is_number(const Param& p) {
  return p.choices.empty() && !std::holds_alternative<bool>(p.fallback) &&
         !std::holds_alternative<std::string>(p.fallback);
}

// In the parameter's own type; whole where that is.
ParamValue value_of(const Param& p, double v) {
  struct Maker {
    double v;
    ParamValue operator()(double) const { return v; }
    ParamValue operator()(std::int64_t) const { return static_cast<std::int64_t>(v); }
    ParamValue operator()(Time) const { return Time{static_cast<std::int64_t>(v)}; }
    ParamValue operator()(Bytes) const { return Bytes{static_cast<std::int64_t>(v)}; }
    ParamValue operator()(Rate) const { return Rate{static_cast<std::int64_t>(v)}; }
    ParamValue operator()(bool) const { return false; }
    ParamValue operator()(const std::string&) const { return std::string(); }
  };
  return std::visit(Maker{v}, p.fallback);
}

bool takes(const Param& p, const ParamValue& v) {
  try {
    check_value(p, v);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

TEST(Catalogue, DefaultsAreValid) {
  each_param([](const std::string& where, const Param& p) {
    if (p.required) return;
    EXPECT_TRUE(takes(p, p.fallback)) << where << " = " << format_value(p.fallback);
  });
}

TEST(Catalogue, BoundsAreWhatIsTold) {
  each_param([](const std::string& where, const Param& p) {
    if (!is_number(p)) return;
    SCOPED_TRACE(where + ": " + p.valid());
    EXPECT_LT(p.min, p.max);
    EXPECT_TRUE(takes(p, value_of(p, p.min)));
    EXPECT_TRUE(p.max >= 9.2e18 || takes(p, value_of(p, p.max)));
  });
}

// The range is told once, by valid(): a meaning that tells it as well may contradict it.
TEST(Catalogue, MeaningsLeaveTheRangeToTheBounds) {
  const std::regex range(
      "at (least|most) [0-9]|(above|below|more than|less than) 0|positive|; (from )?[0-9.]+ to [0-9.]+$");
  each_param([&](const std::string& where, const Param& p) {
    if (p.name == "hyper_increase") return;  // "positive" is of a gradient
    EXPECT_FALSE(is_number(p) && std::regex_search(p.meaning, range)) << where << ": " << p.meaning;
  });
}

// "0 = all": that value is possible.
TEST(Catalogue, ValuesThatMeaningsExplainAreValid) {
  const std::regex special("(?:^|[ ;,(])(-?[0-9]+(?:\\.[0-9]+)?)(?: [A-Za-z]+)? = ");
  int found = 0;
  each_param([&](const std::string& where, const Param& p) {
    if (!is_number(p)) return;
    for (std::sregex_iterator at(p.meaning.begin(), p.meaning.end(), special); at != std::sregex_iterator(); ++at) {
      EXPECT_TRUE(takes(p, value_of(p, std::stod((*at)[1])))) << where << ": " << p.meaning << "; " << p.valid();
      ++found;
    }
  });
  EXPECT_GT(found, 40);
}

}  // namespace
}  // namespace weir::app
