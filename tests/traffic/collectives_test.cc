#include "weir/traffic/collectives.h"

#include <set>

#include "tests/traffic/helpers.h"

namespace weir::traffic::collectives_test {
namespace {

using namespace literals;

Program make(Operation operation, Bytes size, std::uint32_t hosts, std::uint32_t chunks = 1) {
  return make_collective({.operation = operation, .size = size, .chunks = chunks}, uniform_hosts(hosts));
}

std::int64_t bytes_of(const Program& p) {
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < p.size(); ++i) sum += p[i].size.count;
  return sum;
}

std::vector<std::uint32_t> list_of(const Program& p, std::uint32_t node) {
  const auto then = p.then(node, Event::received);
  return {then.begin(), then.end()};
}

// How many messages one waits for, one after the other.
std::uint32_t depth_of(const Program& p) {
  std::vector<std::uint32_t> depth(p.size(), 1);
  std::uint32_t out = 0;
  for (const std::uint32_t node : p.in_order()) {
    out = std::max(out, depth[node]);
    for (const std::uint32_t then : p.then(node, Event::received)) depth[then] = std::max(depth[then], depth[node] + 1);
  }
  return out;
}

// Every message but the first ones waits for one that its host receives.
void expect_local(const Program& p) {
  EXPECT_TRUE(p.cycle().empty());
  for (std::uint32_t node = 0; node < p.size(); ++node) {
    EXPECT_TRUE(p.then(node, Event::sent).empty());
    for (const std::uint32_t then : p.then(node, Event::received)) EXPECT_EQ(p[then].src, p[node].dst);
  }
}

// Thakur et al., table 1: steps, and bytes that each of n hosts sends.
TEST(Collective, CountsByFormula) {
  struct Row {
    Operation operation;
    std::uint32_t steps;
    std::int64_t bytes;  // of all hosts
  };
  constexpr std::int64_t n = 8;
  constexpr std::int64_t size = 1'000'003;  // not divisible
  for (const Row& row :
       {Row{Operation::ring_all_reduce, 14, 2 * (n - 1) * size}, Row{Operation::ring_reduce_scatter, 7, (n - 1) * size},
        Row{Operation::ring_all_gather, 7, (n - 1) * size}, Row{Operation::all_to_all, 1, (n - 1) * size},
        Row{Operation::halving_doubling_all_reduce, 6, 2 * (n - 1) * size}}) {
    for (const std::uint32_t chunks : {1u, 3u}) {
      const Program p = make(row.operation, {size}, n, chunks);
      const std::uint32_t messages = row.operation == Operation::all_to_all ? n * (n - 1) : n * row.steps;
      EXPECT_EQ(p.size(), chunks * messages);
      EXPECT_EQ(bytes_of(p), row.bytes);
      EXPECT_EQ(depth_of(p), row.steps);
      expect_local(p);
    }
  }
}

TEST(Collective, ARingWaitsForTheHostBefore) {
  const Program p = make(Operation::ring_all_reduce, 3_KB, 3);
  ASSERT_EQ(p.size(), 12u);
  for (std::uint32_t i = 0; i < 12; ++i) {
    EXPECT_EQ(p[i].src, i % 3);
    EXPECT_EQ(p[i].dst, (i + 1) % 3);
    EXPECT_EQ(p[i].size, 1_KB);
    EXPECT_EQ(p.waits(i), i < 3 ? 0u : 1u);
  }
  // step 1 of host 0 waits for step 0 of host 2
  EXPECT_EQ(p.then(2, Event::received)[0], 3u);
  EXPECT_EQ(p.then(0, Event::received)[0], 4u);
}

TEST(Collective, HalvingAndDoublingExchangesHalves) {
  const Program p = make(Operation::halving_doubling_all_reduce, 4_KB, 4);
  ASSERT_EQ(p.size(), 16u);
  const std::uint32_t distance[] = {2, 1, 1, 2};
  const Bytes size[] = {2_KB, 1_KB, 1_KB, 2_KB};
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(p[i].src, i % 4);
    EXPECT_EQ(p[i].dst, i % 4 ^ distance[i / 4]);
    EXPECT_EQ(p[i].size, size[i / 4]);
  }
}

TEST(Collective, DelaysAndPlacement) {
  Collective c{
      .operation = Operation::ring_all_gather, .size = 4_KB, .hosts = "4-7", .start = 3_us, .step_delay = 1_us};
  const Program in_order = make_collective(c, uniform_hosts(8));
  EXPECT_EQ(in_order[0].src, 4u);
  EXPECT_EQ(in_order[3].dst, 4u);
  EXPECT_EQ(in_order[0].delay, 3_us);
  EXPECT_EQ(in_order[4].delay, 1_us);
  c.placement = Placement::random;
  std::set<std::vector<std::uint32_t>> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program p = make_collective(c, uniform_hosts(8, seed));
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < 4; ++i) {
      order.push_back(p[i].src);
      EXPECT_EQ(p[i].dst, p[(i + 1) % 4].src);
    }
    seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 24u);  // all orders of 4 hosts
}

