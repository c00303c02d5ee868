// A probe that a program adds to the catalogue before it reads a scenario: switched on there, with parameters and a
// table of its own, in the summary, and in a checkpoint.
//
// What is added stays for the whole process, so these tests have a program of their own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/probe/probe_set.h"
#include "weir/probe/summary_keys.h"
#include "weir/result/directory.h"
#include "weir/result/rows.h"
#include "weir/run/execute.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/reference.h"
#include "weir/scenario/scenario.h"
#include "weir/study/check.h"
#include "weir/study/plan.h"

namespace weir {
namespace {

using namespace literals;

// How many flows are under way at regular instants.
struct ActiveParams {
  Time interval{2'000'000};
  bool series = true;

  static void describe(ParamList<ActiveParams>& p) {
    p.time("interval", &ActiveParams::interval, "time between looks", "", probe::kMinInterval);
    p.flag("series", &ActiveParams::series, "write active.csv");
  }
};

class ActiveProbe : public probe::ArchivedProbe<ActiveProbe> {
 public:
  using Params = ActiveParams;
  static constexpr std::string_view kName = "active";
  static constexpr std::string_view kMeaning = "how many flows are under way";

  static void check(const Params& params, const probe::Checks& checks) {
    checks.of_key("interval", [&] {
      if (params.interval > 1_ms) throw InputError("a millisecond is the longest");
    });
  }
  static void add_possible(const Params&, const probe::Setting&, probe::Summary& out) {
    out.sections.push_back({std::string(kName), {{"most", 0}, {"mean", 0.0}, {"ended", 0}}});
  }
  ActiveProbe(const Params& params, const probe::Context& context) : engine_(context.engine) {
    engine_.every(params.interval, [this](Time now) { look(now); });
    if (context.out != nullptr && params.series) file_.emplace(context.out->table("active.csv"));
  }

  void on_finish(const host::FlowRecord&) override { ++ended_; }
  void finish(probe::Summary& out) override {
    if (file_) file_->close();
    const double mean = static_cast<double>(sum_) / static_cast<double>(looks_);
    out.sections.push_back({std::string(kName), {{"most", most_}, {"mean", mean}, {"ended", ended_}}});
  }
  template <class A>
  void archive(A& a) {
    for (auto* figure : {&looks_, &sum_, &most_, &ended_}) a.value(*figure);
    if (file_) file_->archive(a);
  }

 private:
  void look(Time now) {
    std::int64_t active = 0;
    engine_.for_each_active([&](const host::FlowView&) { ++active; });
    ++looks_;
    sum_ += active;
    most_ = std::max(most_, active);
    if (file_) file_->print("{},{}\n", now.ps, active);
  }

  engine::Engine& engine_;
  std::int64_t looks_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t most_ = 0;
  std::int64_t ended_ = 0;
  std::optional<probe::ResultFile> file_;
};

result::TableKind table(const std::string& file, const std::string& if_set = "") {
  return {.file = file,
          .if_set = if_set,
          .columns = {{.name = "time_ps", .is_measure = false}, {.name = "active", .most = 1000}}};
}

const std::string kScenario = R"([topology]
kind = "star"
hosts = 5
[algorithm]
name = "hpcc"
[[traffic]]
kind = "incast"
size = "50 KB"
receiver = 0
[probes.active]
interval = "1 us"
)";

class OwnProbe : public testing::Test {
 protected:
  static void SetUpTestSuite() { probe::add_kind(probe::describe<ActiveProbe>(), {table("active.csv", "series")}); }

