#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "weir/cc/algorithm.h"

namespace weir::cc {
namespace {

TEST(Catalogue, IsSortedAndComplete) {
  const auto all = catalogue();
  EXPECT_TRUE(
      std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.about.name < b.about.name; }));
  for (const auto& a : all) {
    EXPECT_EQ(find_algorithm(a.about.name), &a);
    EXPECT_FALSE(a.about.title.empty());
    EXPECT_FALSE(a.about.source.empty());
    EXPECT_NE(a.start, nullptr);
    EXPECT_NE(a.on_ack, nullptr);
    EXPECT_NE(a.receiver, nullptr);
    EXPECT_GT(a.state_size, 0u);
  }
  EXPECT_EQ(find_algorithm("hpc"), nullptr);
}

TEST(Catalogue, EveryParameterExplainsItselfAndRoundTrips) {
  for (const auto& a : catalogue()) {
    const auto object = a.params->make();
    for (const auto& p : a.params->params()) {
      const auto where = std::string(a.about.name) + "." + p.name;
      EXPECT_FALSE(p.meaning.empty()) << where;
      EXPECT_NO_THROW(check_value(p, p.fallback)) << where;
      EXPECT_EQ(p.get(object.get()), p.fallback) << where;
      EXPECT_EQ(parse_value(p, format_value(p.fallback)), p.fallback) << where;
    }
  }
}

TEST(Catalogue, EveryPresetIsValid) {
  for (const auto& a : catalogue()) {
    for (const auto& preset : a.presets) {
      EXPECT_FALSE(preset.source.empty());
      const auto object = a.params->make();
      for (const auto& [key, value] : preset.values) {
        const Param* p = a.params->find(key);
        const auto where = std::string(a.about.name) + " " + std::string(preset.name) + ": " + std::string(key);
        ASSERT_NE(p, nullptr) << where;
        ASSERT_NO_THROW(p->set(object.get(), parse_value(*p, value))) << where;
        EXPECT_EQ(p->get(object.get()), parse_value(*p, value)) << where;
      }
    }
  }
}

// The preset that carries the defaults leaves every parameter as it is.
TEST(Catalogue, DefaultsAreAPreset) {
  for (const auto& [name, preset_name] : {std::pair{"hpcc", "paper"},
                                          {"dcqcn", "hpcc"},
                                          {"dctcp", "paper"},
                                          {"nscc", "uec"},
                                          {"smartt", "paper"},
                                          {"swift", "paper"},
                                          {"timely", "hpcc"}}) {
    const auto* a = find_algorithm(name);
    const auto preset = std::find_if(a->presets.begin(), a->presets.end(),
                                     [want = preset_name](const Preset& p) { return p.name == want; });
    ASSERT_NE(preset, a->presets.end());
    for (const auto& [key, value] : preset->values) {
      const Param* p = a->params->find(key);
      ASSERT_NE(p, nullptr) << key;
      EXPECT_EQ(parse_value(*p, value), p->fallback) << key;
    }
  }
}

}  // namespace
}  // namespace weir::cc
