// Algorithms and kinds of traffic that a program adds to the catalogues.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "weir/base/error.h"
#include "weir/cc/algorithm.h"
#include "weir/scenario.h"
#include "weir/simulation.h"
#include "weir/traffic/catalogue.h"

namespace weir {
namespace {

using namespace literals;

// A window of its own.
class Own {
 public:
  struct Params {
    Bytes window{20'000};
    static void describe(ParamList<Params>& p) {
      p.bytes("window", &Params::window, "window", "", Bytes{1'000}, Bytes{1'000'000});
    }
  };
  static constexpr cc::About about{.name = "own", .title = "Own", .source = "this test"};
  Own(const Params& p, const cc::FlowFacts&, cc::Control& control) { control.window = p.window; }
  void on_ack(const Params&, const cc::FlowFacts&, const cc::Ack&, cc::Control&) {}
};

// One flow from each host to the next, all at once.
class Circle : public traffic::CopyableSource<Circle> {
 public:
  struct Params {
    Bytes size{50'000};
    static void describe(ParamList<Params>& p) { p.bytes("size", &Params::size, "of each flow", "", Bytes{1}); }
  };
  Circle(const Params& p, const traffic::Context& context) : size_(p.size), hosts_(context.hosts()) {}
  std::optional<traffic::Flow> next() override {
    if (src_ == hosts_) return std::nullopt;
    traffic::Flow flow;
    flow.src = src_++;
    flow.dst = src_ % hosts_;
    flow.size = size_;
    return flow;
  }

 private:
  Bytes size_;
  std::uint32_t hosts_;
  std::uint32_t src_ = 0;
};

std::string scenario(std::string_view more) {
  return "[topology]\nkind = \"star\"\nhosts = 6\n[[traffic]]\nkind = \"circle\"\n[algorithm]\nname = \"own\"\n" +
         std::string(more);
}

std::string refusal(const auto& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class OwnEntries : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    cc::add_algorithm(cc::describe<Own>());
    traffic::add_kind(traffic::kind_of<Circle>("circle", "one flow from each host to the next"));
  }
};

TEST_F(OwnEntries, AreNamedByScenarios) {
  const Scenario s = Scenario::from_text(scenario("window = \"2 KB\"\n"));
  EXPECT_NE(s.to_toml().find("name = \"own\""), std::string::npos);
  Simulation slow(s);
  Simulation fast(Scenario::from_text(scenario("")));
  int ended = 0;
  slow.engine().on_finish([&](const host::FlowRecord&) { ++ended; });
  EXPECT_TRUE(slow.advance());
  EXPECT_TRUE(fast.advance());
  EXPECT_EQ(ended, 6);
  EXPECT_GT(slow.engine().now(), fast.engine().now());
  // The effective scenario is read again.
  EXPECT_EQ(Scenario::from_text(s.to_toml()).to_toml(), s.to_toml());
}

TEST_F(OwnEntries, HaveMessagesLikeAllOthers) {
  EXPECT_EQ(refusal([] { Scenario::from_text(scenario("window = \"1 B\"\n")); }),
            "scenario.toml:8: key 'algorithm.window': 1 B is out of range; valid is 1 KB to 1 MB");
  EXPECT_NE(refusal([] { Scenario::from_text(scenario(""), {"algorithm.name=owm"}); }).find("did you mean 'own'?"),
            std::string::npos);
  EXPECT_NE(
      refusal([] { Scenario::from_text(scenario(""), {"traffic.0.kind=circles"}); }).find("did you mean 'circle'?"),
      std::string::npos);
}

TEST_F(OwnEntries, AreRefusedIfTheirNameIsTaken) {
  EXPECT_EQ(refusal([] { cc::add_algorithm(cc::describe<Own>()); }),
            "there is an algorithm of the name 'own' already; choose another");
  cc::Algorithm other = cc::describe<Own>();
  other.about.name = "hpcc";
  EXPECT_EQ(refusal([&] { cc::add_algorithm(other); }),
            "there is an algorithm of the name 'hpcc' already; choose another");
  other.about.name = "two words";
  EXPECT_EQ(refusal([&] { cc::add_algorithm(other); }),
            "'two words' cannot be the name of an algorithm; write lower-case letters, digits, '-' and '_'");
  EXPECT_EQ(refusal([] { traffic::add_kind(traffic::kind_of<Circle>("incast", "")); }),
            "there is a kind of traffic of the name 'incast' already; choose another");
  EXPECT_EQ(refusal([] { traffic::add_kind(traffic::kind_of<Circle>("", "")); }),
            "'' cannot be the name of a kind of traffic; write lower-case letters, digits, '-' and '_'");
}

}  // namespace
}  // namespace weir
