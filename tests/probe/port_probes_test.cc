// Queues, pauses and links against numbers computed by hand.
#include <cstdio>

#include "tests/probe/helpers.h"
#include "weir/base/csv.h"
#include "weir/base/error.h"
#include "weir/probe/link_probe.h"
#include "weir/probe/pfc_probe.h"
#include "weir/probe/queue_probe.h"

namespace weir::probe {
namespace {

using namespace weir::literals;

// Eight senders' single packets reach the last host's port at one instant; one leaves at once
// and one more every packet time.
TEST(QueueProbe, SeesAnIncastDrain) {
  constexpr std::int64_t kSenders = 8, kPacket = 1048, kTime = 83'840, kArrival = 1'000'000 + kTime;
  const auto queue_before = [&](std::int64_t ps) {
    if (ps <= kArrival) return std::int64_t{0};
    return std::max<std::int64_t>(0, kSenders - 1 - (ps - 1 - kArrival) / kTime) * kPacket;
  };
  Lab::Flows flows;
  for (std::uint32_t h = 0; h < kSenders; ++h) flows.push_back(flow(0_us, h, kSenders, 1000_B));
  ProbeParams params;
  params.set(QueuesParams{.ports = "9->8", .interval = 10_ns, .start = 500_ns, .stop = 3_us, .series = true});

  const Scratch scratch;
  ResultDirectory out(scratch / "a");
  const Summary s = Lab(net::build(net::Star{.hosts = kSenders + 1}), flows).run(params, &out);
  out.commit();

  std::string want = "time_ps,port,from,to,queue_bytes\n";
  double sum = 0;
  for (std::int64_t ps = 500'000; ps < 3'000'000; ps += 10'000) {
    want += fmt::format("{},17,9,8,{}\n", ps, queue_before(ps));
    sum += static_cast<double>(queue_before(ps));
  }
  EXPECT_EQ(text_of(scratch / "a/queues.csv"), want);
  ASSERT_TRUE(s.queues.has_value());
  EXPECT_EQ(s.queues->ports, 1u);
  EXPECT_EQ(s.queues->instants, 250u);
  EXPECT_EQ(s.queues->all.max, 7 * kPacket);
  EXPECT_EQ(s.queues->all.p50, 0);
  EXPECT_EQ(s.queues->all.p99, 7 * kPacket);
  EXPECT_DOUBLE_EQ(s.queues->all.mean, sum / 250);
  ASSERT_EQ(s.queues->by_tier.size(), 1u);
  EXPECT_EQ(s.queues->by_tier[0].name, "edge");
  EXPECT_TRUE(text_of(scratch / "a/queue_cdf.csv").ends_with("edge down,7336,8,1\n"))
      << text_of(scratch / "a/queue_cdf.csv");
}

// A host at 100 Gb/s sends 40 packets to one at 10 Gb/s. The switch pauses it at the tenth
// packet that waits and resumes it at the sixth, by frames of 64 bytes (5,120 ps, then 1 us).
//   pause:  packet 11 arrives at 1 us + 12 * 83,840 = 2,006,080 ps, when 2 of 12 have left;
//           at the host from 3,011,200 ps on, which has begun 36 packets.
//   resume: packet 29 leaves at 1,083,840 + 29 * 838,400 = 25,397,440 ps, when 6 of 36 are left;
//           at the host from 26,402,560 ps on.
TEST(PfcProbe, MeasuresOnePause) {
  net::Topology t{.name = "pair", .hosts = 2, .switches = 1, .links = {{0, 2, 100_Gbps, 1_us}, {1, 2, 10_Gbps, 1_us}}};
  net::assign_tiers(t);
  const auto buffer = [](engine::Model& m) {
    m.buffer.reserve = 0_B;
    m.buffer.pfc_alpha = 1;
    m.buffer.pfc_scale_alpha = false;
    m.buffer.size = Bytes{2 * 10 * 1048 + 3 * 12'500 + 2 * 1'250 + 3 * 1'048 + 64};  // shared part, headrooms
    m.buffer.resume_offset = Bytes{2 * 4 * 1048};
  };
  ProbeParams params;
  params.set(PfcParams{});
  const Scratch scratch;
  ResultDirectory out(scratch / "a");
  Lab lab(t, {flow(0_us, 0, 1, 40'000_B)}, "fixed-window", buffer, {.stop = 50_us});
  const Summary s = lab.run(params, &out);
  out.commit();

  ASSERT_EQ(lab.manifest.counters.dropped, 0u);
  ASSERT_TRUE(s.pfc.has_value());
  const Time paused = 26'402'560_ps - 3'011'200_ps;
  const double run = s.sim_time.seconds();
  EXPECT_EQ(s.pfc->all.ports, 4u);
  EXPECT_EQ(s.pfc->all.pauses, 1u);
  EXPECT_EQ(s.pfc->all.paused, paused);
  EXPECT_DOUBLE_EQ(s.pfc->all.share, paused.seconds() / (4 * run));
  EXPECT_DOUBLE_EQ(s.pfc->all.capacity_share, paused.seconds() * 100 / (220 * run));
  ASSERT_EQ(s.pfc->by_tier.size(), 2u);
  EXPECT_EQ(s.pfc->by_tier[0].name, "hosts");
  EXPECT_EQ(s.pfc->by_tier[0].paused, paused);
  EXPECT_EQ(s.pfc->by_tier[0].ports, 2u);
  EXPECT_EQ(s.pfc->by_tier[1].pauses, 0u);
  EXPECT_EQ(text_of(scratch / "a/pfc.csv"),
            fmt::format("port,from,to,tier,pauses,paused_ps,share,storms,storm_dropped_packets\n"
                        "0,0,2,hosts,1,23391360,{:.9g},0,0\n"
                        "1,2,0,edge,0,0,0,0,0\n2,1,2,hosts,0,0,0,0,0\n"
                        "3,2,1,edge,0,0,0,0,0\n",
                        paused.seconds() / run));
}

// 100 packets of 1048 bytes one way, 100 acknowledgements of 60 bytes the other.
TEST(LinkProbe, SeesALoneFlow) {
  ProbeParams params;
  params.set(LinksParams{.ports = "all, hosts", .series = true, .interval = 5_us});
  const Scratch scratch;
  ResultDirectory out(scratch / "a");
  const Summary s = Lab(net::build(net::Star{.hosts = 2}), {flow(0_us, 0, 1, 100'000_B)}).run(params, &out);
  out.commit();

  ASSERT_TRUE(s.links.has_value());
  ASSERT_EQ(s.sim_time, 15_us);  // the flow ends at 12.5 us; an epoch ends with each sample
  EXPECT_EQ(s.links->all.sent_bytes, 2u * 104'800 + 2 * 6'000);
  EXPECT_DOUBLE_EQ(s.links->all.max_utilisation, 104'800 * 80e-12 / 15e-6);
  EXPECT_DOUBLE_EQ(s.links->all.utilisation, (104'800 + 6'000) * 80e-12 / 15e-6 / 2);
  EXPECT_EQ(s.links->marked_packets, 0u);
  EXPECT_EQ(s.links->dropped_packets, 0u);
  EXPECT_EQ(text_of(scratch / "a/links.csv"),
            "port,from,to,tier,rate_bps,sent_bytes,utilisation,marked_packets,lost_packets\n"
            "0,0,2,hosts,100000000000,104800,0.5589333,0,0\n"
            "1,2,0,edge,100000000000,6000,0.032,0,0\n"
            "2,1,2,hosts,100000000000,6000,0.032,0,0\n"
            "3,2,1,edge,100000000000,104800,0.5589333,0,0\n");
  EXPECT_EQ(text_of(scratch / "a/switches.csv"),
            "node,tier,marked_packets,dropped_packets,pauses_sent\n2,edge,0,0,0\n");

  // a packet counts when it begins to leave: 60 of them before 5 us, the other 40 in the next 5
  const std::string series = text_of(scratch / "a/link_series.csv");
  EXPECT_TRUE(
      series.starts_with("time_ps,port,from,to,sent_bytes,utilisation\n"
                         "5000000,0,0,2,62880,1.00608\n"))
      << series;
  EXPECT_NE(series.find("\n10000000,0,0,2,41920,0.67072\n"), std::string::npos) << series;
  EXPECT_NE(series.find("\n15000000,0,0,2,0,0\n"), std::string::npos) << series;
}

// The same flow from 5 to 10 us: what the series has in its second interval.
TEST(LinkProbe, CountsWithinATime) {
  ProbeParams params;
  params.set(LinksParams{.ports = "0->2", .interval = 5_us, .start = 5_us, .stop = 10_us});
  const Summary s = Lab(net::build(net::Star{.hosts = 2}), {flow(0_us, 0, 1, 100'000_B)}).run(params, nullptr);
  ASSERT_TRUE(s.links.has_value());
  EXPECT_EQ(s.links->begin, 5_us);
  EXPECT_EQ(s.links->end, 10_us);
  EXPECT_EQ(s.links->all.sent_bytes, 41'920u);
  EXPECT_DOUBLE_EQ(s.links->all.utilisation, 41'920 * 80e-12 / 5e-6);
}

TEST(LinkProbe, CountsMarksAndDrops) {
  ProbeParams params;
  params.set(LinksParams{.ports = "4->3"});
  const auto lossy = [](engine::Model& m) {
    m.buffer.mode = net::BufferMode::lossy;
    m.buffer.size = 100_KB;
    m.ecn = {.enabled = true, .k_min = 5_KB, .k_max = 5_KB, .p_max = 1, .at_rate = {}};
  };
  const Lab::Flows flows{flow(0_us, 0, 3, 200'000_B), flow(0_us, 1, 3, 200'000_B), flow(0_us, 2, 3, 200'000_B)};
  Lab lab(net::build(net::Star{.hosts = 4}), flows, "fixed-window", lossy);
  const Summary s = lab.run(params);
  EXPECT_GT(s.links->dropped_packets, 0u);
  EXPECT_EQ(s.links->dropped_packets, lab.manifest.counters.dropped);
  EXPECT_GT(s.links->marked_packets, 0u);
  EXPECT_EQ(s.links->marked_packets, lab.manifest.counters.marked);
  EXPECT_EQ(s.flows.retransmitted_packets, lab.manifest.counters.retransmitted);
  EXPECT_EQ(s.links->all.ports, 1u);
}

}  // namespace
}  // namespace weir::probe
