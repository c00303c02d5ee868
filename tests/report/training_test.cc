// Reports of trainings and policies, and how radars and surfaces look on paper.
#include "tests/report/helpers.h"
#include "weir/policy/decider.h"
#include "weir/policy/policy_file.h"

namespace weir::report {
namespace {

// y = tanh(-signal / 2), whatever the factor was before.
policy::Policy by_hand() {
  policy::Policy out;
  out.history = 1;
  out.layers.push_back({.activation = policy::Activation::relu, .inputs = 2, .outputs = 2, .weights = {0, 1, 0, -1}});
  out.layers.push_back({.inputs = 2, .outputs = 1, .weights = {-0.5, 0.5}});
  out.provenance = {{"update", "20"}, {"seed", "7"}, {"curriculum", "Two to one"}};
  return out;
}

// A training of 40 updates, of which every tenth was validated.
void write_training(const std::string& directory, bool ended) {
  std::filesystem::create_directories(directory);
  write(directory + "/curriculum.toml", "title = \"Two to one\"\n[learner]\nseed = 7\n");
  std::string rows = "update,decisions,learning_rate,loss,return,fairness,queue_us,utilisation,validation_score\n";
  for (int n = 1; n <= 40; ++n)
    rows += fmt::format("{},{},0.01,{},{},{},{},0.99,{}\n", n, 100 * n, 1.0 / n, -1.0 / n, n / 40.0, 50.0 / n,
                        n % 10 == 0 ? fmt::format("{}", n / 50.0) : "");
  write(directory + "/progress.csv", rows);
  if (ended) write(directory + "/policy.toml", policy::policy_text(by_hand()));
}

std::vector<std::string> names(const Figure& figure) {
  std::vector<std::string> out;
  for (const Series& s : figure.series) out.push_back(s.name);
  return out;
}

TEST(Training, HasItsCurvesItsPolicyAndItsFacts) {
  const Folder folder("weir-report-training");
  write_training(folder / "t", true);
  const Document document = read({folder / "t"});
  EXPECT_EQ(document.title, "Two to one");
  EXPECT_EQ(ids(document),
            (std::vector<std::string>{"training-return", "training-fairness", "training-queue-us",
                                      "training-utilisation", "training-loss", "training-validation-score", "policy"}));
  const Figure& queue = figure(document, "training-queue-us");
  EXPECT_EQ(queue.y.unit, "us");
  ASSERT_EQ(names(queue), (std::vector<std::string>{"each update", "validated", "chosen"}));
  EXPECT_EQ(queue.series[0].x.size(), 40u);
  EXPECT_EQ(queue.series[1].x, (std::vector<double>{10, 20, 20, 30, 30, 40, 40})) << "with gaps between them";
  EXPECT_EQ(queue.series[1].y[0], 5);
  EXPECT_TRUE(std::isnan(queue.series[1].y[1]));
  EXPECT_EQ(queue.series[2].x, std::vector<double>{20});
  EXPECT_EQ(queue.series[2].y, std::vector<double>{2.5});
  const Figure& score = figure(document, "training-validation-score");
  EXPECT_EQ(names(score), (std::vector<std::string>{"validated", "chosen"}));
  EXPECT_EQ(score.series[0].y, (std::vector<double>{0.2, 0.4, 0.6, 0.8}));

  ASSERT_EQ(document.trainings.size(), 1u);
  const auto& facts = document.trainings[0].facts;
  const auto fact = [&](const std::string& name) -> std::string {
    for (const auto& [key, value] : facts)
      if (key == name) return value;
    return "none";
  };
  EXPECT_EQ(fact("network"), "2-2-1");
  EXPECT_EQ(fact("size"), "24 B") << "six weights";
  EXPECT_EQ(fact("update chosen"), "20");
  EXPECT_EQ(fact("seed"), "7");
  EXPECT_EQ(fact("target"), "0.064, with beta 1.5 and scale 12.5");
  EXPECT_EQ(to_json(document).at("trainings").at(0).at("facts").size(), facts.size());
}

// Each cell is what the policy itself decides; where the signal is 0, so is the change.
TEST(Training, TheSurfaceIsWhatThePolicyDecides) {
  const Folder folder("weir-report-policy");
  write(folder / "mine.toml", policy::policy_text(by_hand()));
  const Document document = read({folder / "mine.toml"});
  EXPECT_EQ(ids(document), std::vector<std::string>{"policy"});
  EXPECT_EQ(document.trainings.at(0).name, "mine");
  const Figure& f = figure(document, "policy");
  EXPECT_EQ(f.kind, "surface");
  EXPECT_EQ(f.z.centre, 1.0);
  const Series& cells = f.series.at(0);
  ASSERT_EQ(cells.z.size(), 33u * 25u);
  EXPECT_EQ(cells.x.back(), 1) << "the line's rate itself";
  EXPECT_NEAR(cells.x.front(), 1e-4, 1e-12);
  EXPECT_NEAR(cells.y[24], 16, 1e-9);
  for (std::size_t i = 0; i < cells.z.size(); ++i) {
    const double s = (std::max(cells.y[i] - 1.5, 0.0) * std::sqrt(cells.x[i]) - 0.064) * 12.5;
    const double y = std::tanh(-0.5 * std::clamp(s, -8.0, 8.0));
    EXPECT_NEAR(cells.z[i], y >= 0 ? 1 + 0.2 * y : 1 / (1 - 0.2 * y), 1e-5) << i;
  }
  const Series& law = f.series.at(1);
  EXPECT_NEAR(law.y.front(), 1.5 + 6.4, 1e-9);
}

TEST(Training, TellsOfOneThatGoesOnAndComparesSeveral) {
  const Folder folder("weir-report-trainings");
  write_training(folder / "all/a", true);
  write_training(folder / "all/b", false);
  const Document document = read({folder / "all"});
  EXPECT_EQ(document.notices, std::vector<std::string>{"Not shown: the policy of b: its training has not ended."});
  EXPECT_EQ(names(figure(document, "training-return")), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(figure(document, "policy-a").title, "Factor that the policy gives: a");
  EXPECT_TRUE(document.trainings.at(1).facts.empty());
  write(folder / "all/a/policy.toml", "kind = \"mlp\"\n");
  EXPECT_NE(complaint({folder / "all/a"}).find("all/a/policy.toml"), std::string::npos);
  write(folder / "all/b/progress.csv", "round,return\n1,2\n");
  EXPECT_NE(complaint({folder / "all/b"}).find("progress.csv"), std::string::npos);
  EXPECT_NE(complaint({folder / "all/b"}).find("update"), std::string::npos);
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

Figure radar() {
  Figure f{.id = "r", .title = "r", .kind = "radar"};
  f.x = {.label = "measure", .scale = "category", .categories = {"utilisation", "fairness", "low queue", "no loss"}};
  f.series.push_back({.name = "PCC-RL", .x = {0, 1, 2, 3}, .y = {0.9, 0.8, 0.7, 1}});
  f.series.push_back({.name = "HPCC", .x = {0, 1, 2, 3}, .y = {0.5, std::nan(""), 0.6, 0.9}});
  add_printed(f, {.name = "PCC-RL", .x = {0, 1, 2, 3}, .y = {0.91, 0.75, 0.7, 1}});
  return f;
}

// Sides of polygons are the only lines of their width in these colours; the legend comes behind.
TEST(Svg, RadarsLeaveGapsAndDashWhatIsPrinted) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  const std::string svg = writer.svg(radar());
  expect_balanced(svg);
  for (const char* name : {">utilisation</text>", ">low queue</text>", ">PCC-RL, printed</text>"})
    EXPECT_NE(svg.find(name), std::string::npos) << name;
  const std::string drawn = svg.substr(0, svg.find("<path d=\"M0 6h26\""));
  const auto sides = [&](const std::string& colour, bool dashed) {
    std::size_t n = 0;
    for (auto at = drawn.find("<path"); at != std::string::npos; at = drawn.find("<path", at + 1)) {
      const std::string path = drawn.substr(at, drawn.find('>', at) - at);
      if (path.find("stroke=\"" + colour + "\"") != std::string::npos &&
          path.find("stroke-width=\"2\"") != std::string::npos &&
          (path.find("stroke-dasharray") != std::string::npos) == dashed)
        ++n;
    }
    return n;
  };
  EXPECT_EQ(sides("#0072b2", false), 4u);
  EXPECT_EQ(sides("#0072b2", true), 4u);
  EXPECT_EQ(sides("#d55e00", false), 2u) << "none to and from the missing value";
  EXPECT_EQ(times_in(drawn, ">0.5</text>"), 1u);
  Figure scaled = radar();
  scaled.series[0].values = {90, 80, 7, 0};
  EXPECT_EQ(times_in(writer.svg(scaled), ">0.5</text>"), 0u) << "each spoke has a scale of its own";
}

Figure surface(std::size_t columns, std::size_t rows) {
  Figure f{.id = "s", .title = "s", .kind = "surface"};
  f.x = {.label = "rate", .scale = "log"};
  f.y = {.label = "RTT inflation"};
  f.z = {.label = "factor", .scale = "log", .centre = 1.0};
  Series s{.name = "factor"};
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t j = 0; j < rows; ++j) {
      s.x.push_back(std::pow(2.0, static_cast<double>(i)));
      s.y.push_back(static_cast<double>(j));
      s.z.push_back(0.8 + 0.4 * static_cast<double>(i) / static_cast<double>(columns - 1));
    }
  f.series.push_back(std::move(s));
  return f;
}

// Few cells have their values in them, many have lines; and the bar tells colours and lines apart.
TEST(Svg, SurfacesCanBeReadWithoutColour) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  const std::string few = writer.svg(surface(3, 2));
  expect_balanced(few);
  EXPECT_EQ(times_in(few, ">0.8</text>"), 2u + 1) << "in two cells, and at the bar";
  EXPECT_EQ(times_in(few, ">1.2</text>"), 2u + 1);
  EXPECT_NE(few.find("#0072b2"), std::string::npos) << "0.8 is farther from the centre than 1.2";
  EXPECT_NE(few.find(">factor</text>"), std::string::npos);
  Figure gap = surface(3, 2);
  gap.series[0].z[0] = std::nan("");
  EXPECT_EQ(times_in(writer.svg(gap), ">0.8</text>"), 1u + 1);

