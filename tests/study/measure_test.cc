// Measures of result files that are written by hand.
#include "weir/study/measure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <initializer_list>
#include <limits>

#include "tests/support/command.h"
#include "weir/toml/parser.h"

namespace weir::study {
namespace {

class Measures : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  Values of(const std::string& definition) const {
    const auto root = scenario::parse_toml("name = \"m\"\n" + definition, "s.toml");
    return read_measure(scenario::TableReader(root, "")).values(RunFiles(folder_.path()));
  }
  double value(const std::string& definition) const {
    const Values v = of(definition);
    EXPECT_EQ(v.size(), 1) << definition;
    return v.at(0);
  }

  app::Folder folder_{"weir-measures"};
};

TEST_F(Measures, PathsOfDocuments) {
  write("summary.json", R"({"a": {"b.c": {"d": 3}, "list": [{"x": 1}, {"x": null}, {"x": 5}]}, "yes": true})");
  EXPECT_EQ(value("of = \"summary\"\nkey = \"a.b.c.d\""), 3);
  EXPECT_EQ(value("of = \"summary\"\nkey = \"a.list.2.x\"\nscale = 1e-1"), 0.5);
  EXPECT_EQ(value("of = \"summary\"\nkey = \"yes\""), 1);
  EXPECT_TRUE(std::isnan(value("of = \"summary\"\nkey = \"a.list.1.x\"")));
  EXPECT_TRUE(std::isnan(value("of = \"summary\"\nkey = \"a.list.3.x\"")));
  EXPECT_TRUE(std::isnan(value("of = \"summary\"\nkey = \"b\"")));
  const Values list = of("of = \"summary\"\nkey = \"a.list.*.x\"");
  ASSERT_EQ(list.size(), 3);
  EXPECT_EQ(list[0], 1);
  EXPECT_TRUE(std::isnan(list[1]));
  EXPECT_EQ(list[2], 5);
}

const char* const kFlows =
    "flow_id,src,dst,size_bytes,start_ps,finish_ps,fct_ps,ideal_fct_ps,slowdown,algorithm,tag,retransmitted_packets\n"
    "0,1,0,1000,0,10,10,10,1,hpcc,incast,0\n"
    "1,2,0,1000,0,30,30,10,3,hpcc,incast,0\n"
    "2,3,4,5000,0,20,20,10,2,dctcp,web,0\n"
    "3,1,0,1000,50,90,40,10,4,hpcc,incast,0\n"
    "4,2,0,1000,50,,,10,,hpcc,incast,0\n"
    "5,1,2,1000,50,99,49,10,4.9,hpcc,incast,0\n";

TEST_F(Measures, FlowsThatPassTheFilters) {
  write("flows.csv", kFlows);
  const std::string flows = "of = \"flows\"\ncolumn = \"slowdown\"\n";
  EXPECT_EQ(value(flows + "statistic = \"count\""), 5);  // one has not finished
  EXPECT_EQ(value(flows + "statistic = \"sum\"\ntag = \"web\""), 2);
  EXPECT_EQ(value(flows + "statistic = \"sum\"\nalgorithm = \"dctcp\""), 2);
  EXPECT_EQ(value(flows + "statistic = \"max\"\nup_to = \"1 KB\"\nuntil = \"50 ps\""), 3);
  EXPECT_EQ(value(flows + "statistic = \"max\"\nabove = \"1 KB\""), 2);
  EXPECT_EQ(value(flows + "statistic = \"min\"\nfrom = \"50 ps\""), 4);
  EXPECT_EQ(value(flows + "statistic = \"sum\"\nsrc = 1\ndst = 0"), 5);
}

// Requests: flows 0 and 1 (30), 3 and 4 (not complete), 5 (49).
TEST_F(Measures, RequestsAreFlowsToOneReceiverAtOneTime) {
  write("flows.csv", kFlows);
  const std::string requests = "of = \"requests\"\ncolumn = \"fct_ps\"\ntag = \"incast\"\n";
  EXPECT_EQ(value(requests + "statistic = \"count\""), 2);
  EXPECT_EQ(value(requests + "statistic = \"min\""), 30);
  EXPECT_EQ(value(requests + "statistic = \"max\""), 49);
}

// 100 before the disturbance at 30 ps; below 95 until 60 ps, but for one row; two flows in each row of time.
TEST_F(Measures, RecoveryAfterADisturbance) {
  std::string rows = "time_ps,flow_id,rate_bps,pacing_bps,window_bytes\n";
  const int values[] = {10, 100, 100, 40, 96, 60, 95, 97, 99, 98};
  for (int i = 0; i < 10; ++i)
    rows += std::to_string(10 * (i + 1)) + ",0," + std::to_string(values[i] / 2) + ",,\n" +
            std::to_string(10 * (i + 1)) + ",1," + std::to_string(values[i] - values[i] / 2) + ",,\n";
  write("rates.csv", rows);
  const std::string recovery = "of = \"recovery\"\nfile = \"rates.csv\"\ncolumn = \"rate_bps\"\nfrom = \"30 ps\"\n";
  EXPECT_EQ(value(recovery + "hold = \"20 ps\""), 40);                     // the row that ends at 70 ps
  EXPECT_EQ(value(recovery + "hold = \"0 ps\""), 20);                      // that at 50 ps
  EXPECT_EQ(value(recovery + "hold = \"0 ps\"\nshare = 0.97"), 50);        // that at 80 ps
  EXPECT_EQ(value(recovery + "hold = \"0 ps\"\nshare = 0.3"), 0);          // it never was below
  EXPECT_EQ(value(recovery + "hold = \"0 ps\"\nlevel = 98.5"), 60);        // that at 90 ps
  EXPECT_EQ(value(recovery + "hold = \"40 ps\"\nnever = \"1 us\""), 1e6);  // the file is too short
  EXPECT_TRUE(std::isnan(value(recovery + "hold = \"40 ps\"")));
  EXPECT_TRUE(std::isnan(value(recovery + "hold = \"20 ps\"\nuntil = \"80 ps\"")));
}

TEST_F(Measures, QueuesAndSeries) {
  write("queue_cdf.csv", "tier,queue_bytes,samples,cumulative\nall,0,9,0.9\nall,100,1,1\nedge,7,1,1\n");
  EXPECT_EQ(value("of = \"queues\"\nstatistic = \"p89\""), 0);
  EXPECT_EQ(value("of = \"queues\"\nstatistic = \"p90\""), 100);
  EXPECT_EQ(value("of = \"queues\"\nstatistic = \"mean\""), 10);
  EXPECT_EQ(value("of = \"queues\"\nstatistic = \"p90\"\ntier = \"edge\""), 7);
  write("fairness.csv", "time_ps,active,jain,jain_pacing\n10,2,0.5,\n20,2,,\n30,2,1,\n40,2,0.75,\n");
  const std::string jain = "of = \"series\"\nfile = \"fairness.csv\"\ncolumn = \"jain\"\nstatistic = \"mean\"\n";
  EXPECT_EQ(value(jain), 0.75);
  EXPECT_EQ(value(jain + "from = \"20 ps\"\nuntil = \"40 ps\""), 1);
}

// What it is tells the range in which a mean over seeds must lie, and what it is called.
TEST(Measure, KnowsItsBoundsAndItsWords) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Case {
    const char* definition;
    double least;
    double most;
    const char* words;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"of = \"flows\"\ncolumn = \"slowdown\"\nstatistic = \"p99\"\ntag = \"web\"\nup_to = \"10 KB\"", 1,
            kInfinity, "FCT slowdown of web, up to 10 KB, 99th percentile"},
           {"of = \"flows\"\ncolumn = \"slowdown\"\nstatistic = \"count\"", 0, kInfinity, "number of flows"},
           {"of = \"flows\"\ncolumn = \"slowdown\"\nstatistic = \"std\"", 0, kInfinity,
            "FCT slowdown, standard deviation"},
           {"of = \"flows\"\ncolumn = \"slowdown\"\nstatistic = \"mean\"\nscale = -2", -kInfinity, -2,
            "FCT slowdown, mean"},
           {"of = \"requests\"\ncolumn = \"fct_ps\"\nstatistic = \"p99.9\"\ntag = \"incast\"", 0, kInfinity,
            "completion time of requests of incast, 99.9th percentile"},
           {"of = \"queues\"\nstatistic = \"median\"\ntier = \"edge\"", 0, kInfinity, "queue of tier edge, median"},
           {"of = \"series\"\nfile = \"fairness.csv\"\ncolumn = \"jain\"\nstatistic = \"min\"", 0, 1,
            "Jain's index, smallest value"},
           {"of = \"series\"\nfile = \"delays.csv\"\ncolumn = \"measured_ps\"\nstatistic = \"mean\"", -kInfinity,
            kInfinity, "measured, mean"},
           {"of = \"summary\"\nkey = \"slowdown.by_tag.a.b.p95\"", 1, kInfinity,
            "FCT slowdown of a.b, 95th percentile"},
           {"of = \"summary\"\nkey = \"slowdown.all.p999\"\nscale = 3", 3, kInfinity,
            "FCT slowdown, 99.9th percentile"},
           {"of = \"summary\"\nkey = \"slowdown.by_size.2.count\"", 0, kInfinity, "FCT slowdown, number"},
           {"of = \"summary\"\nkey = \"queues.by_tier.edge.p50\"", 0, kInfinity, "queue of tier edge, median"},
           {"of = \"summary\"\nkey = \"pfc.all.capacity_share\"", 0, 1, "capacity share"},
           {"of = \"summary\"\nkey = \"flows.max_fct_ps\"", 0, kInfinity, "largest completion time"},
           {"of = \"manifest\"\nkey = \"packets_dropped\"", 0, kInfinity, "packets dropped"}}) {
    const auto root = scenario::parse_toml(std::string("name = \"m\"\n") + c.definition, "s.toml");
    const Measure m = read_measure(scenario::TableReader(root, ""));
    EXPECT_EQ(m.bounds().least, c.least) << c.definition;
    EXPECT_EQ(m.bounds().most, c.most) << c.definition;
    EXPECT_EQ(m.in_words(), c.words);
  }
}

}  // namespace
}  // namespace weir::study
