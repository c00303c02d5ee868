// Queues as packets see them: by hand, and both ways of counting against each other.
#include "tests/probe/helpers.h"
#include "weir/base/error.h"
#include "weir/probe/queue_probe.h"

namespace weir::probe::packet_queue_test {
namespace {

using namespace weir::literals;

constexpr std::int64_t kPacket = 1048, kTime = 83'840, kArrival = 1'000'000 + kTime;

struct Seen {
  QueueSummary summary;
  std::string cdf;
};

// Single packets of eight hosts reach a ninth one's port at one instant. The first leaves at once, so that nobody
// waits for it.
Seen eight(QueuesParams params, std::uint32_t threads = 1, net::PortKind port = net::PortKind::fifo) {
  Lab::Flows flows;
  for (std::uint32_t h = 0; h < 8; ++h) flows.push_back(flow(0_us, h, 8, 1000_B));
  params.ports = "edge down";
  ProbeParams probes;
  probes.set(params);
  const Scratch scratch;
  ResultDirectory out(scratch / "a");
  Lab lab(net::build(net::Star{.hosts = 9}), flows, "fixed-window", [&](engine::Model& m) { m.network.port = port; },
          {.threads = threads, .traced = true});
  Seen seen{.summary = *lab.run(probes, &out).queues, .cdf = {}};
  out.commit();
  seen.cdf = text_of(scratch / "a/queue_cdf.csv");
  return seen;
}

// Eight data packets to one host, found or left behind: 0, 0, 1, ... 6 packets; and an acknowledgement to each other.
TEST(PacketQueues, OfAnIncastAreThoseByHand) {
  for (const auto& [per_packet, longest_at] :
       {std::pair{PerPacket::found, kArrival}, {PerPacket::left, kArrival + kTime}}) {
    SCOPED_TRACE(static_cast<int>(per_packet));
    const Seen seen = eight({.per_packet = per_packet});
    const QueueSummary& s = seen.summary;
    EXPECT_EQ(s.all.count, 16u);
    EXPECT_DOUBLE_EQ(s.all.mean, 21.0 * kPacket / 16);
    EXPECT_EQ(s.all.p50, 0);
    EXPECT_NE(seen.cdf.find("edge down,0,10,0.625\n"), std::string::npos) << seen.cdf;
    for (std::int64_t packets = 1; packets <= 6; ++packets)
      EXPECT_NE(seen.cdf.find(fmt::format("edge down,{},1,", packets * kPacket)), std::string::npos) << seen.cdf;
    ASSERT_TRUE(s.busiest.has_value());
    EXPECT_EQ(s.busiest->to, 8u);
    EXPECT_EQ(s.busiest_port.count, 8u);
    EXPECT_DOUBLE_EQ(s.busiest_port.mean, 21.0 * kPacket / 8);
    ASSERT_TRUE(s.peak.has_value());
    EXPECT_EQ(s.peak->bytes, static_cast<std::uint64_t>(6 * kPacket));
    EXPECT_EQ(s.peak->time.ps, longest_at);
    EXPECT_FALSE(s.peak->has_flows);
  }
}

TEST(PacketQueues, OfAPartOfARunAreOfThePacketsInIt) {
  // the second and the third packet leave in it
  const Seen seen =
      eight({.start = Time{kArrival + 1}, .stop = Time{kArrival + 2 * kTime + 1}, .per_packet = PerPacket::left});
  EXPECT_EQ(seen.summary.all.count, 2u);
  EXPECT_DOUBLE_EQ(seen.summary.all.mean, 5.5 * kPacket);
}

TEST(PacketQueues, AreTheSameOnAnyThreadsAndPorts) {
  const auto told = [](const Seen& seen) {
    Summary s;
    s.queues = seen.summary;
    return to_json(s) + seen.cdf;
  };
  const std::string one = told(eight({.per_packet = PerPacket::found}));
  EXPECT_EQ(told(eight({.per_packet = PerPacket::found}, 3)), one);
  EXPECT_EQ(told(eight({.per_packet = PerPacket::found}, 1, net::PortKind::queued)), one);
  EXPECT_NE(one.find("\"interval_ps\": null"), std::string::npos);
}

}  // namespace
}  // namespace weir::probe::packet_queue_test
