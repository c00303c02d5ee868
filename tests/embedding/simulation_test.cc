// Runs as a program that embeds Weir has them: stepped, watched, steered, saved, copied.
#include "weir/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/catalogue.h"
#include "weir/cc/external.h"
#include "weir/scenario.h"

namespace weir {
namespace {

using namespace literals;

const std::vector<std::string> kStar{"title=star",          "topology.kind=star", "topology.hosts=9",
                                     "algorithm.name=hpcc", "probes.queues=true", "run.stop=2 ms"};

Scenario star(const std::vector<std::string>& more = {}) {
  std::vector<std::string> values = kStar;
  values.insert(values.end(), more.begin(), more.end());
  return Scenario::from_values(values);
}

// Flows are busy all the time in two partitions.
Scenario fabric(const std::vector<std::string>& more = {}) {
  std::vector<std::string> values{
      "topology.kind=leaf-spine", "topology.leaves=2",
      "topology.spines=2",        "topology.hosts_per_leaf=8",
      "algorithm.name=hpcc",      "traffic=[{kind='poisson', sizes='WebSearch', load=0.8, stop='400 us'}]"};
  values.insert(values.end(), more.begin(), more.end());
  return Scenario::from_values(values);
}

struct Ended {
  std::uint64_t id;
  Time finish;
  friend bool operator==(const Ended&, const Ended&) = default;
};

// The flows of a run as they end, and a hash of where it ends.
struct Log {
  std::vector<Ended> flows;
  std::uint64_t digest = 0;
  friend bool operator==(const Log&, const Log&) = default;

