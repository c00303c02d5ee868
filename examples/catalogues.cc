// A program with a kind of traffic and a probe of its own: scenarios can name them like any other.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

#include "weir/base/error.h"
#include "weir/probe/catalogue.h"
#include "weir/scenario.h"
#include "weir/simulation.h"
#include "weir/traffic/catalogue.h"

namespace {

// One host after another sends to all others, one flow each, at equal distances.
class Staircase : public weir::traffic::CopyableSource<Staircase> {
 public:
  struct Params {
    weir::Bytes size{100'000};
    weir::Time gap{10'000'000};
    static void describe(weir::ParamList<Params>& p) {
      p.bytes("size", &Params::size, "payload of each flow", "", weir::Bytes{1});
      p.time("gap", &Params::gap, "between the starts of two flows", "", weir::Time{1});
    }
  };

  Staircase(const Params& p, const weir::traffic::Context& context) : params_(p), hosts_(context.hosts()) {}

  std::optional<weir::traffic::Flow> next() override {
    if (src_ == hosts_) return std::nullopt;
    weir::traffic::Flow flow;
    flow.src = src_;
    flow.dst = dst_ < src_ ? dst_ : dst_ + 1;
    flow.size = params_.size;
    flow.start = sent_++ * params_.gap;
    if (++dst_ == hosts_ - 1) {
      dst_ = 0;
      ++src_;
    }
    return flow;
  }

 private:
  Params params_;
  std::uint32_t hosts_;
  std::uint32_t src_ = 0;
  std::uint32_t dst_ = 0;
  std::int64_t sent_ = 0;
};

// How many flows are under way at regular instants. Its figures stand in the summary; a probe can write tables as well.
class Active : public weir::probe::ArchivedProbe<Active> {
 public:
  struct Params {
    weir::Time interval{1'000'000};
    static void describe(weir::ParamList<Params>& p) {
      p.time("interval", &Params::interval, "time between looks", "", weir::probe::kMinInterval);
    }
  };
  static constexpr std::string_view kName = "active";
  static constexpr std::string_view kMeaning = "how many flows are under way";

  Active(const Params& p, const weir::probe::Context& context) : engine_(context.engine) {
    engine_.every(p.interval, [this](weir::Time) {
      std::int64_t active = 0;
      engine_.for_each_active([&](const weir::host::FlowView&) { ++active; });
      most_ = std::max(most_, active);
    });
  }
  void finish(weir::probe::Summary& summary) override { summary.sections.push_back({"active", {{"most", most_}}}); }
  // What a saved run has to keep of it.
  template <class A>
  void archive(A& a) {
    a.value(most_);
  }

 private:
  weir::engine::Engine& engine_;
  std::int64_t most_ = 0;
};

int run() {
  weir::probe::add_kind(weir::probe::describe<Active>());
  weir::traffic::add_kind(weir::traffic::kind_of<Staircase>("staircase", "one host after another sends to all others"));
  const auto scenario = weir::Scenario::from_values(
      {"topology.kind=leaf-spine", "topology.leaves=2", "topology.spines=2", "topology.hosts_per_leaf=4",
       "algorithm.name=hpcc", "traffic=[{kind='staircase', gap='2 us'}]", "probes.active=true"});
  weir::Simulation simulation(scenario);
  int ended = 0;
  simulation.engine().on_finish([&](const weir::host::FlowRecord&) { ++ended; });
  while (!simulation.advance()) {
  }
  std::printf("%d flows in %.0f us\n%s", ended, simulation.engine().now().seconds() * 1e6,
              simulation.finish().summary.c_str());
  return ended == 8 * 7 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const weir::InputError& error) {
    std::fprintf(stderr, "catalogues: %s\n", error.what());
    return 2;
  }
}
