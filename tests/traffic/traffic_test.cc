#include "weir/traffic/traffic.h"

#include <malloc.h>

#include "tests/traffic/helpers.h"
#include "weir/traffic/catalogue.h"
#include "weir/traffic/flow_list.h"
#include "weir/traffic/incast.h"
#include "weir/traffic/permutation.h"
#include "weir/traffic/poisson.h"

namespace weir::traffic::traffic_test {
namespace {

using namespace literals;

Flow flow(Time start, std::uint32_t src, std::uint32_t dst, std::uint16_t sport = 0, std::uint16_t dport = 0) {
  Flow f;
  f.start = start;
  f.src = src;
  f.dst = dst;
  f.size = 1_B;
  f.sport = sport;
  f.dport = dport;
  return f;
}

std::unique_ptr<Source> list(std::vector<Flow> flows) { return std::make_unique<FlowList>(std::move(flows)); }

std::unique_ptr<Source> poisson(const Context& context, Time stop = 2_ms) {
  Poisson::Params p;
  p.sizes = "FB_Hadoop";
  p.load = 0.3;
  p.stop = stop;
  return std::make_unique<Poisson>(p, context);
}

std::unique_ptr<Source> incast(const Context& context) {
  PoissonIncast::Params p;
  p.size = 10_KB;
  p.fan_in = 4;
  p.load = 0.1;
  p.stop = 2_ms;
  return std::make_unique<PoissonIncast>(p, context);
}

std::vector<Flow> drain(Traffic& traffic) {
  std::vector<Flow> out;
  traffic.pull_until(Time::max(), out);
  return out;
}

TEST(Traffic, IsEmptyWithoutSources) {
  Traffic traffic(4);
  EXPECT_FALSE(traffic.peek());
  EXPECT_FALSE(traffic.next());
  EXPECT_TRUE(drain(traffic).empty());
}

TEST(Traffic, MergesByStartThenSource) {
  Traffic traffic(4);
  traffic.add(list({flow(2_ns, 0, 1), flow(5_ns, 0, 1)}), Labels{1, 10});
  traffic.add(list({flow(1_ns, 1, 2), flow(2_ns, 1, 2), flow(5_ns, 1, 2)}), Labels{2, 20});
  EXPECT_EQ(traffic.peek(), 1_ns);
  const auto flows = drain(traffic);
  ASSERT_EQ(flows.size(), 5u);
  const std::uint16_t tags[] = {2, 1, 2, 1, 2};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(flows[i].id, i);
    EXPECT_EQ(flows[i].tag, tags[i]);
    EXPECT_EQ(flows[i].profile, 10 * tags[i]);
  }
}

TEST(Traffic, PullsWhatStartsBeforeTheEnd) {
  Traffic traffic(4);
  traffic.add(list({flow(1_ns, 0, 1), flow(2_ns, 0, 1), flow(3_ns, 0, 1)}), Labels{});
  std::vector<Flow> out;
  traffic.pull_until(2_ns, out);
  EXPECT_EQ(out.size(), 1u);
  EXPECT_EQ(traffic.peek(), 2_ns);
  traffic.pull_until(2_ns, out);
  EXPECT_EQ(out.size(), 1u);
  traffic.pull_until(4_ns, out);
  EXPECT_EQ(out.size(), 3u);
  EXPECT_EQ(out.back().id, 2u);
}

TEST(Traffic, KeepsLabelsIfNoneAreGiven) {
  auto f = flow(1_ns, 0, 1);
  f.tag = 5;
  f.profile = 6;
  Traffic traffic(2);
  traffic.add(list({f}), std::nullopt);
  const auto out = traffic.next();
  EXPECT_EQ(out->tag, 5);
  EXPECT_EQ(out->profile, 6);
}

TEST(Traffic, AssignsPortsPerSender) {
  Traffic traffic(3);
  traffic.add(list({flow(1_ns, 0, 1), flow(2_ns, 0, 2), flow(3_ns, 1, 2), flow(4_ns, 0, 1, 77, 88), flow(5_ns, 0, 1)}),
              Labels{});
  const auto flows = drain(traffic);
  const std::uint16_t sports[] = {10000, 10001, 10000, 77, 10002};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(flows[i].sport, sports[i]) << i;
  EXPECT_EQ(flows[0].dport, 100);
  EXPECT_EQ(flows[3].dport, 88);
}

TEST(Traffic, SourcePortsWrapAround) {
  std::vector<Flow> many(50'001, flow(1_ns, 0, 1));
  Traffic traffic(2);
  traffic.add(list(many), Labels{});
  const auto flows = drain(traffic);
  EXPECT_EQ(flows[49'999].sport, 59'999);
  EXPECT_EQ(flows[50'000].sport, 10'000);
}

TEST(Traffic, OneMoreSourceLeavesTheOthersFlowsAlone) {
  Traffic alone(16);
  alone.add(poisson(uniform_hosts(16, 1, 0)), Labels{0, 0});
  Traffic both(16);
  both.add(poisson(uniform_hosts(16, 1, 0)), Labels{0, 0});
  both.add(incast(uniform_hosts(16, 1, 1)), Labels{1, 0});

  const auto expected = drain(alone);
  std::vector<Flow> first;
  Time last;
  for (const auto& f : drain(both)) {
    EXPECT_GE(f.start, last);
    last = f.start;
    if (f.tag == 0) first.push_back(f);
  }
  ASSERT_EQ(first.size(), expected.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].start, expected[i].start);
    EXPECT_EQ(first[i].src, expected[i].src);
    EXPECT_EQ(first[i].dst, expected[i].dst);
    EXPECT_EQ(first[i].size, expected[i].size);
  }
}

TEST(Traffic, SameSeedSameFlowsHoweverTheyArePulled) {
  const auto make = [](Traffic& traffic) {
    traffic.add(poisson(uniform_hosts(16, 9, 0)), Labels{0, 0});
    traffic.add(poisson(uniform_hosts(16, 9, 1)), Labels{1, 0});
    traffic.add(incast(uniform_hosts(16, 9, 2)), Labels{2, 0});
  };
  Traffic at_once(16);
  make(at_once);
  Traffic by_epochs(16);
  make(by_epochs);
  std::vector<Flow> pieces;
  for (Time end = 1_us; by_epochs.peek(); end += 1_us) by_epochs.pull_until(end, pieces);
  EXPECT_TRUE(same(drain(at_once), pieces));
}

TEST(Traffic, MemoryDoesNotFollowTheFlows) {
  Traffic traffic(64);
  traffic.add(poisson(uniform_hosts(64), 1'000_ms), Labels{});
  std::vector<Flow> epoch;
  epoch.reserve(10'000);
  traffic.pull_until(1_ms, epoch);
  const auto before = mallinfo2().uordblks;
  std::uint64_t flows = 0;
  for (Time end = 1_ms; end < 500_ms; end += 1_ms) {
    epoch.clear();
    traffic.pull_until(end, epoch);
    flows += epoch.size();
  }
  EXPECT_GT(flows, 900'000u);
  EXPECT_EQ(mallinfo2().uordblks, before);
}

TEST(Catalogue, BuildsEveryKindFromItsParameters) {
  std::string names;
  for (const Kind& k : kinds()) names += k.name + " ";
  EXPECT_EQ(names, "poisson incast incast_poisson permutation flows collective calls training hsdp program goal ");

  const auto& kind = kind_named("permutation");
  const auto params = kind.params->make();
  const auto* size = kind.params->find("size");
  size->set(params.get(), parse_value(*size, "1 MB"));
  auto context = uniform_hosts(8);
  context.labels = {4, 2};
  Traffic traffic(8);
  kind.add(traffic, params.get(), context);
  const auto flows = drain(traffic);
  ASSERT_EQ(flows.size(), 8u);
  EXPECT_EQ(flows[7].size, 1_MB);
  EXPECT_EQ(flows[7].tag, 4);
  EXPECT_EQ(flows[7].profile, 2);
}

// Flows that are to be complete together are a program; elephants are not among them.
TEST(Catalogue, FlowsAreOneCollectiveIfAskedTo) {
  Permutation::Params params;
  params.size = 1_MB;
  params.start = 3_us;
  params.elephants = 2;
  params.elephant_size = 1_GB;
  auto context = uniform_hosts(8);
  context.labels = {4, 2};
  context.completion = true;
  Traffic traffic(8);
  kind_named("permutation").add(traffic, &params, context);
  const Program& p = traffic.program();
  ASSERT_EQ(p.size(), 6u);
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(p[i].size, 1_MB);
    EXPECT_EQ(p[i].delay, 3_us);
    EXPECT_EQ(p[i].tag, 4);
    EXPECT_EQ(p[i].profile, 2);
    EXPECT_EQ(p.waits(i), 0u);
  }
  EXPECT_EQ(p.parts()[0].tag, 4);
  const auto others = drain(traffic);
  ASSERT_EQ(others.size(), 2u);
  EXPECT_EQ(others[0].id, 6u);
  EXPECT_EQ(others[0].size, 1_GB);
}

TEST(Catalogue, DefaultsAskForWhatIsMissing) {
  const auto context = uniform_hosts(8);
  Traffic traffic(8);
  for (const Kind& kind : kinds()) {
    const auto params = kind.params->make();
    try {
      kind.add(traffic, params.get(), context);
      ADD_FAILURE() << kind.name;
    } catch (const InputError& error) {
      ASSERT_TRUE(error.key()) << kind.name << ": " << error.what();
      EXPECT_NE(kind.params->find(*error.key()), nullptr) << kind.name << ": " << error.what();
    }
  }
}

TEST(Catalogue, NamesTheNearestKind) {
  EXPECT_EQ(error_of([] { kind_named("poison"); }),
            "unknown kind of traffic 'poison' (did you mean 'poisson'?); valid is poisson, incast, incast_poisson, "
            "permutation, flows, collective, calls, training, hsdp, program, goal");
}

}  // namespace
}  // namespace weir::traffic::traffic_test