  void listen(Simulation& run) {
    run.engine().on_finish([this](const host::FlowRecord& r) { flows.push_back({r.id, r.finish}); });
  }
  void finish(Simulation& run, Time step = Time::max()) {
    while (!run.advance(step == Time::max() ? step : run.engine().now() + step)) {
    }
    digest = run.engine().state_digest();
  }
};

Log whole(const Scenario& s) {
  Simulation run(s);
  Log log;
  log.listen(run);
  log.finish(run);
  return log;
}

TEST(Embedded, StepsChangeNothing) {
  const Scenario s = fabric();
  Simulation run(s);
  Log log;
  log.listen(run);
  log.finish(run, 10_us);
  EXPECT_GT(log.flows.size(), 20u);
  EXPECT_TRUE(log == whole(s));
  const auto summary = nlohmann::json::parse(run.finish().summary);
  EXPECT_EQ(summary["flows"]["finished"], log.flows.size());
  const Result executed = execute(s);
  EXPECT_TRUE(executed.is_whole);
  EXPECT_EQ(nlohmann::json::parse(executed.summary), summary);
}

// With probes that read single events, and with calls of the program's own.
TEST(Embedded, SavesRestoresAndClones) {
  for (const char* threads : {"run.threads=1", "run.threads=2"}) {
    const Scenario s = fabric({threads, "probes.queues={exact=true}", "probes.packets=true", "probes.rates=true"});
    const Log expected = whole(s);
    Simulation first(s);
    Log log;
    log.listen(first);
    ASSERT_FALSE(first.advance(150_us));
    const std::string saved = first.save();
    const Log so_far = log;
    struct Seen {
      Log log;
      std::uint64_t events = 0;
      std::vector<Time> samples;
    };
    const auto watch = [](engine::Engine& e, Seen& seen) {
      e.on_finish([&](const host::FlowRecord& r) { seen.log.flows.push_back({r.id, r.finish}); });
      e.trace({}, [&](net::TraceEvents events) { seen.events += events.size(); });
      e.every(40_us, [&](Time now) { seen.samples.push_back(now); });
    };
    Seen of_copy{.log = so_far, .samples = {}};
    Simulation copy = first.clone([&](engine::Engine& e) { watch(e, of_copy); });
    log.finish(first);
    EXPECT_TRUE(log == expected);
    const std::string summary = first.finish().summary;

    Seen of_second{.log = so_far, .samples = {}};
    Simulation second(s);
    watch(second.engine(), of_second);
    second.restore(saved);
    for (auto [run, seen] : {std::pair{&copy, &of_copy}, {&second, &of_second}}) {
      EXPECT_EQ(run->engine().now(), 150_us);
      seen->log.finish(*run);
      EXPECT_TRUE(seen->log == expected);
      EXPECT_GT(seen->events, 1000u);
      ASSERT_GT(seen->samples.size(), 3u);
      EXPECT_EQ(seen->samples.front(), 160_us);
      EXPECT_EQ(run->finish().summary, summary);
    }
    EXPECT_EQ(of_copy.events, of_second.events);
    EXPECT_EQ(of_copy.samples, of_second.samples);
  }
}

TEST(Embedded, RefusesWhatWasNotSavedByItsLike) {
  const auto refusal = [](Simulation& run, const std::string& saved) -> std::string {
    try {
      run.restore(saved);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Simulation one(fabric());
  one.advance(50_us);
  std::string saved = one.save();
  Simulation other(fabric({"run.seed=2"}));
  EXPECT_EQ(refusal(other, saved), "the saved run is of another scenario");
  EXPECT_EQ(refusal(other, ""), "the saved run is cut short or changed");
  saved[saved.size() / 2] ^= 1;
  EXPECT_EQ(refusal(other, saved), "the saved run is cut short or changed");
}

// Flows that a program sends are like those of a scenario, but for their ids.
TEST(Embedded, SendsFlowsWhileItRuns) {
  const Scenario listed = Scenario::from_text(R"(
[topology]
kind = "star"
hosts = 9
[algorithm]
name = "hpcc"
[[traffic]]
kind = "flows"
[[traffic.flow]]
src = 0
dst = 8
size = "1 MB"
[[traffic.flow]]
src = 1
dst = 8
size = "500 KB"
start = "30 us"
[[traffic.flow]]
src = 2
dst = 8
size = "10 KB"
start = "400 us"
)");
  const Log expected = whole(listed);
  ASSERT_EQ(expected.flows.size(), 3u);

  Simulation run(star({"traffic=[]"}));
  Log log;
  log.listen(run);
  const std::uint64_t first = run.send({.src = 0, .dst = 8, .size = Bytes{1'000'000}});
  EXPECT_FALSE(run.advance(30_us));
  EXPECT_EQ(run.send({.src = 1, .dst = 8, .size = Bytes{500'000}}), first + 1);
  EXPECT_TRUE(run.advance());  // all has ended ...
  EXPECT_LT(run.engine().now(), 400_us);
  Simulation copy = run.clone();
  run.send({.src = 2, .dst = 8, .size = Bytes{10'000}, .start = 400_us});
  EXPECT_TRUE(run.advance());  // ... and goes on
  ASSERT_EQ(log.flows.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(log.flows[i].finish, expected.flows[i].finish) << i;

  // What has been sent and has not started is part of what is saved.
  copy.send({.src = 2, .dst = 8, .size = Bytes{10'000}, .start = 400_us});
  const std::string saved = copy.save();
  Simulation restored(star({"traffic=[]"}));
  Log rest;
  rest.listen(restored);
  restored.restore(saved);
  rest.finish(restored);
  ASSERT_EQ(rest.flows.size(), 1u);
  EXPECT_TRUE(rest.flows[0] == log.flows[2]);
}

TEST(Embedded, RefusesFlowsThatCannotBe) {
  Simulation run(star({"traffic=[]"}));
  run.send({.src = 0, .dst = 1, .size = Bytes{1'000'000}});
  run.advance(20_us);
  const auto refusal = [&](const NewFlow& flow) -> std::string {
    try {
      run.send(flow);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({.src = 0, .dst = 9, .size = Bytes{1}}), "dst: there is no host 9; valid is 0 to 8");
  EXPECT_EQ(refusal({.src = 9, .dst = 10, .size = Bytes{1}}), "src: there is no host 9; valid is 0 to 8");
  EXPECT_EQ(refusal({.src = 3, .dst = 3, .size = Bytes{1}}), "dst: a flow goes from one host to another");
  EXPECT_EQ(refusal({.src = 0, .dst = 1}), "size: a flow of 0 bytes is not possible; valid is 1 to 1000000000000000");
  EXPECT_EQ(refusal({.src = 0, .dst = 1, .size = Bytes{1}, .start = 19_us}),
            "start: a flow cannot start before the present instant");
  EXPECT_EQ(refusal({.src = 0, .dst = 1, .size = Bytes{1}, .tag = "web"}),
            "tag: there is no tag 'web'; valid is program");
  EXPECT_EQ(refusal({.src = 0, .dst = 1, .size = Bytes{1}, .profile = "x"}),
            "profile: there is no profile 'x'; valid is hpcc");
}

// Halves and raises the rate by what a monitor interval tells.
void decide(const cc::Observation& seen, const cc::FlowFacts& facts, cc::Control& control) {
  const auto line = static_cast<double>(facts.line_rate.bits_per_second);
  const auto rate = static_cast<double>(control.rate.bits_per_second);
  const bool queued = seen.acks > 0 && seen.mean_rtt() > facts.base_rtt + 2_us;
  control.rate = {static_cast<std::int64_t>(queued ? rate * 0.7 : std::min(line, rate + line / 20))};
}

Log decided(const char* threads, bool at_once, std::uint64_t& asked, Time cut = Time{}) {
  const Scenario s = fabric({threads, "algorithm.name=external", "network.buffer.size=4 MB"});
  auto run = std::make_unique<Simulation>(s);
  Log log;
  std::atomic<std::uint64_t> questions = 0;
  const auto attach = [&](Simulation& r) {
    log.listen(r);
    if (at_once)
      r.engine().decide([&](const host::Question& q, cc::Control& control) {
        ++questions;
        decide(static_cast<const cc::External*>(q.state)->last(), *q.facts, control);
      });
    else
      r.engine().decide([&](std::span<const host::Question> q, std::span<cc::Control> controls) {
        ASSERT_EQ(q.size(), controls.size());
        for (std::size_t i = 0; i < q.size(); ++i) {
          EXPECT_TRUE(i == 0 || q[i - 1].flow < q[i].flow);
          EXPECT_LE(q[i].now, r.engine().now());
          EXPECT_GT(q[i].now, r.engine().now() - r.engine().epoch());
          ++questions;
          decide(static_cast<const cc::External*>(q[i].state)->last(), *q[i].facts, controls[i]);
        }
      });
  };
  attach(*run);
  if (cut > Time{}) {
    run->advance(cut);
    const std::string saved = run->save();
    run = std::make_unique<Simulation>(s);
    attach(*run);
    run->restore(saved);
  }
  log.finish(*run);
  asked = questions;
  return log;
}

// At once and at the end of an epoch: on any number of threads the same, and over a cut as well.
TEST(Embedded, DecidesForFlows) {
  std::uint64_t questions = 0;
  std::uint64_t again = 0;
  const Log at_once = decided("run.threads=1", true, questions);
  EXPECT_GT(questions, 100u);
  EXPECT_TRUE(decided("run.threads=2", true, again) == at_once);
  EXPECT_EQ(again, questions);
  EXPECT_TRUE(decided("run.threads=1", true, again, 100_us) == at_once);
  const Log later = decided("run.threads=1", false, questions);
  EXPECT_GT(questions, 100u);
  EXPECT_FALSE(later == at_once);
  EXPECT_TRUE(decided("run.threads=2", false, again) == later);
  EXPECT_EQ(again, questions);
  EXPECT_TRUE(decided("run.threads=1", false, again, 100_us) == later);
}

TEST(Embedded, NeedsSomebodyWhoDecides) {
  const Scenario s = fabric({"algorithm.name=external"});
  EXPECT_THROW(execute(s), InputError);
  EXPECT_FALSE(s.warnings().empty());
  Simulation run(fabric());
  EXPECT_THROW(run.engine().decide([](const host::Question&, cc::Control&) {}), std::logic_error);

  // One of two, in either order, and also for a copy.
  const host::Policy at_once = [](const host::Question&, cc::Control&) {};
  const host::BatchPolicy later = [](std::span<const host::Question>, std::span<cc::Control>) {};
  Simulation first(s);
  first.engine().decide(at_once);
  EXPECT_THROW(first.engine().decide(later), std::logic_error);
  Simulation second(s);
  second.engine().decide(later);
  EXPECT_THROW(second.engine().decide(at_once), std::logic_error);
  EXPECT_FALSE(first.advance(50_us));
  EXPECT_THROW(first.clone().advance(), InputError);
  EXPECT_TRUE(first.clone([&](engine::Engine& e) { e.decide(later); }).advance());
}

// A timer in the past neither hangs the run nor calls for the same instant again and again.
TEST(Embedded, TakesTimersOfThePast) {
  for (const bool at_once : {true, false}) {
    Simulation run(fabric({"algorithm.name=external"}));
    std::uint64_t questions = 0;
    if (at_once)
      run.engine().decide([&](const host::Question& q, cc::Control& control) {
        if (++questions % 2 == 0) control.timer = q.now;
      });
    else
      run.engine().decide([&](std::span<const host::Question> q, std::span<cc::Control> controls) {
        for (std::size_t i = 0; i < q.size(); ++i)
          if (++questions % 2 == 0) controls[i].timer = q[i].now;
      });
    EXPECT_TRUE(run.advance());
    EXPECT_GT(questions, 100u);
  }
}

TEST(Embedded, IsOfNoMoreUseAfterAnExceptionOfTheProgram) {
  Simulation run(fabric());
  run.engine().on_finish([](const host::FlowRecord&) { throw std::runtime_error("enough"); });
  EXPECT_THROW(run.advance(), std::runtime_error);
  EXPECT_THROW(run.advance(), std::logic_error);
  EXPECT_THROW(run.save(), std::logic_error);
  EXPECT_THROW(run.engine().every(Time{}, [](Time) {}), InputError);
  Simulation other(fabric());
  const std::string saved = other.save();
  other.advance(50_us);
  EXPECT_THROW(other.restore(saved), std::logic_error);
}

TEST(Embedded, ExecutesIntoADirectoryAndEndsWhenTold) {
  const std::string folder = (std::filesystem::temp_directory_path() / "weir-embedded-test").string();
  std::filesystem::remove_all(folder);
  std::uint64_t samples = 0;
  const Result whole =
      execute(fabric(),
              {.directory = folder, .prepare = [&](engine::Engine& e) { e.every(100_us, [&](Time) { ++samples; }); }});
  EXPECT_TRUE(whole.is_whole);
  EXPECT_GT(samples, 3u);
  EXPECT_TRUE(std::filesystem::exists(folder + "/flows.csv"));
  EXPECT_THROW(execute(fabric(), {.directory = folder}), InputError);  // it exists
  std::filesystem::remove_all(folder);
  const Result cut =
      execute(fabric({"traffic.0.stop=1 s"}), {.progress = [](const Progress& p) { return p.now < 1_ms; }});
  EXPECT_FALSE(cut.is_whole);
  EXPECT_EQ(cut.reason, "cancelled");
}

TEST(Embedded, KeepsTablesInMemory) {
  const Scenario scenario = fabric({"probes.queues={series=true, interval='20 us'}"});
  const std::string folder = (std::filesystem::temp_directory_path() / "weir-embedded-tables").string();
  std::filesystem::remove_all(folder);
  execute(scenario, {.directory = folder});
  const Result kept = execute(scenario, {.tables = true});
  ASSERT_EQ(kept.tables.size(), 3u);
  for (const auto& [name, text] : kept.tables) {
    std::ifstream file(folder + "/" + name);
    EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {})) << name;
  }
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(execute(scenario).tables.empty());

  // Steps, copies and saved runs have them whole, with what was written before.
  Simulation run(scenario, {.tables = true});
  run.advance(100_us);
  Simulation copy = run.clone();
  Simulation other(scenario, {.tables = true});
  other.restore(run.save());
  for (Simulation* one : {&run, &copy, &other}) {
    while (!one->advance()) {
    }
    const Result result = one->finish();
    EXPECT_EQ(result.tables, kept.tables);
    EXPECT_EQ(result.summary, kept.summary);
    EXPECT_TRUE(result.is_whole);
  }
  Simulation without(scenario);
  EXPECT_THROW(without.restore(Simulation(scenario, {.tables = true}).save()), InputError);
}

TEST(Embedded, StopsWhenTold) {
  Simulation run(fabric({"traffic.0.stop=10 s", "run.stop=10 s"}));
  int asked = 0;
  EXPECT_FALSE(run.advance(Time::max(), [&] { return ++asked < 3; }));
  EXPECT_EQ(asked, 3);
  const Time there = run.engine().now();
  EXPECT_GT(there, Time{});
  EXPECT_EQ(there.ps % run.engine().epoch().ps, 0);
  EXPECT_FALSE(run.advance(there + 5_us, [] { return true; }));
  EXPECT_EQ(run.engine().now(), there + 5_us);
  EXPECT_EQ(run.finish().reason, "finished early");
}

TEST(Embedded, TellsHowMuchIsDone) {
  double last = 0;
  const Result whole = execute(fabric(), {.progress = [&](const Progress& p) {
                                 EXPECT_LE(last, p.done);
                                 last = p.done;
                                 return true;
                               }});
  EXPECT_TRUE(whole.is_whole);
  EXPECT_LE(last, 1);
}

TEST(Embedded, ScenariosCanBeMadeAgain) {
  const Scenario a = star({"traffic=[]"});
  const Scenario b = a.with({"run.seed=7"});
  EXPECT_NE(a.to_toml(), b.to_toml());
  EXPECT_EQ(Scenario::from_text(b.text(), b.overrides(), b.name()).to_toml(), b.to_toml());
  EXPECT_THROW(a.with({"topology.hosts=none"}), InputError);
}

TEST(Embedded, HasTheCatalogue) {
  const auto catalogue = nlohmann::json::parse(catalogue_json());
  EXPECT_TRUE(std::any_of(catalogue["algorithms"].begin(), catalogue["algorithms"].end(),
                          [](const auto& a) { return a["name"] == "hpcc"; }));
}

TEST(Embedded, TellsOfPorts) {
  Simulation run(star({"traffic=[]"}));
  const engine::Engine& e = run.engine();
  EXPECT_EQ(e.network().hosts(), 9u);
  EXPECT_EQ(e.network().switches(), 1u);
  EXPECT_EQ(e.network().ports(), 18u);
  for (std::uint32_t port = 0; port < e.network().ports(); ++port) {
    const engine::PortFacts f = e.network().port(port);
    EXPECT_TRUE((f.from == 9) != (f.to == 9)) << port;
    EXPECT_EQ(f.rate, 100_Gbps);
  }
  EXPECT_EQ(e.network().port(e.network().nic(3)).from, 3u);
  EXPECT_EQ(e.network().name(3), "host 3");
  EXPECT_EQ(e.network().name(9), "switch 9");
  EXPECT_LT(e.network().tier(3), e.network().tier(9));
  EXPECT_THROW(e.network().port(18), std::out_of_range);
  EXPECT_THROW(e.network().name(10), std::out_of_range);
  EXPECT_THROW(run.engine().queued_bytes(18), std::out_of_range);
  EXPECT_THROW(run.engine().port_figures(18), std::out_of_range);
  EXPECT_THROW(run.engine().switch_figures(1), std::out_of_range);
}

// Of any scenario whose engine has them, and of its copies, with the same results.
TEST(Embedded, EventsComeWithoutAProbe) {
  const Scenario scenario = star({"traffic=[{kind='incast', size='100 KB', receiver='last'}]"});
  const auto count = [](std::uint64_t& events) {
    return [&events](engine::Engine& e) {
      net::TraceFilter filter;
      filter.kinds = net::kind_bit(net::EventKind::left);
      e.trace(filter, [&events](net::TraceEvents some) { events += some.size(); });
    };
  };
  std::uint64_t whole = 0;
  Simulation run(scenario, {.events = true});
  count(whole)(run.engine());
  run.advance(10_us);
  const std::uint64_t before = whole;
  std::uint64_t rest = 0;
  Simulation copy = run.clone(count(rest));
  const std::string saved = run.save();
  std::uint64_t again = 0;
  Simulation restored(scenario, {.events = true});
  count(again)(restored.engine());
  restored.restore(saved);
  for (Simulation* r : {&run, &copy, &restored}) EXPECT_TRUE(r->advance());
  EXPECT_GT(before, 0u);
  EXPECT_GT(rest, 1'000u);
  EXPECT_EQ(before + rest, whole);
  EXPECT_EQ(again, rest);
  Simulation untold(scenario);
  EXPECT_THROW(count(rest)(untold.engine()), std::logic_error);
  EXPECT_TRUE(untold.advance());
  EXPECT_EQ(untold.finish().summary, run.finish().summary);
  EXPECT_THROW(Simulation(scenario.with({"run.fidelity=flow"}), {.events = true}), InputError);
}

}  // namespace
}  // namespace weir
