// Schedules of collectives on an idle network, against closed forms and the bandwidths of nccl-tests.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/base/error.h"
#include "weir/probe/collective_report.h"
#include "weir/scenario/build.h"
#include "weir/traffic/rounds.h"

namespace weir::scenario::schedules_test {
namespace {

using traffic::Operation;

// A star without packets, and traffic on it.
std::string star(int hosts, int gbps, const std::string& traffic) {
  return fmt::format(R"(
[topology]
kind = "star"
hosts = {}
rate = "{} Gbps"
[algorithm]
name = "fixed-window"
[run]
fidelity = "flow"
[[traffic]]
{})",
                     hosts, gbps, traffic);
}

const std::string kStar = star(8, 100, R"(kind = "collective"
operation = "ring-broadcast"
size = "8 MB"
)");

// Of a message from host 0 to host 1 on an idle network: until it is received, and until that is known.
struct Idle {
  Time received;
  Time acknowledged;
};

struct Found {
  probe::CollectiveSummary summary;
  std::shared_ptr<const engine::Model> model;

  Idle message(Bytes size) const {
    const auto framing = model->framing_without_int(model->profiles[0]);
    const Time received = model->paths.delivery(0, 1, size, framing);
    return {received, received + model->paths.least_one_way(1, 0, framing.ack)};
  }
};

Found find(const std::string& text, const std::vector<std::string>& set) {
  const auto run = build(load_scenario(text, "tests/scenarios/a.toml", set));
  run.simulation->advance();
  Found out{probe::report_collectives(*run.simulation, run.tags()).at(0), run.model};
  EXPECT_TRUE(out.summary.completion);
  EXPECT_EQ(out.summary.unfinished, 0u);
  EXPECT_LE(out.summary.bound, out.summary.completion.value_or(Time{}));
  return out;
}

Found find(const std::vector<std::string>& set) { return find(kStar, set); }

TEST(RingBroadcast, HandsTheBufferOn) {
  for (const char* operation : {"ring-broadcast", "ring-reduce"})
    for (const char* root : {"0", "5"}) {
      const std::vector<std::string> set{std::string("traffic.0.operation=") + operation,
                                         std::string("traffic.0.root=") + root};
      const Found whole = find(set);
      EXPECT_EQ(whole.summary.messages, 7u);
      EXPECT_EQ(whole.summary.payload, Bytes{7 * 8'000'000});
      EXPECT_EQ(*whole.summary.completion, 7 * whole.message(Bytes{8'000'000}).received) << operation;
      EXPECT_EQ(*whole.summary.completion, whole.summary.bound);
      // One chunk leaves when the one before is acknowledged; the last one then goes along the chain.
      std::vector<std::string> cut = set;
      cut.insert(cut.end(), {"traffic.0.chunks=16", "traffic.0.active_chunks=1"});
      const Found chunks = find(cut);
      const Idle one = chunks.message(Bytes{500'000});
      EXPECT_EQ(*chunks.summary.completion, 15 * one.acknowledged + 7 * one.received) << operation;
      // The same if each host has one slot for the next.
      cut.back() = "traffic.0.slots=1";
      EXPECT_EQ(find(cut).summary.completion, chunks.summary.completion) << operation;
    }
}

// With one slot that its receiver frees, a chunk begins once the one before has begun at the next host and the message
// that says so is back, which shares that host's links with data. Hosts take 1 us for each step, and one takes 200 us:
// acknowledged, the next chunk is there when it has handed on the one before.
TEST(RingBroadcast, IsHeldBackByASlowHost) {
  const auto took = [](const char* by, const char* slow) {
    const Found found = find({"traffic.0.chunks=16", "traffic.0.slots=1", std::string("traffic.0.slots_freed_by=") + by,
                              "traffic.0.step_delay=1 us", "traffic.0.slow=4", slow});
    return found.summary.completion->seconds() * 1e6;
  };
  const Found idle = find({});
  const Idle chunk = idle.message(Bytes{500'000});
  const double there = chunk.received.seconds() * 1e6;
  const double back = idle.message(Bytes{64}).received.seconds() * 1e6;
  for (const auto& [slow, step] : {std::pair("traffic.0.slow_factor=200", 200), {"traffic.0.slow_factor=1", 1}}) {
    const double once = 7 * there + 5 * 1 + step;
    EXPECT_NEAR(took("acknowledgement", slow), once + 15 * chunk.acknowledged.seconds() * 1e6, 0.01);
    EXPECT_GE(took("receiver", slow), once + 15 * (there + step + back));
    EXPECT_LE(took("receiver", slow), (once + 15 * (there + step + back)) * 1.001);
  }
}

// On one connection chunks follow each other: nccl-tests' bus bandwidth is then the link's, less what the chain takes
// to fill.
TEST(RingBroadcast, IsPipelinedOnKeptConnections) {
  const Found found =
      find({"run.fidelity=exact", "transport.connections=kept", "traffic.0.chunks=64", "traffic.0.size=64 MB"});
  const double chunk = found.message(Bytes{1'000'000}).received.seconds();
  const double pipelined = 7 * chunk + 63 * 1'048'000 * 8 / 100e9;
  // Acknowledgements, 60 bytes to 1,048, share the links.
  EXPECT_GE(found.summary.completion->seconds(), pipelined);
  EXPECT_LE(found.summary.completion->seconds(), pipelined * (1 + 60.0 / 1048));
  EXPECT_NEAR(*found.summary.bus_bandwidth(), 64e6 * 8 / found.summary.completion->seconds(), 10);
}

// n - 1 messages share the root's link; bus bandwidth is its rate, less headers of 48 to 1,000 bytes and a latency.
TEST(Gather, FillsTheLinkOfTheRoot) {
  for (const char* operation : {"gather", "scatter"}) {
    const std::string of = std::string("traffic.0.operation=") + operation;
    const Found found = find({of, "traffic.0.size=80 MB", "traffic.0.root=3"});
    EXPECT_EQ(found.summary.messages, 7u);
    EXPECT_EQ(found.summary.payload, Bytes{70'000'000});
    EXPECT_NEAR(*found.summary.bus_bandwidth() / 100e9, 1000.0 / 1048, 0.002) << operation;
    EXPECT_EQ(*found.summary.algorithm_bandwidth() * 7 / 8, *found.summary.bus_bandwidth());
  }
  // One at a time, the root waits for an acknowledgement between each and the next.
  const Found one = find({"traffic.0.operation=scatter", "traffic.0.window=1"});
  const Idle message = one.message(Bytes{1'000'000});
  EXPECT_EQ(*one.summary.completion, 6 * message.acknowledged + message.received);
}

TEST(AllToAll, HasAWindow) {
  const Found one = find({"traffic.0.operation=all-to-all", "traffic.0.window=1"});
  const Idle message = one.message(Bytes{1'000'000});
  EXPECT_EQ(*one.summary.completion, 6 * message.acknowledged + message.received);
  EXPECT_EQ(one.summary.messages, 56u);
  // All at once, by the same driver and by the one that needs no window.
  const Found wide = find({"traffic.0.operation=all-to-all", "traffic.0.window=7"});
  const Found none = find({"traffic.0.operation=all-to-all"});
  EXPECT_EQ(wide.summary.completion, none.summary.completion);
  EXPECT_LT(*wide.summary.completion, *one.summary.completion);
}

TEST(Rounds, TakeTheTimeOfTheirMessages) {
  const std::pair<const char*, Operation> operations[] = {{"barrier", Operation::barrier},
                                                          {"bruck-all-to-all", Operation::bruck_all_to_all},
                                                          {"bruck-all-gather", Operation::bruck_all_gather},
                                                          {"pat-all-gather", Operation::pat_all_gather},
                                                          {"pat-reduce-scatter", Operation::pat_reduce_scatter}};
  for (const auto& [name, operation] : operations)
    for (const std::uint32_t n : {8u, 6u}) {
      const Found found = find({std::string("traffic.0.operation=") + name, "topology.hosts=" + std::to_string(n),
                                "traffic.0.size=6 MB", "traffic.0.step_delay=700 ns"});
      const traffic::Rounds rounds(operation, n);
      ASSERT_EQ(rounds.rounds(), 3u);
      EXPECT_EQ(found.summary.messages, 3 * n);
      const std::int64_t block = operation == Operation::barrier ? 6'000'000 : 6'000'000 / n;
      Time sum = 2 * Time{700'000};
      for (std::uint32_t round = 0; round < 3; ++round)
        sum += found.message(Bytes{rounds.blocks(round) * block}).received;
      EXPECT_EQ(*found.summary.completion, sum) << name << " of " << n;
      EXPECT_EQ(found.summary.bus_bandwidth().has_value(), operation != Operation::barrier);
    }
  // Whose blocks are of 750,000 bytes: 1, 2 and 4 of them.
  const Found gather = find({"traffic.0.operation=pat-all-gather", "traffic.0.size=6 MB"});
  EXPECT_NEAR(*gather.summary.bus_bandwidth(), 7.0 / 8 * 48e6 / gather.summary.completion->seconds(), 10);
}

// In a ring over servers only one GPU of each sends to another server. With a channel for each GPU all NICs are busy,
// and bus bandwidth is that of all of them.
TEST(Channels, UseAllNics) {
  const std::string text = star(16, 400, R"(kind = "collective"
operation = "ring-all-reduce"
size = "1600 MB"
group = 4
chunks = 4
)");
  const double nic = 400e9 * 1000 / 1048;
  const Found one = find(text, {});
  const Found all = find(text, {"traffic.0.channels=4"});
  EXPECT_NEAR(*one.summary.bus_bandwidth(), nic, 0.02 * nic);
  EXPECT_NEAR(*all.summary.bus_bandwidth(), 4 * nic, 0.02 * 4 * nic);
  EXPECT_EQ(all.summary.messages, one.summary.messages);
  // What one NIC of a server needs for the buffer.
  const double by_one = 1600e6 * 8 / nic;
  // The same along a chain, and up and down trees, whose chunks follow each other one by one.
  for (const char* operation : {"ring-broadcast", "ring-reduce", "tree-all-reduce"}) {
    const std::vector<std::string> set{std::string("traffic.0.operation=") + operation, "traffic.0.chunks=64",
                                       "traffic.0.active_chunks=8"};
    std::vector<std::string> with = set;
    with.emplace_back("traffic.0.channels=4");
    EXPECT_GE(find(text, set).summary.completion->seconds(), by_one) << operation;
    EXPECT_LT(find(text, with).summary.completion->seconds(), 0.9 * by_one) << operation;
  }
  // With a slot for each next host, chunks follow each other along the chain: 64 of them, and those that fill it.
  const double chain = find(text, {"traffic.0.operation=ring-broadcast", "traffic.0.chunks=64", "traffic.0.slots=1"})
                           .summary.completion->seconds();
  EXPECT_GT(chain, by_one * (64 + 2) / 64);
  EXPECT_LT(chain, by_one * (64 + 4) / 64);
}

// 16 GPUs in servers of 4, unequal sizes, all messages at once and max-min shares of 3,600 Gb/s and 500 ns within a
// server, 400 Gb/s and 1 us between: 150,422.08 ns, which is the busiest link's time, and 50.648 GB/s as nccl-tests
// counts.
TEST(AllToAllOfGivenSizes, TakesTheTimeOfTheBusiestLink) {
  const std::string text = R"(
[topology]
kind = "star"
hosts = 16
rate = "400 Gbps"
delay = "500 ns"
[algorithm]
name = "fixed-window"
[transport]
payload = "64 B"
header = "0 B"
ack_header = "1 B"
min_frame = "1 B"
[run]
fidelity = "flow"
[[traffic]]
kind = "collective"
operation = "all-to-all-v"
sizes = "sizes-16.csv"
group = 4
)";
  const Found found = find(text, {});
  EXPECT_EQ(found.summary.messages, 240u);
  EXPECT_EQ(found.summary.payload, Bytes{109'379'584});
  // A packet of 64 bytes stands whole in the switch before it goes on: 1.28 ns.
  EXPECT_NEAR(found.summary.completion->seconds() * 1e9, 150'422.08, 1.5);
  EXPECT_NEAR(*found.summary.bus_bandwidth() / 8e9, 50.647884, 0.001);
  EXPECT_NEAR(*found.summary.algorithm_bandwidth() / 8e9, 54.024409, 0.001);
  EXPECT_NEAR(found.summary.bound.seconds() * 1e9, 150'422.08, 1.5);
  EXPECT_GT(*find(text, {"traffic.0.window=1"}).summary.completion, *found.summary.completion);
}

TEST(Calls, FollowEachOther) {
  const std::vector<std::string> ring{"traffic.0.operation=ring-all-reduce"};
  const Time once = *find(ring).summary.completion;
  const Found three = find({ring[0], "traffic.0.repeat=3", "traffic.0.compute=10 us"});
  const Time back = three.message(Bytes{1}).acknowledged - three.message(Bytes{1}).received;
  // A host goes on when its last message is acknowledged.
  EXPECT_EQ(*three.summary.completion, 3 * (Time{10'000'000} + once) + 2 * back);
  EXPECT_EQ(three.summary.messages, 3u * 8 * 14);
  ASSERT_EQ(three.summary.activities.size(), 2u);
  EXPECT_EQ(three.summary.activities[0].name, "computation");
  EXPECT_EQ(three.summary.activities[0].mean, Time{30'000'000});
  EXPECT_EQ(three.summary.activities[1].name, "ring-all-reduce");
  EXPECT_EQ(three.summary.activities[1].mean, 3 * (once + back));
  EXPECT_FALSE(three.summary.bus_bandwidth());
  const Found two = find({ring[0], "traffic.0.repeat=2"});
  EXPECT_EQ(*two.summary.completion, 2 * once + back);
  EXPECT_DOUBLE_EQ(*two.summary.algorithm_bandwidth(), 16e6 * 8 / two.summary.completion->seconds());
}

// A host that computes for longer keeps all others waiting.
TEST(Calls, WaitForASlowHost) {
  const std::vector<std::string> set{"traffic.0.operation=ring-all-reduce", "traffic.0.compute=10 us",
                                     "traffic.0.repeat=2"};
  const Found even = find(set);
  const Found slow = find({set[0], set[1], set[2], "traffic.0.slow=3", "traffic.0.slow_factor=3"});
  EXPECT_EQ(slow.summary.activities[0].longest, Time{60'000'000});
  EXPECT_GE(*slow.summary.completion, *even.summary.completion + Time{20'000'000});
  EXPECT_GE(slow.summary.bound, even.summary.bound + Time{20'000'000});
}

// Groups share nothing on a star but their hosts: four of two take the time of two hosts alone.
TEST(Calls, AreOfProcessGroups) {
  const Time pair = *find({"traffic.0.operation=ring-all-reduce", "traffic.0.hosts=0-1"}).summary.completion;
  for (const char* stride : {"1", "2", "4"}) {
    const Found groups =
        find({"traffic.0.operation=ring-all-reduce", "traffic.0.ranks=2", std::string("traffic.0.stride=") + stride});
    EXPECT_EQ(*groups.summary.completion, pair) << stride;
    EXPECT_EQ(groups.summary.messages, 16u);
    EXPECT_EQ(groups.summary.bound, pair);
  }
}

// Tensor parallelism between neighbours, then data parallelism between hosts that are 4 apart.
TEST(Calls, AreListedInAFile) {
  const std::string text = star(8, 100, R"(kind = "calls"
file = "calls.csv"
repeat = 2
)");
  const Found found = find(text, {});
  const Idle tensor = found.message(Bytes{1'000'000});
  const Idle data = found.message(Bytes{500'000});
  const Time back = tensor.acknowledged - tensor.received;
  const Time once = Time{20'000'000} + 6 * tensor.received + back + 2 * data.received;
  EXPECT_EQ(*found.summary.completion, 2 * once + back);
  ASSERT_EQ(found.summary.activities.size(), 3u);
  EXPECT_EQ(found.summary.activities[1].name, "tensor");
  EXPECT_EQ(found.summary.activities[1].mean, 2 * (6 * tensor.received + back));
  EXPECT_EQ(found.summary.activities[2].name, "ring-all-reduce");
  EXPECT_EQ(found.summary.activities[2].mean, 2 * (2 * data.received + back));
}

TEST(Schedules, AreTheSameOnAnyNumberOfThreads) {
  const std::vector<std::vector<std::string>> variants{
      {"traffic.0.operation=ring-broadcast", "traffic.0.chunks=7", "traffic.0.active_chunks=3"},
      {"traffic.0.operation=ring-reduce", "traffic.0.chunks=5", "traffic.0.root=3", "traffic.0.repeat=3"},
      {"traffic.0.operation=gather", "traffic.0.repeat=2", "traffic.0.compute=3 us"},
      {"traffic.0.operation=scatter", "traffic.0.window=2", "traffic.0.chunks=3"},
      {"traffic.0.operation=ring-all-reduce", "traffic.0.slots=2", "traffic.0.chunks=7", "traffic.0.repeat=2"},
      {"traffic.0.operation=ring-all-reduce", "traffic.0.slots=2", "traffic.0.chunks=7", "traffic.0.repeat=2",
       "traffic.0.slots_freed_by=receiver", "traffic.0.channels=2", "traffic.0.group=2"},
      {"traffic.0.operation=ring-broadcast", "traffic.0.slots=1", "traffic.0.chunks=9", "traffic.0.active_chunks=4",
       "traffic.0.slots_freed_by=receiver", "traffic.0.step_delay=2 us", "traffic.0.slow=3", "traffic.0.slow_factor=4"},
      {"traffic.0.operation=tree-all-reduce", "traffic.0.slots=2", "traffic.0.chunks=9", "traffic.0.group=2",
       "traffic.0.slots_freed_by=receiver", "traffic.0.repeat=2", "traffic.0.compute=3 us", "traffic.0.slow=5"},
      {"traffic.0.operation=hierarchical-all-reduce", "traffic.0.slots=2", "traffic.0.chunks=5", "traffic.0.group=2",
       "traffic.0.slots_freed_by=receiver", "transport.connections=kept"},
      {"traffic.0.operation=hierarchical-all-reduce", "traffic.0.slots=1", "traffic.0.chunks=5", "traffic.0.group=2",
       "traffic.0.slots_freed_by=receiver", "traffic.0.across=tree", "traffic.0.within=switch"},
      {"traffic.0.operation=all-to-all", "traffic.0.window=3", "traffic.0.group=4"},
      {"traffic.0.operation=all-to-all", "traffic.0.order=nccl", "traffic.0.window=2"},
      {"traffic.0.operation=ring-all-gather", "traffic.0.channels=3", "traffic.0.chunks=5", "traffic.0.group=2"},
      {"traffic.0.operation=tree-all-reduce", "traffic.0.channels=2", "traffic.0.chunks=5", "traffic.0.group=2",
       "traffic.0.repeat=2"},
      {"traffic.0.operation=ring-reduce", "traffic.0.channels=2", "traffic.0.chunks=5", "traffic.0.group=2",
       "traffic.0.active_chunks=2", "traffic.0.repeat=2"},
      {"traffic.0.operation=barrier", "traffic.0.size=8 B", "traffic.0.repeat=5"},
      {"traffic.0.operation=bruck-all-to-all", "traffic.0.chunks=3", "traffic.0.active_chunks=2"},
      {"traffic.0.operation=pat-all-gather", "traffic.0.group=2"},
      {"traffic.0.operation=ring-all-reduce", "traffic.0.ranks=4", "traffic.0.stride=2", "traffic.0.group=2"},
      {"traffic.0.operation=tree-all-reduce", "traffic.0.ranks=4", "traffic.0.repeat=2", "traffic.0.chunks=3"},
      {"traffic.0.operation=hierarchical-all-reduce", "traffic.0.ranks=4", "traffic.0.group=2"},
      {"traffic.0.operation=pat-reduce-scatter", "traffic.0.placement=random", "transport.connections=kept"}};
  const std::string text = R"(
[topology]
kind = "leaf-spine"
leaves = 4
spines = 2
hosts_per_leaf = 2
[algorithm]
name = "hpcc"
[[traffic]]
kind = "collective"
size = "300001 B"
messages = "sums"
)";
  for (const auto& set : variants) {
    const Found one = find(text, set);
    for (const char* other : {"run.threads=2", "run.scheduler=wheel", "run.scheduler=heap"}) {
      std::vector<std::string> more = set;
      more.emplace_back(other);
      const Found two = find(text, more);
      EXPECT_EQ(two.summary.completion, one.summary.completion) << set[0] << " " << other;
      EXPECT_EQ(two.summary.acknowledged, one.summary.acknowledged) << set[0] << " " << other;
    }
  }
}

TEST(Schedules, SayWhatIsWrong) {
  const auto refusal = [](const std::vector<std::string>& set) -> std::string {
    try {
      build(load_scenario(kStar, "tests/scenarios/a.toml", set));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto has = [&](const std::vector<std::string>& set, const std::string& what) {
    EXPECT_NE(refusal(set).find(what), std::string::npos) << refusal(set);
  };
  has({"traffic.0.root=8"}, "there is no rank 8; valid is 0 to 7");
  has({"traffic.0.size=0 B"}, "missing; write a size");
  has({"traffic.0.channels=2"}, "1 chunk(s) cannot go by 2 channels");
  has({"traffic.0.slots_freed_by=receiver"}, "there are no slots that receivers could free");
  has({"traffic.0.operation=ring-all-reduce", "traffic.0.slots_freed_by=receiver", "traffic.0.slots=1"},
      "would wait for each other for ever; write 2 or more");
  has({"traffic.0.slow=9", "traffic.0.compute=1 us"}, "host 9 does not exist");
  has({"traffic.0.slow=7", "traffic.0.step_delay=1 us", "traffic.0.hosts=0-5"}, "host 7 takes no part");
  has({"traffic.0.operation=tree-all-reduce", "traffic.0.group=4", "traffic.0.channels=2", "traffic.0.chunks=2",
       "traffic.0.active_chunks=1"},
      "1 chunk(s) at a time by 2 channels would wait for each other for ever");
  has({"traffic.0.operation=tree-all-reduce", "traffic.0.group=4", "traffic.0.channels=4", "traffic.0.chunks=8",
       "traffic.0.active_chunks=6"},
      "write a multiple of 4, or 0");
  has({"traffic.0.ranks=2", "traffic.0.group=4", "traffic.0.channels=2", "traffic.0.chunks=2"}, "does not divide");
  has({"traffic.0.ranks=3"}, "3 does not divide the 8 hosts into whole process groups; valid are 2, 4, 8");
  has({"traffic.0.ranks=2", "traffic.0.stride=3"},
      "3 does not divide the 4 process groups of 2 of the 8 hosts; valid are 1, 2, 4");
  has({"traffic.0.stride=2"}, "without ranks there is one process group, of all hosts; write ranks as well, or 1");
  has({"traffic.0.operation=gather", "traffic.0.active_chunks=2"}, "no steps that wait for each other");
  has({"traffic.0.operation=all-to-all-v"}, "leave this out");
  has({"traffic.0.operation=barrier", "traffic.0.size=8 B", "traffic.0.chunks=9"}, "need at least 9 B");
}

}  // namespace
}  // namespace weir::scenario::schedules_test
