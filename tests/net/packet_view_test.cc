// What trace events show of packets.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "weir/net/link/packet.h"
#include "weir/net/trace.h"

namespace weir::net {
namespace {

// Each flag is shown as one mark, and each mark is one flag's, whatever else the packet is.
TEST(PacketView, ShowsEachFlagAsAMark) {
  struct Row {
    std::uint16_t flag;
    PacketMarks marks;
  };
  for (const Row& row : {Row{kMarked, {.ce = true}},
                         {kMarkable, {.may_be_marked = true}},
                         {kRetransmission, {.retransmission = true}},
                         {kAskAck, {.asks_ack = true}},
                         {kLast, {.last = true}},
                         {kEchoMarked, {.echoes_ce = true}},
                         {kEchoCnp, {.echoes_cnp = true}},
                         {kSack, {}},
                         {kAsksCredit, {}},
                         {flags_of(PathPolicy::flowlets), {}}}) {
    Packet packet;
    packet.kind = PacketKind::ack;
    packet.flags = row.flag;
    EXPECT_EQ(view_of(packet).marks, row.marks) << row.flag;
  }
  Packet reads;
  reads.kind = PacketKind::ack;
  reads.record = 7 | kHasTelemetry;
  EXPECT_EQ(view_of(reads).marks, (PacketMarks{.telemetry = true}));
}

TEST(PacketView, HasWhatThePacketHas) {
  Packet packet;
  packet.kind = PacketKind::ack;
  packet.seq = 5'000;
  packet.src = static_cast<std::uint32_t>(-2'000);
  packet.sent = Time{3};
  packet.dst = 4;
  packet.slot = 5;
  packet.generation = 6;
  packet.entropy = 7;
  packet.wire = 64;
  packet.payload = 1'000;
  packet.ingress = 8;
  packet.profile = 9;
  packet.traffic_class = TrafficClass::priority;
  const PacketView view = view_of(packet);
  EXPECT_EQ(view.seq, 5'000);
  EXPECT_EQ(view.trigger_seq, 3'000);
  EXPECT_EQ(view.sent, Time{3});
  EXPECT_EQ(view.dst, 4u);
  EXPECT_EQ(view.slot, 5u);
  EXPECT_EQ(view.generation, 6u);
  EXPECT_EQ(view.entropy, 7u);
  EXPECT_EQ(view.wire, 64u);
  EXPECT_EQ(view.payload, 1'000u);
  EXPECT_EQ(view.ingress, 8u);
  EXPECT_EQ(view.profile, 9u);
  EXPECT_EQ(view.kind, PacketKind::ack);
  EXPECT_EQ(view.traffic_class, TrafficClass::priority);
  EXPECT_TRUE(view.is_acknowledgement());
  EXPECT_FALSE(view.to_receiver());
  packet.flags = kSack;
  EXPECT_EQ(view_of(packet).trigger_seq, 0);  // SackFacts::trigger tells it
}

}  // namespace
}  // namespace weir::net
