// Figures of results that are written by hand.
#include "weir/study/figures.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/command.h"
#include "tests/support/star_scenario.h"

namespace weir::study {
namespace {

// One done run of a study with the queues of some ports, whose queues.csv has these rows.
std::vector<figure::Figure> figures_of(const std::string& rows) {
  const auto plan = make_plan(parse_study(std::string("[study]\n") + kStarScenario + R"([scenario.probes.queues]
series = true
[[axis]]
name = "fan_in"
key = "traffic.0.fan_in"
values = [3]
[[figure]]
id = "queues"
kind = "series"
file = "queues.csv"
column = "queue_bytes"
series = "fan_in"
)",
                                          "s.toml"));
  const app::Folder folder("weir-study-figures");
  const std::string run = folder / ("runs/" + plan.runs[0].name);
  std::filesystem::create_directories(run);
  std::ofstream(run + "/queues.csv") << "time_ps,port,from,to,queue_bytes\n" << rows;
  Measurements table = no_measurements(plan);
  table.runs[0].status = Record::Status::done;
  return make_figures(table, folder.path());
}

TEST(Figures, OnePortIsOneCurve) {
  const auto figure = figures_of("0,4,9,0,10\n1000,4,9,0,20\n").at(0);
  ASSERT_EQ(figure.series.size(), 1u);
  EXPECT_EQ(figure.series[0].name, "3");
  EXPECT_EQ(figure.series[0].y, (std::vector<double>{10, 20}));
}

TEST(Figures, PortsAreCurvesOfTheirOwn) {
  const auto figure = figures_of("0,4,9,0,10\n0,5,9,1,11\n1000,4,9,0,20\n1000,5,9,1,21\n").at(0);
  ASSERT_EQ(figure.series.size(), 2u);
  EXPECT_EQ(figure.series[0].name, "3, port 4");
  EXPECT_EQ(figure.series[0].y, (std::vector<double>{10, 20}));
  EXPECT_EQ(figure.series[1].x, (std::vector<double>{0, 1000}));
  EXPECT_EQ(figure.series[1].y, (std::vector<double>{11, 21}));
}

TEST(Figures, ManyPortsAreNotAllDrawn) {
  std::string rows;
  for (int port = 0; port < 40; ++port) rows += "0," + std::to_string(port) + ",9,0,1\n";
  EXPECT_EQ(figures_of(rows).at(0).series.size(), 32u);
}

}  // namespace
}  // namespace weir::study