  const std::string many = writer.svg(surface(20, 15));
  expect_balanced(many);
  EXPECT_EQ(times_in(many, ">0.8</text>"), 1u);
  EXPECT_EQ(times_in(many, "stroke-width=\"1.8\""), 2u) << "the centre, in the cells and at the bar";
  EXPECT_GE(times_in(many, "stroke-dasharray=\"4,3\""), 2u) << "below the centre";
  EXPECT_EQ(writer.svg(surface(20, 15)), many);
}

TEST(Svg, ASurfaceOfOneValueOrNoneIsDrawn) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  Figure f = surface(3, 2);
  f.series[0].z.assign(6, 1.0);
  EXPECT_EQ(times_in(writer.svg(f), ">1</text>"), 6u + 1 + 2) << "cells, bar, and ticks of both axes";
  f.series[0].z.assign(6, std::nan(""));
  EXPECT_NE(writer.svg(f).find("no data"), std::string::npos);
  EXPECT_EQ(writer.svg(f).find("NaN"), std::string::npos);
  Figure one = surface(2, 1);
  EXPECT_EQ(writer.svg(one).find("NaN"), std::string::npos);
}

TEST(ReportCommand, SaysWhatItShows) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  const Folder folder("weir-report-contents");
  write_training(folder / "t", true);
  write_training(folder / "u", true);
  const auto o = app::weir({"report", folder / "t", "--out", folder / "t.html"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, folder / "t.html" + ": 1 training, 7 figures\n");
  run(folder, "one");
  const auto both = app::weir({"report", folder / "t", folder / "u", folder / "one", "--out", folder / "all.html"});
  EXPECT_EQ(both.out.substr(0, both.out.rfind(',')), folder / "all.html" + ": 1 run, 2 trainings");
}

}  // namespace
}  // namespace weir::report
