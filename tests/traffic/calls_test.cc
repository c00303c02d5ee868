// Lists of calls and matrices of sizes, from files.
#include "weir/traffic/calls.h"

#include <fstream>
#include <string>
#include <vector>

#include "tests/traffic/helpers.h"
#include "weir/traffic/calls_driver.h"
#include "weir/traffic/matrix_file.h"

namespace weir::traffic::calls_test {
namespace {

using namespace literals;

TEST(Calls, HaveTheirOwnParametersAndThoseOfAll) {
  const auto calls = parse_calls(
      "operation,size,ranks,stride,compute,name,chunks\n"
      "ring-all-reduce,4 MB,4,,20 us,tensor,\n"
      "barrier,8 B,,,,,1\n",
      "calls.csv", {.hosts = "0-7", .start = 3_us, .group = 2});
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].name, "tensor");
  EXPECT_EQ(calls[0].what.operation, Operation::ring_all_reduce);
  EXPECT_EQ(calls[0].what.size, 4_MB);
  EXPECT_EQ(calls[0].what.ranks, 4u);
  EXPECT_EQ(calls[0].what.stride, 1u);
  EXPECT_EQ(calls[0].what.compute, 20_us);
  EXPECT_EQ(calls[1].name, "barrier");
  EXPECT_EQ(calls[1].where.line, 3);
  for (const NamedCall& call : calls) {
    EXPECT_EQ(call.what.hosts, "0-7");
    EXPECT_EQ(call.what.start, 3_us);
    EXPECT_EQ(call.what.group, 2u);
    EXPECT_EQ(call.what.messages, MessageRows::sums);
  }
}

TEST(Calls, SayWhatIsWrong) {
  const auto of = [](const std::string& text) { return error_of([&] { parse_calls(text, "calls.csv", {}); }); };
  EXPECT_EQ(of(""), "calls.csv: empty; the first line names the columns, such as operation");
  EXPECT_EQ(of("operation\n"), "calls.csv: a header and no rows; write at least one call");
  EXPECT_EQ(of("size\n4 MB\n"), "calls.csv:1: column 'operation' is missing");
  EXPECT_EQ(of("operation,operation\n"), "calls.csv:1: column 'operation' is there twice");
  EXPECT_EQ(of("operation,sise\n").substr(0, 65), "calls.csv:1: unknown column 'sise' (did you mean 'size'?); valid ");
  EXPECT_EQ(of("operation,size\nbarrier\n"), "calls.csv:2: 1 fields, but the header has 2");
  EXPECT_EQ(of("operation,ranks\nbarrier,-1\n").substr(0, 20), "calls.csv:2: ranks: ");
  EXPECT_EQ(of("operation,size\nbarier,8 B\n").substr(0, 24), "calls.csv:2: operation: ");
}

TEST(Calls, SayInWhichLineASlowHostIsNone) {
  const std::string file = testing::TempDir() + "/slow_calls.csv";
  std::ofstream(file) << "operation,size,compute,slow\nring-all-reduce,1 MB,1 us,3\nring-all-reduce,1 MB,1 us,99\n";
  EXPECT_EQ(error_of([&] { CallsDriver({.file = file}, uniform_hosts(8)); }).substr(0, file.size() + 9),
            file + ":3: slow:");
}

TEST(Matrix, IsReadRowByRow) {
  const auto sizes = parse_matrix("1,2,3\n4,0,6\n", "m.csv", 2, 3);
  EXPECT_EQ(sizes, (std::vector<Bytes>{1_B, 2_B, 3_B, 4_B, 0_B, 6_B}));
  const auto of = [](const std::string& text) { return error_of([&] { parse_matrix(text, "m.csv", 2, 2); }); };
  EXPECT_EQ(of("1,2\n"), "m.csv: 1 rows; there must be one for each of 2 ranks");
  EXPECT_EQ(of("1,2\n3,4\n5,6\n"), "m.csv:3: more than 2 rows; there is one for each rank");
  EXPECT_EQ(of("1,2\n3\n"), "m.csv:2: 1 fields; there must be 2 in each row");
  EXPECT_EQ(of("1,x\n3,4\n").substr(0, 40), "m.csv:1: size = 'x' is not valid; write ");
}

TEST(ProcessGroups, AreOfHostsInARowOrApart) {
  const auto members = [](std::uint32_t ranks, std::uint32_t stride) {
    return plan_collective({.size = 1_MB, .ranks = ranks, .stride = stride}, uniform_hosts(8)).members->hosts;
  };
  EXPECT_EQ(members(4, 1), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(members(4, 2), (std::vector<std::uint32_t>{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(members(2, 2), (std::vector<std::uint32_t>{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(members(2, 4), (std::vector<std::uint32_t>{0, 4, 1, 5, 2, 6, 3, 7}));
}

}  // namespace
}  // namespace weir::traffic::calls_test