  void SetUp() override {
    folder_ = testing::TempDir() + "weir-own-probe-" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string text_of(const std::string& file) const { return read_text_file(folder_ + "/" + file, "a file"); }

  // Runs to the end, and leaves a result.
  run::Outcome run(const scenario::Scenario& s) {
    probe::ResultDirectory out(folder_);
    run::Outcome outcome = run::execute(s, &out);
    out.commit();
    return outcome;
  }

  std::string folder_;
};

TEST_F(OwnProbe, IsSwitchedOnInAScenario) {
  const scenario::Scenario s = scenario::load_scenario(kScenario, "a.toml");
  ASSERT_NE(s.probes.get<ActiveParams>(), nullptr);
  EXPECT_EQ(s.probes.get<ActiveParams>()->interval, 1_us);
  EXPECT_NE(scenario::effective(s, "").toml.find("[probes.active]\ninterval = \"1 us\""), std::string::npos);
  const auto off = scenario::load_scenario(kScenario, "a.toml", {"probes.active=false"});
  EXPECT_EQ(off.probes.get<ActiveParams>(), nullptr);
  const auto on = scenario::load_scenario(kScenario, "a.toml", {"probes.active=true", "probes.active.series=false"});
  EXPECT_FALSE(on.probes.get<ActiveParams>()->series);
}

TEST_F(OwnProbe, IsCheckedWithItsPlace) {
  const auto message = [](const std::string& set) -> std::string {
    try {
      scenario::build(scenario::load_scenario(kScenario, "a.toml", {set}));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("probes.active.interval=2 ms"), "--set probes.active.interval: a millisecond is the longest");
  EXPECT_NE(message("probes.actve=true").find("did you mean 'active'?"), std::string::npos);
}

TEST_F(OwnProbe, WritesItsTableAndItsFigures) {
  const auto outcome = run(scenario::load_scenario(kScenario, "a.toml"));
  const std::string text = text_of("active.csv");
  result::Rows rows(text, "active.csv", {"time_ps", "active"});
  std::int64_t count = 0;
  double most = 0;
  double sum = 0;
  for (; rows.next(); ++count) {
    EXPECT_EQ(rows.number(0), static_cast<double>(count * 1'000'000));
    most = std::max(most, rows.number(1));
    sum += rows.number(1);
  }
  EXPECT_EQ(most, 4);
  const auto summary = nlohmann::json::parse(text_of("summary.json"));
  const auto& figures = summary.at("probes").at("active");
  EXPECT_EQ(figures.at("most"), 4);
  EXPECT_EQ(figures.at("ended"), 4);
  EXPECT_NEAR(figures.at("mean").get<double>(), sum / static_cast<double>(count), 1e-6);
  EXPECT_NE(probe::to_text(outcome.summary).find("\nactive: most 4, mean "), std::string::npos);
  const result::Directory directory(folder_);
  directory.check_all();
  EXPECT_TRUE(directory.has("active.csv"));
}

// Readers hold its rows against what it has declared.
TEST_F(OwnProbe, HasATableThatReadersCheck) {
  const auto fails = [](const std::string& row) {
    const std::string text = "time_ps,active\n" + row + "\n";
    result::Rows rows(text, "active.csv", {});
    EXPECT_THROW(rows.next(), InputError) << row;
  };
  for (const char* row : {"1,1001", "1,-1", "1,", "1,1.5"}) fails(row);
}

// Studies may ask for its figures and its columns, and are told if it is off or its table is not written.
TEST_F(OwnProbe, CanBeMeasuredByStudies) {
  const auto refusal = [](const std::string& set, const std::string& measure) -> std::string {
    std::string scenario = kScenario;
    for (std::size_t at = 0; (at = scenario.find('[', at)) != std::string::npos;) {
      const std::size_t name = scenario[at + 1] == '[' ? at + 2 : at + 1;
      scenario.insert(name, "scenario.");
      at = scenario.find('\n', at);
    }
    try {
      const auto plan = study::make_plan(study::parse_study(
          "[study]\nset = {" + set + "}\n[[measure]]\nname = \"m\"\n" + measure + scenario, "s.toml"));
      study::check_runs(plan, {0});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string of_key = "of = \"summary\"\nkey = \"probes.active.most\"\n";
  EXPECT_EQ(refusal("", of_key), "");
  EXPECT_NE(refusal("\"probes.active\" = false", of_key).find("add [probes.active]"), std::string::npos);
  EXPECT_NE(refusal("", "of = \"summary\"\nkey = \"probes.active.least\"\n"), "");
}

TEST_F(OwnProbe, GoesOnFromACheckpoint) {
  const auto s = scenario::load_scenario(kScenario, "a.toml");
  const auto model = scenario::build_model(s);
  run(s);
  const std::string whole_table = text_of("active.csv");
  const std::string whole_summary = text_of("summary.json");
  std::filesystem::remove_all(folder_);

  std::string saved;
  {
    scenario::Run first = scenario::build(s, model);
    probe::ResultDirectory out(folder_);
    probe::ProbeSet probes(s.probes, *first.simulation, first.tags(), &out);
    ASSERT_FALSE(first.simulation->advance(8_us));
    Saver saver;
    first.simulation->save(saver);
    probes.save(saver);
    saved = saver.take();
    ASSERT_FALSE(first.simulation->advance(12_us));  // what comes after the checkpoint is lost
    out.keep_checkpoint("kept");
  }
  const auto out = probe::ResultDirectory::resume(folder_);
  scenario::Run second = scenario::build(s, model);
  probe::ProbeSet probes(s.probes, *second.simulation, second.tags(), out.get());
  Loader loader(saved);
  second.simulation->load(loader);
  probes.load(loader);
  EXPECT_TRUE(loader.at_end());
  out->has_gone_on();
  while (!second.simulation->advance()) {
  }
  probe::Summary summary = probes.finish();
  summary.fidelity = s.run.fidelity->name;
  probe::store(*out, summary, {});
  out->has_ended();
  out->commit();
  EXPECT_EQ(text_of("active.csv"), whole_table);
  EXPECT_EQ(text_of("summary.json"), whole_summary);
}

TEST_F(OwnProbe, IsRefusedIfANameIsTakenOrNotValid) {
  const std::size_t kinds = probe::probe_kinds().size();
  const std::size_t tables = result::table_kinds().size();
  const auto refusal = [](const std::string& name, std::vector<result::TableKind> of_it) -> std::string {
    probe::ProbeKind kind = probe::describe<ActiveProbe>();
    kind.name = name;
    try {
      probe::add_kind(kind, std::move(of_it));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("active", {}), "there is a probe of the name 'active' already; choose another");
  EXPECT_EQ(refusal("queues", {}), "there is a probe of the name 'queues' already; choose another");
  for (const char* name : {"", "Queue", "a.b", "a b"})
    EXPECT_NE(refusal(name, {}).find("write lower-case letters"), std::string::npos) << name;
  EXPECT_EQ(refusal("more", {table("new.csv"), table("active.csv")}),
            "table 'active.csv': there is one of this name; choose another");
  EXPECT_EQ(refusal("more", {table("new.csv"), table("new.csv")}),
            "table 'new.csv': there is one of this name; choose another");
  EXPECT_NE(refusal("more", {table("new.txt")}).find("NAME.csv"), std::string::npos);
  EXPECT_NE(refusal("more", {table("../new.csv")}).find("NAME.csv"), std::string::npos);
  EXPECT_EQ(refusal("more", {table("new.csv", "interval")}), "table new.csv: probe 'more' has no flag 'interval'");
  result::TableKind twice = table("new.csv");
  twice.columns.push_back(twice.columns.front());
  EXPECT_EQ(refusal("more", {twice}), "table 'new.csv': column 'time_ps': each needs a name of its own");
  twice.columns.clear();
  EXPECT_EQ(refusal("more", {twice}), "table 'new.csv': it has no columns");
  EXPECT_EQ(probe::probe_kinds().size(), kinds);
  EXPECT_EQ(result::table_kinds().size(), tables);
}

}  // namespace
}  // namespace weir
