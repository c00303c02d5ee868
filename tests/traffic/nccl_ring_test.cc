// Rings, against NCCL 2.30.7's: the chunk that each rank sends in each step (nccl_ring_chunks.csv, by the rule of
// device/all_reduce.h and its kin) and the ring over servers (nccl_ring_over_servers.csv, by that of connect.cc).
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weir/base/csv.h"
#include "weir/base/text_file.h"
#include "weir/traffic/schedule.h"

namespace weir::traffic {
namespace {
using Row = std::vector<std::string>;

std::vector<Row> rows_of(const std::string& file, std::size_t columns) {
  const std::string text = read_named_file(file, "rings of NCCL", "file");
  CsvReader csv(text, file);
  std::vector<Row> out;
  for (Row row; csv.next(row);) {
    EXPECT_EQ(row.size(), columns) << file;
    out.push_back(row);
  }
  out.erase(out.begin());  // names of columns
  return out;
}

std::uint32_t number(const std::string& text) { return static_cast<std::uint32_t>(std::stoul(text)); }

// NCCL's rank i begins a reduction with chunk i - 1 and ends it with chunk i, ours begins with segment i: the same ring
// under other names.
TEST(NcclRings, SendTheSameSegments) {
  const std::map<std::string, Operation> operations{{"all_reduce", Operation::ring_all_reduce},
                                                    {"all_gather", Operation::ring_all_gather},
                                                    {"reduce_scatter", Operation::ring_reduce_scatter}};
  const auto rows = rows_of("tests/traffic/nccl_ring_chunks.csv", 5);
  EXPECT_EQ(rows.size(), 672u);
  std::map<std::string, std::uint32_t> seen;
  for (const Row& row : rows) {
    const std::uint32_t n = number(row[1]);
    const Schedule ring(operations.at(row[0]), n);
    const std::uint32_t rank = number(row[2]);
    const std::uint32_t step = number(row[3]);
    const std::uint32_t before = row[0] == "all_gather" ? 0 : 1;
    EXPECT_EQ((ring.segment(rank, step) + n - before) % n, number(row[4]))
        << row[0] << " of " << n << ", step " << step;
    ++seen[row[0] + row[1] + " " + row[2]];
    EXPECT_LE(seen[row[0] + row[1] + " " + row[2]], ring.steps());
  }
}

// Hosts of a ring are in order of its ranks; where NCCL goes through a server's GPUs downwards, hosts are listed so.
TEST(NcclRings, GoThroughServersAlike) {
  const auto rows = rows_of("tests/traffic/nccl_ring_over_servers.csv", 7);
  EXPECT_EQ(rows.size(), 386u);
  for (const Row& row : rows) {
    const std::uint32_t gpus = number(row[1]);
    const std::uint32_t n = number(row[0]) * gpus;
    // The place of a GPU in the ring, which is also the GPU of a place.
    const auto other = [&](std::uint32_t rank) {
      return row[2] == "up" ? rank : rank - rank % gpus + gpus - 1 - rank % gpus;
    };
    const Schedule ring(Operation::ring_all_reduce, n);
    const std::uint32_t rank = number(row[3]);
    const std::uint32_t next = other(ring.to(other(rank), 0));
    EXPECT_EQ(other(ring.from(other(rank), 0)), number(row[4]))
        << row[0] << " servers of " << gpus << ", rank " << rank;
    EXPECT_EQ(next, number(row[5])) << row[0] << " servers of " << gpus << ", rank " << rank;
    EXPECT_EQ(next / gpus != rank / gpus, row[6] == "1") << row[0] << " servers of " << gpus << ", rank " << rank;
  }
}

}  // namespace
}  // namespace weir::traffic