TEST(Collective, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { make(Operation::ring_all_reduce, 7_B, 4, 2); }),
            "size: 7 B is out of range; 4 hosts and 2 chunk(s) need at least 8 B");
  EXPECT_EQ(error_of([] { make(Operation::halving_doubling_all_reduce, 1_KB, 6); }),
            "hosts: halving and doubling needs a power of 2, and these are 6 hosts");
  EXPECT_EQ(error_of([] { make_collective({.size = 1_KB, .hosts = "1"}, uniform_hosts(4)); }),
            "hosts: 1 host; a collective needs at least 2");
  EXPECT_EQ(error_of([] { make(Operation::all_to_all, 1_GB, 20'000); }),
            "hosts: that would be 399980000 messages; at most 100000000 are possible, or any number with messages = "
            "\"sums\"");
}

// Spraying IV-A: 16 servers of 8 GPUs, GPU i sends to GPU i + 8.
TEST(Hsdp, IsEightRings) {
  const Program p = make_hsdp({.steps = 2, .placement = Placement::in_order}, uniform_hosts(128));
  ASSERT_EQ(p.size(), 256u);
  for (std::uint32_t i = 0; i < 128; ++i) {
    EXPECT_EQ(p[i].src, i);
    EXPECT_EQ(p[i].dst, (i + 8) % 128);
    EXPECT_EQ(p[i].size, 4096_B * 3344);
    EXPECT_EQ(list_of(p, i), std::vector<std::uint32_t>{128 + (i + 8) % 128});
  }
  expect_local(p);
}

TEST(Hsdp, CountsLiterally) {
  const Program p = make_hsdp({.count = HsdpCount::literal}, uniform_hosts(128));
  ASSERT_EQ(p.size(), 128u);
  EXPECT_EQ(p[0].size, 6'684'800_B);  // 855,654,400 / 8 / 16
}

// Servers move as a whole, and every host still sends and receives once.
TEST(Hsdp, ServersAreAtRandomPlaces) {
  std::set<std::uint32_t> next;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Program p = make_hsdp({}, uniform_hosts(128, seed));
    std::set<std::uint32_t> senders;
    std::set<std::uint32_t> receivers;
    for (std::uint32_t i = 0; i < 128; ++i) {
      EXPECT_EQ(p[i].src % 8, p[i].dst % 8);
      EXPECT_NE(p[i].src / 8, p[i].dst / 8);
      senders.insert(p[i].src);
      receivers.insert(p[i].dst);
      if (p[i].src == 0) next.insert(p[i].dst / 8);
    }
    EXPECT_EQ(senders.size(), 128u);
    EXPECT_EQ(receivers.size(), 128u);
  }
  EXPECT_GT(next.size(), 10u);  // of 15
}

TEST(Hsdp, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { make_hsdp({}, uniform_hosts(20)); }),
            "group: 8 does not fit 20 hosts; they must be at least two whole groups, valid are 1, 2, 4, 5, 10");
}

// NCCL's chunks go in slices of 1 MiB in rings and of 512 KiB in trees (Simple), the same number by each channel.
TEST(Collective, IsCutByTheSizeOfItsMessages) {
  struct Row {
    Operation operation;
    std::int64_t size;
    std::int64_t slice;
    std::uint32_t channels;
    std::uint32_t chunks;
  };
  constexpr std::int64_t kMiB = 1 << 20;
  for (const Row& row : {Row{Operation::ring_all_reduce, 64 * kMiB, kMiB, 1, 8},
                         {Operation::ring_all_reduce, 64 * kMiB + 1, kMiB, 1, 9},
                         {Operation::ring_all_reduce, 64 * kMiB, kMiB, 4, 8},
                         {Operation::ring_all_reduce, kMiB, kMiB, 4, 4},
                         {Operation::tree_all_reduce, 16 * kMiB, kMiB / 2, 2, 16},
                         {Operation::ring_broadcast, 16 * kMiB, kMiB / 2, 1, 32}}) {
    const Collective cut =
        in_chunks({.operation = row.operation, .size = {row.size}, .chunk_size = {row.slice}, .channels = row.channels},
                  uniform_hosts(8));
    EXPECT_EQ(cut.chunks, row.chunks);
    EXPECT_EQ(cut.chunk_size, Bytes{});
  }
  const Program cut =
      make_collective(in_chunks({.size = 10_MB, .chunk_size = 300_KB}, uniform_hosts(4)), uniform_hosts(4));
  for (std::uint32_t i = 0; i < cut.size(); ++i) EXPECT_LE(cut[i].size, 300_KB);
  // What an operation does not have changes nothing.
  const Collective gather =
      in_chunks({.operation = Operation::gather, .size = 1_MB, .window = 2, .order = Order::nccl, .channels = 4},
                uniform_hosts(4));
  EXPECT_EQ(gather.window, 2u);
  EXPECT_EQ(gather.order, Order::next);
  EXPECT_EQ(gather.channels, 1u);
  const Collective ring = in_chunks({.size = 1_MB, .root = 3, .slow = "1", .across = Across::tree}, uniform_hosts(4));
  EXPECT_EQ(ring.root, 0u);
  EXPECT_EQ(ring.slow, "");
  EXPECT_EQ(ring.across, Across::ring);
  EXPECT_EQ(error_of([] { in_chunks({.size = 1_MB, .chunks = 2, .chunk_size = 1_KB}, uniform_hosts(4)); }),
            "chunk_size: the number of chunks is given as well; leave one of the two out");
  EXPECT_EQ(error_of([] { in_chunks({.size = 1_GB, .chunk_size = 1_B}, uniform_hosts(4)); }),
            "chunk_size: that would be 250000000 chunks; at most 1000000 are possible");
}

}  // namespace
}  // namespace weir::traffic::collectives_test
