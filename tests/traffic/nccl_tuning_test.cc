// The model of NCCL's tuning, against times that NCCL's own functions give (nccl_tuning.csv: ncclTopoTuneModel and
// ncclTopoGetAlgoTime of 2.30.7, for clusters of Hopper GPUs on machines of Intel), and what operations become.
#include "weir/traffic/nccl_tuning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "weir/base/csv.h"
#include "weir/base/text_file.h"
#include "weir/traffic/calls_driver.h"
#include "weir/traffic/collective_choice.h"

namespace weir::traffic {
namespace {

NcclProtocol protocol_named(const std::string& name) {
  return name == "LL" ? NcclProtocol::ll : name == "LL128" ? NcclProtocol::ll128 : NcclProtocol::simple;
}

// A row of a table of NCCL's own times, of 14 columns: first those of the cluster, last those of the time.
struct TimesRow {
  std::vector<std::string> text;
  std::string where;

  double number(std::size_t column) const { return std::stod(text[column]); }
  NcclCluster cluster() const {
    NcclCluster c{.servers = static_cast<std::uint32_t>(number(0)), .gpus = static_cast<std::uint32_t>(number(1))};
    c.channels = number(2);
    c.within = number(3);
    c.between = number(4);
    return c;
  }
  // The time's columns begin with this one.
  void expect(const std::optional<NcclTime>& time, std::size_t column) const {
    ASSERT_TRUE(time) << where;
    EXPECT_NEAR(time->latency_us / number(column), 1, 2e-4) << where;
    EXPECT_NEAR(time->bandwidth / number(column + 1), 1, 2e-4) << where;
    EXPECT_NEAR(time->time_us / number(column + 2), 1, 2e-4) << where;
  }
};

std::vector<TimesRow> times_in(const std::string& file) {
  const std::string text = read_named_file(file, "times of NCCL", "file");
  CsvReader csv(text, file);
  std::vector<TimesRow> out;
  for (std::vector<std::string> row; csv.next(row);) {
    EXPECT_EQ(row.size(), 14u);
    out.push_back({row, std::to_string(csv.where().line)});
  }
  if (!out.empty()) out.erase(out.begin());  // the header
  return out;
}

TEST(NcclTuning, GivesTheTimesOfNccl) {
  const std::vector<TimesRow> rows = times_in("tests/traffic/nccl_tuning.csv");
  for (const TimesRow& row : rows) {
    NcclCluster c = row.cluster();
    c.nic_latency_us = row.number(5);
    ASSERT_EQ(row.text[6], "hopper");
    const auto algorithm = row.text[8] == "ring" ? NcclAlgorithm::ring : NcclAlgorithm::tree;
    row.expect(
        nccl_time(c, NcclFunction::all_reduce, algorithm, protocol_named(row.text[7]), Bytes{std::stoll(row.text[9])}),
        10);
  }
  EXPECT_EQ(rows.size(), 120u);
}

// All-gathers and reduce-scatters, by what NCCL has for each of the clusters and by nothing else.
TEST(NcclTuning, GivesTheTimesOfNcclForParts) {
  const std::vector<TimesRow> rows = times_in("tests/traffic/nccl_tuning_gather.csv");
  std::map<std::string, std::size_t> rows_of;  // by cluster, function and size
  std::map<std::string, std::size_t> times_of;
  for (const TimesRow& row : rows) {
    NcclCluster c = row.cluster();
    c.nvls_within = row.number(5);
    c.nvls_between = row.number(5);
    c.nic_latency_us = row.number(6);
    c.in_switch_efficiency = 0.85;
    const auto& text = row.text;
    const auto function = text[7] == "all-gather" ? NcclFunction::all_gather : NcclFunction::reduce_scatter;
    const auto algorithm = text[9] == "ring"   ? NcclAlgorithm::ring
                           : text[9] == "nvls" ? NcclAlgorithm::nvls
                                               : NcclAlgorithm::pat;
    const Bytes size{std::stoll(text[10])};
    row.expect(nccl_time(c, function, algorithm, protocol_named(text[8]), size), 11);
    const std::string key = text[0] + "," + text[1] + "," + text[7] + "," + text[10];
    ++rows_of[key];
    for (const auto a : {NcclAlgorithm::ring, NcclAlgorithm::tree, NcclAlgorithm::hierarchical, NcclAlgorithm::nvls,
                         NcclAlgorithm::nvls_tree, NcclAlgorithm::pat})
      for (const auto p : {NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple})
        if (rows_of[key] == 1 && nccl_time(c, function, a, p, size)) ++times_of[key];
  }
  EXPECT_EQ(rows.size(), 198u);
  EXPECT_EQ(rows_of, times_of);
}

// Switches add up from Hopper on; of one server that is the quickest for all but small sizes, and of several NCCL has
// trees between servers.
TEST(NcclTuning, KnowsWhatGoesWithWhat) {
  NcclCluster c{.servers = 1,
                .gpus = 8,
                .channels = 16,
                .within = 28,
                .between = 25,
                .nvls_within = 56,
                .nvls_between = 50,
                .in_switch_efficiency = 0.85};
  const auto names = [&] {
    std::set<NcclAlgorithm> out;
    for (const NcclTime& t : nccl_times(c, NcclFunction::all_reduce, Bytes{1 << 28})) out.insert(t.algorithm);
    return out;
  };
  using A = NcclAlgorithm;
  EXPECT_EQ(names(), (std::set{A::ring, A::tree, A::nvls}));
  EXPECT_EQ(nccl_times(c, NcclFunction::all_reduce, Bytes{1 << 28}).front().algorithm, A::nvls);
  EXPECT_EQ(nccl_times(c, NcclFunction::all_reduce, Bytes{1 << 10}).front().protocol, NcclProtocol::ll);
  c.servers = 4;
  EXPECT_EQ(names(), (std::set{A::ring, A::tree, A::hierarchical, A::nvls_tree}));
  c.in_switch_efficiency = 0;
  EXPECT_EQ(names(), (std::set{A::ring, A::tree, A::hierarchical}));
  c.gpus = 1;
  EXPECT_EQ(names(), (std::set{A::ring, A::tree}));
  const auto times = nccl_times(c, NcclFunction::all_reduce, Bytes{1 << 20});
  EXPECT_TRUE(
      std::is_sorted(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.time_us < b.time_us; }));
}

Context of_hosts(std::uint32_t hosts) {
  Context out;
  out.host_rates.assign(hosts, Rate{400'000'000'000});
  return out;
}

CollectiveChoice choice_of(std::uint32_t hosts, std::uint32_t group, Bytes size, std::uint32_t ranks = 0,
                           std::uint32_t stride = 1) {
  Collective c;
  c.operation = Operation::all_reduce;
  c.size = size;
  c.group = group;
  c.ranks = ranks;
  c.stride = stride;
  return choose_collective(c, of_hosts(hosts));
}

// What is chosen is what the model says is quickest, and can be planned.
TEST(CollectiveChoice, IsTheQuickest) {
  std::set<Operation> seen;
  for (const std::uint32_t servers : {1u, 2u, 4u, 16u, 64u})
    for (const std::uint32_t group : {1u, 4u, 8u})
      for (const std::int64_t size : {4'096, 262'144, 16'777'216, 1 << 30}) {
        if (servers * group < 2) continue;
        const CollectiveChoice choice = choice_of(servers * group, group, Bytes{size});
        Collective given;
        given.group = group;
        const std::uint32_t gpus = group;
        const auto times = nccl_times(nccl_cluster(given, servers, gpus, Rate{400'000'000'000}),
                                      NcclFunction::all_reduce, Bytes{size});
        const char* name = name_of(times.front().algorithm);
        EXPECT_NE(choice.reason.find(std::string("is ") + name + ": "), std::string::npos) << choice.reason;
        EXPECT_NE(choice.collective.operation, Operation::all_reduce);
        EXPECT_NO_THROW(plan_collective(choice.collective, of_hosts(servers * group))) << choice.reason;
        seen.insert(choice.collective.operation);
        const bool by_trees = choice.collective.operation == Operation::hierarchical_all_reduce &&
                              choice.collective.within == Within::in_switch;
        EXPECT_EQ(by_trees, times.front().algorithm == NcclAlgorithm::nvls_tree);
      }
  EXPECT_GE(seen.size(), 4u);
}

// Process groups count by the servers that they are in.
TEST(CollectiveChoice, KnowsProcessGroups) {
  EXPECT_NE(choice_of(64, 8, Bytes{1 << 20}, 8).reason.find("by 8 ranks in 1 server of 8"), std::string::npos);
  EXPECT_NE(choice_of(64, 8, Bytes{1 << 20}, 8, 8).reason.find("by 8 ranks in 8 servers of 1"), std::string::npos);
  EXPECT_NE(choice_of(64, 8, Bytes{1 << 20}, 4).reason.find("by 4 ranks in 1 server of 4"), std::string::npos);
  EXPECT_NE(choice_of(64, 8, Bytes{1 << 20}, 16).reason.find("by 16 ranks in 2 servers of 8"), std::string::npos);
  EXPECT_EQ(choice_of(64, 8, Bytes{}).reason, "");
}

// A call of a list is chosen too, and whoever asks is told why.
TEST(CollectiveChoice, IsMadeForCalls) {
  Collective c;
  c.operation = Operation::all_reduce;
  c.size = Bytes{1 << 20};
  c.group = 8;
  c.repeat = 2;
  Context context = of_hosts(64);
  std::vector<std::string> told;
  context.notice = [&](const std::string& text) { told.push_back(text); };
  const CallsDriver driver(c, context);
  EXPECT_EQ(told, std::vector<std::string>{choose_collective(c, context).reason});
  Collective plain = choose_collective(c, context).collective;
  EXPECT_EQ(driver.tasks(), CallsDriver(plain, context).tasks());
  EXPECT_EQ(told.size(), 1u);
}

// What is written of channels and chunks stays.
TEST(CollectiveChoice, CutsWhatIsNotCut) {
  const Bytes large{1 << 30};
  Collective c;
  c.operation = Operation::all_reduce;
  c.size = large;
  c.group = 8;
  c.generation = Generation::ampere;
  const Collective ring = choose_collective(c, of_hosts(128)).collective;
  ASSERT_EQ(ring.operation, Operation::ring_all_reduce);
  EXPECT_EQ(ring.channels, 8u);
  EXPECT_EQ(ring.chunks, 8u);
  // Chunks that are written go by as many channels as there are chunks for.
  for (const auto& [chunks, channels] : {std::pair(3u, 3u), {64u, 8u}}) {
    c.chunks = chunks;
    EXPECT_EQ(choose_collective(c, of_hosts(128)).collective.chunks, chunks);
    EXPECT_EQ(choose_collective(c, of_hosts(128)).collective.channels, channels);
  }
  c.channels = 2;
  EXPECT_EQ(choose_collective(c, of_hosts(128)).collective.channels, 2u);
}

// Rings over servers, one for each GPU of a server; PAT where each server has one GPU; the switch of one large server.
TEST(CollectiveChoice, IsOfGathersAndScatters) {
  struct Case {
    std::uint32_t hosts;
    std::uint32_t group;
    Bytes size;
    Operation gather;
    Operation scatter;
    std::uint32_t channels;
  };
  const std::vector<Case> cases{
      {128, 8, Bytes{1 << 26}, Operation::ring_all_gather, Operation::ring_reduce_scatter, 8},
      {64, 1, Bytes{1 << 20}, Operation::pat_all_gather, Operation::pat_reduce_scatter, 1},
      {64, 1, Bytes{1 << 30}, Operation::ring_all_gather, Operation::ring_reduce_scatter, 1},
      {16, 16, Bytes{1 << 23}, Operation::in_switch_all_gather, Operation::in_switch_reduce_scatter, 1},
      {40, 40, Bytes{1 << 23}, Operation::ring_all_gather, Operation::ring_reduce_scatter, 40},
  };
  for (const Case& one : cases)
    for (const bool gathers : {true, false}) {
      Collective c;
      c.operation = gathers ? Operation::all_gather : Operation::reduce_scatter;
      c.size = one.size;
      c.group = one.group;
      const CollectiveChoice choice = choose_collective(c, of_hosts(one.hosts));
      EXPECT_EQ(choice.collective.operation, gathers ? one.gather : one.scatter) << choice.reason;
      EXPECT_EQ(choice.collective.channels, one.channels) << choice.reason;
      EXPECT_TRUE(choice.reason.starts_with(gathers ? "the all-gather of " : "the reduce-scatter of "))
          << choice.reason;
      EXPECT_NO_THROW(plan_collective(choice.collective, of_hosts(one.hosts))) << choice.reason;
    }
}

}  // namespace
}  // namespace weir::traffic
