// A run that is saved and loaded into another simulation goes on there as if nothing had happened: each
// tests/scenarios/NAME.toml is run in one piece and in several, by other threads and schedulers, and all that can be
// seen of it is compared, what its probes tell at the end included.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/scenario/scenario_files.h"
#include "weir/base/archive.h"
#include "weir/engine/time/simulation.h"
#include "weir/probe/probe_set.h"
#include "weir/scenario/build.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {
namespace {

using namespace literals;

// What can be seen of a run: the figures of its ports every 20 us, traced events, and the digest and the summary that
// its probes leave.
using Log = std::vector<std::uint64_t>;

class Watched {
 public:
  Watched(const Scenario& s, std::shared_ptr<const engine::Model> model, engine::RunOptions options, Log& log)
      : log_(log), model_(std::move(model)), traffic_(build_traffic(s, *model_)) {
    options.stop = s.run.stop > Time{} ? s.run.stop : Time::max();
    options.until_program = s.run.until == Until::collectives;
    options.traced = s.probes.need_trace();
    options.fast_forward = s.fast_forward.value_or(engine::FastForwardParams{.theta = 0});
    simulation = std::make_unique<engine::Simulation>(*model_, *traffic_, options);
    simulation->every(20_us, [this](Time now) { look(now); });
    if (options.traced)
      simulation->trace({}, [this](net::TraceEvents events) {
        for (const net::TraceEvent& e : events) {
          const auto kind = static_cast<std::uint64_t>(e.kind);
          for (const std::uint64_t figure : {static_cast<std::uint64_t>(e.time.ps), kind, e.flow})
            log_.push_back(figure);
          for (const std::uint64_t figure : {e.port, e.queued}) log_.push_back(figure);
        }
      });
    probes_.emplace(s.probes, *simulation, traffic_->tags());
  }

  // Runs to the end, whatever a stall is.
  Time finish() {
    while (!simulation->advance()) {
    }
    log_.push_back(std::hash<std::string>()(probe::to_json(probes_->finish())));
    log_.push_back(probes_->manifest(probe::RunClock()).digest);
    log_.push_back(simulation->stall() != nullptr ? 1 : 0);
    return simulation->now();
  }
  std::string saved() {
    Saver saver;
    simulation->save(saver);
    probes_->save(saver);
    return saver.take();
  }
  void load(Loader& loader) {
    simulation->load(loader);
    probes_->load(loader);
  }

  std::unique_ptr<engine::Simulation> simulation;

 private:
  void look(Time now) {
    EXPECT_EQ(simulation->broken_invariant(), "") << now.ps << " ps";
    log_.push_back(static_cast<std::uint64_t>(now.ps));
    for (std::uint32_t port = 0; port < model_->topology.ports(); ++port) {
      engine::Simulation& s = *simulation;
      log_.push_back(s.queued_bytes(port));
      const engine::PortFigures figures = s.port_figures(port);
      for (const std::uint64_t figure : {figures.sent_bytes, figures.marked, figures.lost}) log_.push_back(figure);
      log_.push_back(static_cast<std::uint64_t>(figures.paused.ps));
    }
  }

  Log& log_;
  std::shared_ptr<const engine::Model> model_;
  std::unique_ptr<traffic::Traffic> traffic_;
  std::optional<probe::ProbeSet> probes_;
};

class Checkpoint : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    scenario_ = load_scenario_file(kTestScenarios + GetParam() + ".toml");
    if (!scenario_.run.fidelity->can_be_saved) GTEST_SKIP() << "its engine cannot be saved";
    model_ = build_model(scenario_);
    end_ = Watched(scenario_, model_, {}, whole_).finish();
  }

  // Runs piece after piece, each by what the options say; cuts are shares of the whole run.
  Log in_pieces(const std::vector<engine::RunOptions>& pieces, const std::vector<double>& cuts) {
    Log log;
    std::string saved;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      Watched piece(scenario_, model_, pieces[i], log);
      if (i > 0) {
        Loader loader(saved);
        piece.load(loader);
      }
      if (i == cuts.size()) {
        piece.finish();
        break;
      }
      const Time epoch = piece.simulation->epoch();
      const Time cut = static_cast<std::int64_t>(cuts[i] * static_cast<double>(end_.ps)) / epoch.ps * epoch;
      while (!piece.simulation->advance(cut) && piece.simulation->now() < cut) {
      }
      saved = piece.saved();
    }
    return log;
  }

  Scenario scenario_;
  std::shared_ptr<const engine::Model> model_;
  Log whole_;
  Time end_;
};

TEST_P(Checkpoint, GoesOnByOtherSchedulers) {
  constexpr auto kNodes = engine::SchedulerKind::automatic;
  constexpr auto kWheel = engine::SchedulerKind::wheel;
  constexpr auto kHeap = engine::SchedulerKind::heap;
  EXPECT_TRUE(in_pieces({{.scheduler = kWheel}, {.scheduler = kHeap}, {.scheduler = kNodes}, {.scheduler = kWheel}},
                        {0.3, 0.5, 0.62}) == whole_);
}

TEST_P(Checkpoint, GoesOnByOtherThreads) {
  const engine::RunOptions first{.threads = 3};
  const auto partitions = [&] {
    Log unused;
    return Watched(scenario_, model_, first, unused).simulation->partitions();
  }();
  const engine::RunOptions alone{.threads = 1, .partitions = partitions};
  const engine::RunOptions two{.threads = 2, .partitions = partitions};
  EXPECT_TRUE(in_pieces({first, alone, two, first}, {0.15, 0.5, 0.77}) == whole_);
}

INSTANTIATE_TEST_SUITE_P(Tests, Checkpoint, testing::ValuesIn(names_in(kTestScenarios)), test_name);

// Whatever is missing at its end.
TEST(CheckpointBytes, CutShortAreRefused) {
  const Scenario s = load_scenario_file(kTestScenarios + names_in(kTestScenarios).front() + ".toml");
  const auto model = build_model(s);
  Log log;
  Watched run(s, model, {}, log);
  run.simulation->advance(run.simulation->epoch());
  const std::string saved = run.saved();
  for (std::size_t part = 0; part < 50; ++part) {
    Watched again(s, model, {}, log);
    Loader loader(std::string_view(saved).substr(0, saved.size() * part / 50));
    EXPECT_THROW(again.load(loader), InputError) << part;
  }
}

}  // namespace
}  // namespace weir::scenario
