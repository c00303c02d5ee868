// The runs that a sweep has left, read from runs.csv.
#include "weir/result/sweep.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/command.h"
#include "weir/base/error.h"

namespace weir::result {
namespace {

class Sweep : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(folder_ / "runs.csv") << text; }
  std::string complaint() {
    try {
      read_sweep_runs(folder_.path());
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  }

  app::Folder folder_{"weir-result-sweep"};
};

TEST_F(Sweep, HasItsAxesAndWhatHasBecomeOfItsRuns) {
  EXPECT_FALSE(is_sweep(folder_.path()));
  write(
      "run,load,algorithm,seed,status,message,wall_s,p99\n"
      "a,0.3,HPCC,1,done,,0.1,2.5\n"
      "b,0.5,\"DCTCP, 10 %\",2,failed,\"bad, really\",,\n");
  EXPECT_TRUE(is_sweep(folder_.path()));
  const SweepRuns found = read_sweep_runs(folder_.path());
  EXPECT_EQ(found.axes, (std::vector<std::string>{"load", "algorithm"}));
  ASSERT_EQ(found.runs.size(), 2u);
  EXPECT_EQ(found.runs[0].name, "a");
  EXPECT_TRUE(found.runs[0].done);
  EXPECT_EQ(found.runs[0].labels, (std::vector<std::string>{"0.3", "HPCC"}));
  EXPECT_EQ(found.runs[1].labels[1], "DCTCP, 10 %");
  EXPECT_EQ(found.runs[1].seed, "2");
  EXPECT_FALSE(found.runs[1].done);
  EXPECT_EQ(found.runs[1].message, "bad, really");
}

TEST_F(Sweep, TellsWhatIsWrong) {
  const std::string file = folder_ / "runs.csv";
  const struct {
    const char* text;
    std::string complaint;
  } cases[] = {
      {"run,load,status,message\n", file + ":1: column seed is missing"},
      {"seed,run,status,message\n", file + ":1: column seed stands before column run; it is no list of a sweep's runs"},
      {"run,seed,status,message\na,1,done\n", file + ":2: 3 fields; the first line names 4 columns"},
  };
  for (const auto& c : cases) {
    write(c.text);
    EXPECT_EQ(complaint(), c.complaint) << c.text;
  }
}

}  // namespace
}  // namespace weir::result
