// The distribution of queue lengths over time: by hand, and against samples at short intervals.
#include <algorithm>

#include "tests/probe/helpers.h"
#include "weir/base/error.h"
#include "weir/probe/queue_probe.h"

namespace weir::probe {
namespace {

using namespace weir::literals;

constexpr std::int64_t kPacket = 1048, kTime = 83'840, kArrival = 1'000'000 + kTime;
constexpr engine::RunOptions kTraced{.traced = true};

// `senders` single packets reach the last host's port at one instant; one leaves at once and one more every packet
// time, so that each length above 0 lasts one packet time.
struct Drain {
  explicit Drain(std::uint32_t senders, QueuesParams params) {
    Lab::Flows flows;
    for (std::uint32_t h = 0; h < senders; ++h) flows.push_back(flow(0_us, h, senders, 1000_B));
    params.ports = fmt::format("{}->{}", senders + 1, senders);
    params.exact = true;
    ProbeParams probes;
    probes.set(params);
    const Scratch scratch;
    ResultDirectory out(scratch / "a");
    summary =
        *Lab(net::build(net::Star{.hosts = senders + 1}), flows, "fixed-window", {}, kTraced).run(probes, &out).queues;
    out.commit();
    cdf = text_of(scratch / "a/queue_cdf.csv");
  }

