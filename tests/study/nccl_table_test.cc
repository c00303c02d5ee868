// The table of nccl-tests, of a study whose runs are not run: columns, counts and rates by hand.
#include "weir/study/nccl_table.h"

#include <gtest/gtest.h>

#include "weir/study/check.h"

namespace weir::study {
namespace {

std::string study_of(const std::string& traffic, const std::string& axes = "", const std::string& more = "") {
  return "[study]\ntable = \"nccl-tests\"\n" + more + R"([scenario]
topology = { kind = "star", hosts = 8 }
algorithm = { name = "hpcc" }
[[scenario.traffic]]
)" + traffic +
         axes;
}

const std::string kSizes = R"(
[[axis]]
name = "size"
key = "traffic.0.size"
values = ["1 MB", "8 MB"]
)";
const std::string kChannels = R"(
[[axis]]
name = "algorithm"
key = "algorithm.name"
values = ["hpcc", "swift"]
)";

// With these times in microseconds, one for each point, and the rates that summaries have for them.
std::string table_of(const std::string& text, const std::vector<double>& sizes, const std::vector<double>& us,
                     double factor) {
  const Plan plan = make_plan(parse_study(text, "s.toml"));
  Measurements all = no_measurements(plan);
  EXPECT_EQ(all.runs.size(), us.size());
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    const double rate = 8 * sizes.at(i) / us.at(i) * 1e6;
    all.runs[i] = {.status = Record::Status::done,
                   .message = {},
                   .measures = {{sizes[i]}, {us[i] * 1e6}, {rate}, {rate * factor}}};
  }
  return nccl_table(plan, all);
}

const std::string kHead =
    "#       size         count      type   redop    root     time   algbw   busbw\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n";

TEST(NcclTable, IsThatOfAllReduce) {
  EXPECT_EQ(table_of(study_of("kind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 MB\"\n", kSizes),
                     {1e6, 8e6}, {40, 1000}, 1.75),
            kHead +
                "     1000000        250000     float     sum      -1    40.00   25.00   43.75\n"
                "     8000000       2000000     float     sum      -1  1000.00    8.00   14.00\n"
                "# Avg bus bandwidth    : 28.875\n");
}

// As in all_gather.cu, alltoall.cu, broadcast.cu...: what counts, what is reduced, and who is the root.
TEST(NcclTable, CountsAsEachTestDoes) {
  struct Row {
    const char* operation;
    const char* begins;
  };
  for (const Row& row : {Row{"ring-all-gather", "     1000000         31250     float    none      -1"},
                         Row{"ring-reduce-scatter", "     1000000         31250     float     sum      -1"},
                         Row{"all-to-all", "     1000000         31250     float    none      -1"},
                         Row{"gather", "     1000000         31250     float    none       3"},
                         Row{"ring-reduce", "     1000000        250000     float     sum       3"},
                         Row{"ring-broadcast", "     1000000        250000     float    none       3"}}) {
    const std::string operation = row.operation;
    const bool has_root = std::string(row.begins).ends_with("3");
    const std::string table = table_of(study_of("kind = \"collective\"\noperation = \"" + operation +
                                                "\"\nsize = \"1 MB\"\n" + (has_root ? "root = 3\n" : "")),
                                       {1e6}, {10}, 1);
    EXPECT_EQ(table.substr(kHead.size(), std::string(row.begins).size()), row.begins) << operation;
  }
}

// Iterations are one run, and what is told is the mean of one.
TEST(NcclTable, IsOfOneOfSeveralIterations) {
  EXPECT_EQ(table_of(study_of("kind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 MB\"\nrepeat = 20\n"),
                     {20e6}, {800}, 1.75),
            kHead +
                "     1000000        250000     float     sum      -1    40.00   25.00   43.75\n"
                "# Avg bus bandwidth    : 43.75\n");
}

TEST(NcclTable, HasAPartForEachLabelOfOtherAxes) {
  const std::string table = table_of(
      study_of("kind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 MB\"\n", kSizes + kChannels),
      {1e6, 1e6, 8e6, 8e6}, {40, 50, 1000, 123456.7}, 1.75);
  EXPECT_EQ(table, "# algorithm=hpcc\n" + kHead +
                       "     1000000        250000     float     sum      -1    40.00   25.00   43.75\n"
                       "     8000000       2000000     float     sum      -1  1000.00    8.00   14.00\n"
                       "# Avg bus bandwidth    : 28.875\n"
                       "\n# algorithm=swift\n" +
                       kHead +
                       "     1000000        250000     float     sum      -1    50.00   20.00   35.00\n"
                       "     8000000       2000000     float     sum      -1   123457    0.06    0.11\n"
                       "# Avg bus bandwidth    : 17.5567\n");
}

std::string complaint_about(const std::string& text) {
  try {
    const Plan plan = make_plan(parse_study(text, "s.toml"));
    check_runs(plan, runs_with(plan, ""));
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(NcclTable, IsOfOneCollectiveWithABandwidth) {
  const std::string ring = "kind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 MB\"\n";
  EXPECT_EQ(complaint_about(study_of(ring)), "none");
  EXPECT_EQ(complaint_about(study_of(ring + "[[scenario.traffic]]\nkind = \"incast\"\nsize = \"1 MB\"\n")), "none");
  const std::string one =
      "s.toml:1: key 'study.table': \"nccl-tests\" tells of one collective operation with a bandwidth, of kind = "
      "\"collective\", and there ";
  for (const auto& [traffic, why] :
       {std::pair<std::string, std::string>{"kind = \"incast\"\nsize = \"1 MB\"\n", "are 0"},
        {"kind = \"incast\"\nsize = \"1 MB\"\ncompletion = true\n", "is another one"},
        {"kind = \"collective\"\noperation = \"barrier\"\nsize = \"1 B\"\n", "is another one"},
        {ring + "[[scenario.traffic]]\n" + ring, "are 2"}})
    EXPECT_EQ(complaint_about(study_of(traffic)), one + why + "; leave this out, or the others");
  EXPECT_EQ(complaint_about("[study]\ntable = \"nccl\"\n[scenario]\n"),
            "s.toml:2: key 'study.table': it is 'nccl'; valid is nccl-tests");
}

}  // namespace
}  // namespace weir::study
