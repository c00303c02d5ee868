// Who made the longest queue, and which ports flows cross, where both can be told in advance.
#include <nlohmann/json.hpp>

#include "tests/probe/helpers.h"
#include "weir/base/csv.h"
#include "weir/probe/flow_probe.h"
#include "weir/probe/link_probe.h"
#include "weir/probe/queue_probe.h"

namespace weir::probe {
namespace {

using namespace weir::literals;

// Hosts 0 and 1 send long flows to host 4, hosts 2 and 3 short ones, and host 5 sends to host 6 at the side. All start
// at once at the line rate, so that of each four packets that come while all send one leaves.
Lab::Flows culprits() {
  return {flow(0_us, 0, 4, 60'000_B), flow(0_us, 1, 4, 40'000_B, 1), flow(0_us, 2, 4, 2'000_B),
          flow(0_us, 3, 4, 1'000_B), flow(0_us, 5, 6, 90'000_B)};
}

QueueSummary queues(const std::function<void(engine::Model&)>& edit = {}, const std::string& ports = "all") {
  ProbeParams params;
  params.set(QueuesParams{.ports = ports, .interval = 100_ns});
  return *Lab(net::build(net::Star{.hosts = 7}), culprits(), "fixed-window", edit).run(params).queues;
}

TEST(QueuePeak, NamesThePortTheInstantAndTheFlows) {
  const QueueSummary s = queues();
  ASSERT_TRUE(s.peak.has_value());
  const QueuePeak& peak = *s.peak;
  EXPECT_EQ(peak.port.port, 9u);  // the second end of host 4's link
  EXPECT_EQ(peak.port.from, 7u);
  EXPECT_EQ(peak.port.to, 4u);
  EXPECT_EQ(peak.port.group, "edge down");
  EXPECT_EQ(static_cast<double>(peak.bytes), s.all.max);
  // the 40 packets of the shorter of two long flows have just arrived
  EXPECT_GE(peak.time, 4'400_ns);
  EXPECT_LE(peak.time, 4'500_ns);
  ASSERT_TRUE(peak.has_flows);
  ASSERT_GE(peak.top.size(), 2u);
  EXPECT_EQ(peak.other_flows, 0u);
  EXPECT_EQ(peak.ended_bytes, 0u);
  std::uint64_t sum = 0;
  for (const auto& share : peak.top) {
    EXPECT_LT(share.flow, 2u) << "short flows have left, and flow 4 is elsewhere";
    EXPECT_EQ(share.src, share.flow);
    EXPECT_EQ(share.dst, 4u);
    EXPECT_EQ(share.tag, share.flow == 1 ? "incast" : "web");
    sum += share.bytes;
  }
  EXPECT_EQ(sum, peak.bytes);
  EXPECT_GE(peak.top[0].bytes, peak.top[1].bytes);
  ASSERT_EQ(peak.by_tag.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {  // one flow each
    EXPECT_EQ(peak.by_tag[i].tag, peak.top[i].tag);
    EXPECT_EQ(peak.by_tag[i].flows, 1u);
    EXPECT_EQ(peak.by_tag[i].bytes, peak.top[i].bytes);
  }
}

TEST(QueuePeak, IsTheSameOfPlainPortsAndOfQueuedOnes) {
  const auto told = [](const QueueSummary& q) {
    Summary s;
    s.queues = q;
    return nlohmann::json::parse(to_json(s)).at("queues").dump(1);
  };
  const std::string plain = told(queues());
  EXPECT_EQ(told(queues([](engine::Model& m) { m.network.port = net::PortKind::queued; })), plain);
  EXPECT_NE(plain.find("\"peak\""), std::string::npos);
}

// Sixteen alike, of which the smallest numbers come first, and the rest is counted.
TEST(QueuePeak, CountsThoseThatAreNotNamed) {
  Lab::Flows flows;
  for (std::uint32_t h = 0; h < 16; ++h) flows.push_back(flow(0_us, h, 16, 20'000_B));
  ProbeParams params;
  params.set(QueuesParams{.interval = 1_us});
  const QueuePeak peak = *Lab(net::build(net::Star{.hosts = 17}), flows).run(params).queues->peak;
  ASSERT_EQ(peak.top.size(), QueuePeak::kTop);
  EXPECT_EQ(peak.other_flows, 6u);
  std::uint64_t sum = peak.other_bytes;
  for (std::size_t i = 0; i < peak.top.size(); ++i) {
    sum += peak.top[i].bytes;
    if (i > 0 && peak.top[i].bytes == peak.top[i - 1].bytes) {
      EXPECT_GT(peak.top[i].flow, peak.top[i - 1].flow);
    }
  }
  EXPECT_EQ(sum, peak.bytes);
}

TEST(QueuePeak, IsNoneWithoutAQueue) {
  ProbeParams params;
  params.set(QueuesParams{});
  const QueueSummary s = *Lab(net::build(net::Star{.hosts = 2}), {flow(0_us, 0, 1, 5'000_B)}).run(params).queues;
  EXPECT_FALSE(s.peak.has_value());
  EXPECT_FALSE(s.busiest.has_value());
}

// All ports together hide the one that has a queue: 95 % of their samples are 0.
TEST(BusiestPort, IsTheOneWithTheQueue) {
  Lab::Flows flows;
  for (std::uint32_t h = 0; h < 16; ++h) flows.push_back(flow(0_us, h, 16, 100'000_B));
  ProbeParams params;
  params.set(QueuesParams{});
  const Lab::Flows same = flows;
  const Summary all = Lab(net::build(net::Star{.hosts = 17}), flows).run(params);
  params.set(QueuesParams{.ports = "17->16"});
  const Summary one = Lab(net::build(net::Star{.hosts = 17}), same).run(params);
  ASSERT_TRUE(all.queues->busiest.has_value());
  EXPECT_EQ(all.queues->busiest->from, 17u);
  EXPECT_EQ(all.queues->busiest->to, 16u);
  EXPECT_EQ(all.queues->all.p50, 0);
  const Distribution& busiest = all.queues->busiest_port;
  const Distribution& alone = one.queues->all;
  EXPECT_GT(busiest.p95, 100'000);
  EXPECT_EQ(busiest.count, alone.count);
  EXPECT_EQ(busiest.max, alone.max);
  EXPECT_DOUBLE_EQ(busiest.mean, alone.mean);
  for (const auto p : {&Distribution::p50, &Distribution::p95, &Distribution::p99, &Distribution::p999})
    EXPECT_NEAR(busiest.*p, alone.*p, alone.*p / 128);
  const std::string text = to_text(all);
  EXPECT_NE(text.find("  the busiest port "), std::string::npos) << text;
  EXPECT_NE(text.find("busiest: 17 -> 16 (port 33, edge down)"), std::string::npos) << text;
  EXPECT_NE(text.find("longest: "), std::string::npos) << text;
  EXPECT_NE(text.find("  of these bytes: flow "), std::string::npos) << text;
  EXPECT_NE(text.find(", 12 other flows "), std::string::npos) << text;
}

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::vector<std::vector<std::string>> out;
  const std::string text = text_of(file);
  CsvReader reader(text, file);
  for (std::vector<std::string> fields; reader.next(fields);) out.push_back(fields);
  return out;
}

TEST(FlowPaths, LeadFromSenderToReceiver) {
  const net::Topology t = net::build(net::LeafSpine{.leaves = 4, .spines = 4, .hosts_per_leaf = 4});
  ProbeParams params;
  params.set(FlowsParams{.paths = true});
  params.set(LinksParams{});
  for (const bool sprayed : {false, true}) {
    const Scratch scratch;
    ResultDirectory out(scratch / "a");
    Lab(t, {flow(0_us, 0, 15, 50'000_B), flow(0_us, 1, 2, 10'000_B)}, "fixed-window", [&](engine::Model& m) {
      if (sprayed) m.profiles[0].balancing.kind = host::Balancing::ops;
    }).run(params, &out);
    out.commit();
    const auto rows = rows_of(scratch / "a/paths.csv");
    EXPECT_EQ(rows.at(0), (std::vector<std::string>{"flow_id", "hop", "port", "from", "to"}));
    if (sprayed) {
      EXPECT_EQ(rows.size(), 3u);
      for (std::size_t i = 1; i < rows.size(); ++i)
        EXPECT_EQ(rows[i], (std::vector<std::string>{i == 1 ? "1" : "0", "", "", "", ""}));
      continue;
    }
    // the short flow ends first: two hops below one leaf, and four across a spine
    ASSERT_EQ(rows.size(), 7u);
    EXPECT_EQ(rows[1], (std::vector<std::string>{"1", "0", rows[1][2], "1", "16"}));
    EXPECT_EQ(rows[2], (std::vector<std::string>{"1", "1", rows[2][2], "16", "2"}));
    EXPECT_EQ(rows[3][3], "0");
    EXPECT_EQ(rows[6][4], "15");
    // they are the ports that its packets crossed
    std::map<std::string, std::string> sent;
    for (const auto& row : rows_of(scratch / "a/links.csv")) sent[row[0]] = row[5];
    for (std::size_t i = 3; i < 7; ++i) {
      EXPECT_EQ(rows[i][1], std::to_string(i - 3));
      EXPECT_GE(std::stoull(sent.at(rows[i][2])), 50'000u) << rows[i][2];
      if (i > 3) {
        EXPECT_EQ(rows[i][3], rows[i - 1][4]);
      }
    }
  }
}

}  // namespace
}  // namespace weir::probe
