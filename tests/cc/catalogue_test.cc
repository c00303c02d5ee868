#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>

#include "weir/cc/algorithm.h"

namespace weir::cc::catalogue_test {
namespace {

TEST(Catalogue, IsSortedAndComplete) {
  const auto& all = catalogue();
  EXPECT_TRUE(
      std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.about.name < b.about.name; }));
  for (const Algorithm& a : all) {
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
  for (const Algorithm& a : catalogue()) {
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
  for (const Algorithm& a : catalogue()) {
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

// An algorithm with no hook but on_ack, and others with one that has the right name and a wrong signature.
struct Plain {
  struct Params {
    static void describe(ParamList<Params>&) {}
  };
  static constexpr About about{.name = "plain", .title = "Plain", .source = "test"};
  Plain(const Params&, const FlowFacts&, Control&) {}
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&) {}
};
struct AllHooks : Plain {
  using Plain::Plain;
  static std::span<const Preset> presets() { return {}; }
  static ReceiverRules receiver(const Params&) { return {.cnp = true}; }
  void on_loss(const Params&, const FlowFacts&, const Loss&, Control&) {}
  void on_cnp(const Params&, const FlowFacts&, Time, Control&) {}
  void on_send(const Params&, const FlowFacts&, const Send&, Control&) {}
  void on_timer(const Params&, const FlowFacts&, Time, Control&) {}
};
static_assert(HooksFit<Plain>);
static_assert(HooksFit<AllHooks>);

struct AckWithoutFacts : Plain {
  void on_ack(const Params&, const Ack&, Control&) {}
};
struct LossForAck : Plain {
  void on_loss(const Params&, const FlowFacts&, const Ack&, Control&) {}
};
struct LossOverloaded : Plain {
  void on_loss(const Params&, const Loss&, Control&) {}
  void on_loss(const Params&, const FlowFacts&, const Ack&, Control&) {}
};
struct LossWithControlByValue : Plain {
  void on_loss(const Params&, const FlowFacts&, const Loss&, Control) {}
};
struct LossThatReturnsControl : Plain {
  Control on_loss(const Params&, const FlowFacts&, const Loss&, Control& c) { return c; }
};
struct CnpWithoutTime : Plain {
  void on_cnp(const Params&, const FlowFacts&, Control&) {}
};
struct SendForTime : Plain {
  void on_send(const Params&, const FlowFacts&, Time, Control&) {}
};
class PrivateTimer : public Plain {
  void on_timer(const Params&, const FlowFacts&, Time, Control&) {}
};
struct ReceiverWithoutParams : Plain {
  static ReceiverRules receiver() { return {}; }
};
struct PresetsOfParams : Plain {
  static std::span<const Preset> presets(const Params&) { return {}; }
};
static_assert(!HooksFit<AckWithoutFacts>);
static_assert(!HooksFit<LossForAck>);
static_assert(!HooksFit<LossOverloaded>);
static_assert(!HooksFit<LossWithControlByValue>);
static_assert(!HooksFit<LossThatReturnsControl>);
static_assert(!HooksFit<CnpWithoutTime>);
static_assert(!HooksFit<SendForTime>);
static_assert(!HooksFit<PrivateTimer>);
static_assert(!HooksFit<ReceiverWithoutParams>);
static_assert(!HooksFit<PresetsOfParams>);

TEST(Catalogue, HooksAreThoseThatTheClassHas) {
  const Algorithm plain = describe<Plain>();
  EXPECT_NE(plain.on_ack, nullptr);
  EXPECT_EQ(plain.on_loss, nullptr);
  EXPECT_EQ(plain.on_cnp, nullptr);
  EXPECT_EQ(plain.on_send, nullptr);
  EXPECT_EQ(plain.on_timer, nullptr);
  const AllHooks::Params params;
  EXPECT_FALSE(plain.receiver(&params).cnp);
  const Algorithm all = describe<AllHooks>();
  EXPECT_NE(all.on_loss, nullptr);
  EXPECT_NE(all.on_cnp, nullptr);
  EXPECT_NE(all.on_send, nullptr);
  EXPECT_NE(all.on_timer, nullptr);
  EXPECT_TRUE(all.receiver(&params).cnp);
}

}  // namespace
}  // namespace weir::cc::catalogue_test