  QueueSummary summary;
  std::string cdf;
};

TEST(ExactQueues, OfTwoFlowsAreThoseByHand) {
  const Drain two(2, {.start = 500_ns, .stop = 3_us});
  constexpr std::int64_t kSpan = 2'500'000;
  std::string want = "tier,queue_bytes,samples,cumulative\n";
  for (const char* tier : {"all", "edge", "edge down"})
    want += fmt::format("{},0,{},{:.9g}\n{},1048,{},1\n", tier, kSpan - kTime, 1 - static_cast<double>(kTime) / kSpan,
                        tier, kTime);
  EXPECT_EQ(two.cdf, want);
  const QueueSummary& s = two.summary;
  EXPECT_EQ(s.all.count, static_cast<std::uint64_t>(kSpan));
  EXPECT_DOUBLE_EQ(s.all.mean, static_cast<double>(kPacket * kTime) / kSpan);
  EXPECT_EQ(s.all.p95, 0);  // the queue is there 3.4 % of the time
  EXPECT_EQ(s.all.p99, kPacket);
  EXPECT_EQ(s.all.max, kPacket);
  EXPECT_EQ(s.ports, 1u);
  ASSERT_TRUE(s.busiest.has_value());
  EXPECT_EQ(s.busiest->from, 3u);
  EXPECT_EQ(s.busiest_port.count, static_cast<std::uint64_t>(kSpan));
  EXPECT_DOUBLE_EQ(s.busiest_port.mean, s.all.mean);
  ASSERT_TRUE(s.peak.has_value());
  EXPECT_EQ(s.peak->bytes, static_cast<std::uint64_t>(kPacket));
  EXPECT_EQ(s.peak->time, Time{kArrival});
  EXPECT_FALSE(s.peak->has_flows);
}

TEST(ExactQueues, OfAnIncastHaveEveryLengthForOnePacketTime) {
  const Drain eight(8, {.stop = 3_us});
  std::string want = fmt::format("edge down,0,{},", 3'000'000 - 7 * kTime);
  EXPECT_NE(eight.cdf.find(want), std::string::npos) << eight.cdf;
  for (std::int64_t packets = 1; packets < 8; ++packets) {
    want = fmt::format("\nedge down,{},{},", packets * kPacket, kTime);
    EXPECT_NE(eight.cdf.find(want), std::string::npos) << want << " in\n" << eight.cdf;
  }
  EXPECT_EQ(eight.summary.peak->bytes, 7u * kPacket);
  EXPECT_EQ(eight.summary.peak->time, Time{kArrival});
  EXPECT_DOUBLE_EQ(eight.summary.all.mean, static_cast<double>(28 * kPacket * kTime) / 3'000'000);
}

// The queue that is there at the start is known, and what comes after the stop does not count.
TEST(ExactQueues, BeginAndEndInTheMiddleOfALength) {
  const Time start{kArrival + kTime / 4};
  const Time stop{kArrival + 2 * kTime + kTime / 2};
  const Drain eight(8, {.start = start, .stop = stop});
  std::string want = "tier,queue_bytes,samples,cumulative\n";
  for (const char* tier : {"all", "edge", "edge down"}) {
    std::int64_t below = 0;
    for (const auto& [packets, lasts] : {std::pair{5, kTime / 2}, {6, kTime}, {7, kTime * 3 / 4}})
      want += fmt::format("{},{},{},{:.9g}\n", tier, packets * kPacket, lasts,
                          static_cast<double>(below += lasts) / static_cast<double>((stop - start).ps));
  }
  EXPECT_EQ(eight.cdf, want);
  EXPECT_EQ(eight.summary.peak->time, start);
}

TEST(ExactQueues, AreNoneBeforeTheStart) {
  const Drain late(2, {.start = 1_s});
  EXPECT_EQ(late.summary.all.count, 0u);
  EXPECT_FALSE(late.summary.busiest.has_value());
  EXPECT_FALSE(late.summary.peak.has_value());
}

constexpr Time kStop = 15_us;  // before the flows end, and with them the run

// Long and short flows to one host and to others, with and without a buffer that makes switches pause or drop.
QueueSummary star(bool exact, std::uint32_t threads, const std::function<void(engine::Model&)>& edit,
                  Manifest* manifest = nullptr) {
  Lab::Flows flows{flow(0_us, 5, 6, 90'000_B)};
  for (std::uint32_t h = 0; h < 4; ++h) flows.push_back(flow(Time{h * 777'777}, h, 4, Bytes{20'000 * (h + 1)}));
  ProbeParams params;
  params.set(QueuesParams{.ports = "all, hosts", .interval = 1_ns, .stop = kStop, .exact = exact});
  Lab lab(net::build(net::LeafSpine{.leaves = 4, .spines = 2, .hosts_per_leaf = 2}), flows, "dcqcn", edit,
          {.threads = threads, .traced = exact});
  const QueueSummary out = *lab.run(params).queues;
  if (manifest != nullptr) *manifest = lab.manifest;
  return out;
}

// A length is taken too long or too short by less than one interval at either end, so the sampled mean is off by less
// than one interval times a packet for each packet that comes and each that leaves.
TEST(ExactQueues, AgreeWithSamplesAtShortIntervals) {
  const std::vector<std::function<void(engine::Model&)>> networks{
      [](engine::Model&) {},
      [](engine::Model& m) { m.network.port = net::PortKind::queued; },
      [](engine::Model& m) {
        m.buffer.size = 40_KB;
        m.buffer.mode = net::BufferMode::lossy;
      },
  };
  for (const auto& edit : networks) {
    Manifest manifest;
    const QueueSummary exact = star(true, 1, edit, &manifest);
    const QueueSummary sampled = star(false, 1, edit);
    ASSERT_GT(manifest.sim_time, kStop);
    const double span = static_cast<double>(kStop.ps);
    const double changes = 2 * static_cast<double>(manifest.counters.packet_hops);
    const double share = changes * 1'000 / (span * exact.ports);  // of time that is taken for another length
    ASSERT_LT(share, 0.02);
    ASSERT_GT(exact.all.mean, 100);
    EXPECT_NEAR(sampled.all.mean, exact.all.mean, share * 1'100);
    EXPECT_EQ(exact.ports, sampled.ports);
    EXPECT_EQ(exact.all.max, sampled.all.max);
    ASSERT_EQ(exact.by_direction.size(), sampled.by_direction.size());
    for (std::size_t i = 0; i < exact.by_direction.size(); ++i) {
      EXPECT_EQ(exact.by_direction[i].name, sampled.by_direction[i].name);
      EXPECT_EQ(exact.by_direction[i].values.max, sampled.by_direction[i].values.max);
      for (const auto p : {&Distribution::p50, &Distribution::p95, &Distribution::p99})
        EXPECT_NEAR(exact.by_direction[i].values.*p, sampled.by_direction[i].values.*p, 1'100);
    }
    EXPECT_EQ(exact.busiest->port, sampled.busiest->port);
    EXPECT_NEAR(exact.busiest_port.mean, sampled.busiest_port.mean, share * exact.ports * 1'100);
    EXPECT_EQ(exact.peak->bytes, sampled.peak->bytes);
    EXPECT_EQ(exact.peak->port.port, sampled.peak->port.port);
    EXPECT_LT(exact.peak->time, sampled.peak->time);
    EXPECT_LE(sampled.peak->time - exact.peak->time, 1_ns);
  }
}

TEST(ExactQueues, AreTheSameOnAnyThreadsAndPorts) {
  const auto told = [](const QueueSummary& q) {
    Summary s;
    s.queues = q;
    return to_json(s);
  };
  const std::string one = told(star(true, 1, [](engine::Model&) {}));
  EXPECT_EQ(told(star(true, 3, [](engine::Model&) {})), one);
  EXPECT_EQ(told(star(true, 1, [](engine::Model& m) { m.network.port = net::PortKind::queued; })), one);
  EXPECT_NE(one.find("\"interval_ps\": null"), std::string::npos);
  EXPECT_NE(one.find("\"instants\": null"), std::string::npos);
}

TEST(ExactQueues, HaveNoSeries) {
  const Lab lab(net::build(net::Star{.hosts = 3}), {});
  ProbeParams params;
  params.set(QueuesParams{.series = true, .exact = true});
  EXPECT_EQ(params.trace_key(), "probes.queues.exact");
  try {
    check(params, lab.model, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "queues.series: with exact = true there are no samples to write; set only one of them");
  }
}

}  // namespace
}  // namespace weir::probe
