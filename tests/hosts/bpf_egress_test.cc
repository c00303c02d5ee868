// What the program at egress does with packets: which ones it notes, and when they may leave.
#include <bpf/bpf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/hosts/bpf_lab.h"

namespace weir::hosts::lab {
namespace {

constexpr int kPass = -1;  // TC_ACT_UNSPEC
constexpr std::int64_t kMs = 1'000'000;

class BpfEgress : public ProgramTest {
 protected:
  const Flow v4_{address("10.77.0.1"), address("10.77.0.2"), 40'000, 80};
  const Flow v6_{address("fd77::1"), address("fd77::2"), 40'000, 80};

  void know(const Flow& flow, bool held = true) {
    Peer p = peer(flow.source, flow.destination, 100'000);
    p.held = held;
    program_->set_peer(p);
  }
  // The flow may not send for so long.
  void pause(const Flow& of, std::int64_t until) {
    const weir_flow_key key = key_sent(of);
    weir_flow value = flow(of);
    value.rule.pause_begin = monotonic_now();
    value.rule.pause_end = until;
    ASSERT_EQ(bpf_map_update_elem(program_->map("flows"), &key, &value, BPF_EXIST), 0);
  }
  Ran leaves(const Segment& segment) { return run(program_->egress(), frame(segment)); }
};

TEST_F(BpfEgress, NotesDataToPeers) {
  for (const Flow& of : {v4_, v6_})
    for (const unsigned vlans : {0u, 1u, 2u}) {
      load(holding());
      know(of);
      const std::int64_t before = monotonic_now();
      const Bytes packet = frame({.flow = of, .seq = 1'000, .length = 500, .vlans = vlans});
      const Ran ran = run(program_->egress(), packet);
      EXPECT_EQ(ran.verdict, kPass);
      EXPECT_EQ(ran.packet, packet);
      EXPECT_EQ(ran.stamp, 0);
      const weir_flow noted = flow(of);
      EXPECT_EQ(noted.rule.tail, 1u);
      EXPECT_EQ(noted.rule.notes[0].seq, 1'000u);
      EXPECT_EQ(noted.rule.notes[0].length, 500u);
      EXPECT_GE(noted.rule.notes[0].sent, before);
      EXPECT_LE(noted.rule.notes[0].sent, monotonic_now());
      EXPECT_EQ(noted.bytes, 500u);
    }
}

TEST_F(BpfEgress, LeavesAllElseAlone) {
  know(v4_);
  const Flow other{v4_.source, address("10.77.0.3"), 1, 2};
  const auto with = [&](auto&& change) {
    Bytes out = frame({.flow = v4_});
    change(out);
    return out;
  };
  const Bytes packets[] = {
      frame({.flow = other}),
      frame({.flow = v6_}),
      frame({.flow = v4_, .length = 0}),
      frame({.flow = v4_, .vlans = 3}),
      udp_frame(v4_.source, v4_.destination, 80, Bytes(100)),
      udp_frame(v4_.source, v4_.destination, kOrAckPort, Bytes(36)),
      with([](Bytes& p) { p[12] = 0x99; }),   // another protocol
      with([](Bytes& p) { p[14] = 0x46; }),   // options of IP
      with([](Bytes& p) { p[20] |= 0x20; }),  // a fragment
      with([](Bytes& p) { p[21] = 1; }),      // another
      with([](Bytes& p) {
        p[46] = 0xf0;
        p.resize(60);
      }),                                    // a header beyond the packet
      with([](Bytes& p) { p[16] = 0xff; }),  // longer than it is
      with([](Bytes& p) { p.resize(40); }),
      with([](Bytes& p) { p.resize(50); }),
  };
  for (const Bytes& packet : packets) {
    const Ran ran = run(program_->egress(), packet);
    EXPECT_EQ(ran.verdict, kPass);
    EXPECT_EQ(ran.packet, packet);
    EXPECT_EQ(ran.stamp, 0);
  }
  EXPECT_TRUE(table("flows").empty());
  EXPECT_EQ(program_->counters().packets, 0u);
}

TEST_F(BpfEgress, HoldsUntilThePauseEnds) {
  for (const Flow& of : {v4_, v6_}) {
    know(of);
    leaves({.flow = of, .seq = 0});
    const std::int64_t until = monotonic_now() + 5 * kMs;
    pause(of, until);
    EXPECT_EQ(leaves({.flow = of, .seq = 1'000}).stamp, until);
    const weir_flow held = flow(of);
    EXPECT_EQ(held.rule.notes[1].sent, until);
    EXPECT_EQ(held.held, 1u);
    EXPECT_GT(held.held_ns, 3u * kMs);
  }
}

TEST_F(BpfEgress, StampsNeverGoBack) {
  know(v4_);
  leaves({.flow = v4_, .seq = 0});
  const std::int64_t until = monotonic_now() + 8 * kMs;
  pause(v4_, until);
  EXPECT_EQ(leaves({.flow = v4_, .seq = 1'000}).stamp, until);
  pause(v4_, until - 5 * kMs);  // t_NextPkt moves earlier
  EXPECT_EQ(leaves({.flow = v4_, .seq = 2'000}).stamp, until);
  EXPECT_EQ(leaves({.flow = v4_, .seq = 3'000, .length = 0, .flags = 0x11}).stamp, until);  // FIN
  know(v4_, false);                                                                         // no longer held
  EXPECT_EQ(leaves({.flow = v4_, .seq = 3'000}).stamp, until);
}

TEST_F(BpfEgress, HoldsNoLongerThanTheBound) {
  know(v4_);
  leaves({.flow = v4_, .seq = 0});
  pause(v4_, monotonic_now() + 3'600'000 * kMs);
  for (int i = 1; i <= 100; ++i) {
    const std::int64_t before = monotonic_now();
    const std::int64_t stamp = leaves({.flow = v4_, .seq = 1'000u * static_cast<unsigned>(i)}).stamp;
    EXPECT_GE(stamp, before + 10 * kMs);
    EXPECT_LE(stamp, monotonic_now() + 10 * kMs);
  }
  EXPECT_EQ(program_->counters().clipped, 100u);
  EXPECT_LE(program_->counters().held_ns_max, static_cast<std::uint64_t>(10 * kMs));
}

TEST_F(BpfEgress, WithoutHeartbeatNothingIsHeldOrNoted) {
  know(v4_);
  leaves({.flow = v4_, .seq = 0});
  pause(v4_, monotonic_now() + 9 * kMs);
  program_->state().was_live = 1;
  program_->state().beat = monotonic_now() - 501 * kMs;
  const auto before = table("flows");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(leaves({.flow = v4_, .seq = 1'000}).stamp, 0);
  EXPECT_TRUE(table("flows") == before);
  EXPECT_EQ(program_->counters().bypassed, 3u);
  EXPECT_EQ(program_->state().expiries, 1u);
  program_->state().beat = monotonic_now() - 400 * kMs;
  EXPECT_GT(leaves({.flow = v4_, .seq = 1'000}).stamp, 0);
  program_->state().beat = 0;
  EXPECT_EQ(leaves({.flow = v4_, .seq = 2'000}).stamp, 0);
}

// Packets that follow one that waits do not pass it when the heartbeat ends.
TEST_F(BpfEgress, StaysInOrderWhenTheHeartbeatEnds) {
  PathSettings settings = holding();
  settings.max_hold = 20'000 * kMs;
  load(settings);
  know(v4_);
  leaves({.flow = v4_, .seq = 0});
  const std::int64_t until = monotonic_now() + 10'000 * kMs;
  pause(v4_, until);
  ASSERT_EQ(leaves({.flow = v4_, .seq = 1'000}).stamp, until);
  program_->state().beat = monotonic_now() - settings.live_for - 1;
  EXPECT_EQ(leaves({.flow = v4_, .seq = 2'000}).stamp, until);
  EXPECT_EQ(leaves({.flow = v4_, .seq = 3'000, .length = 0, .flags = 0x11}).stamp, until);  // FIN
  EXPECT_EQ(leaves({.flow = v4_, .seq = 3'000, .length = 0}).stamp, 0);
  Flow other = v4_;
  ++other.source_port;
  EXPECT_EQ(leaves({.flow = other, .seq = 0}).stamp, 0);
  EXPECT_EQ(flow(v4_).held, 1u) << "nothing is held any more";
  // Later than any packet waits.
  program_->state().beat = monotonic_now() - settings.live_for - settings.max_hold - 1;
  EXPECT_EQ(leaves({.flow = v4_, .seq = 2'000}).stamp, 0);
}

TEST_F(BpfEgress, FlowsAreToldOfUntilTheyEndOrAreSilent) {
  know(v4_);
  leaves({.flow = v4_, .seq = 0, .length = 0, .flags = 0x02});
  EXPECT_TRUE(program_->flows(monotonic_now()).empty()) << "no data yet";
  leaves({.flow = v4_, .seq = 1});
  const std::int64_t last = flow(v4_).last;
  EXPECT_EQ(program_->flows(last + kFlowIdle).size(), 1u);
  EXPECT_EQ(program_->flows(last + kFlowIdle + 1).size(), 0u);
  for (const std::uint8_t flags : {std::uint8_t{0x11}, std::uint8_t{0x04}}) {  // FIN, RST
    leaves({.flow = v4_, .seq = 1'001, .length = 0, .flags = flags});
    const std::int64_t end = flow(v4_).last;
    EXPECT_GT(end, last);
    EXPECT_EQ(program_->flows(end + kFlowEnded).size(), 1u);
    EXPECT_EQ(program_->flows(end + kFlowEnded + 1).size(), 0u);
    leaves({.flow = v4_, .seq = 5'000, .length = 0, .flags = 0x02});
    leaves({.flow = v4_, .seq = 5'001});
    EXPECT_EQ(program_->flows(end + kFlowIdle).size(), 1u) << "another one with the same ports";
  }
}

TEST_F(BpfEgress, OfPeersThatAreMeasuredNothingIsHeld) {
  know(v4_, false);
  leaves({.flow = v4_, .seq = 0});
  pause(v4_, monotonic_now() + 9 * kMs);
  EXPECT_EQ(leaves({.flow = v4_, .seq = 1'000}).stamp, 0);
  EXPECT_EQ(flow(v4_).rule.tail, 2u);

  PathSettings observe;
  load(observe);
  know(v4_);
  leaves({.flow = v4_, .seq = 0});
  pause(v4_, monotonic_now() + 9 * kMs);
  EXPECT_EQ(leaves({.flow = v4_, .seq = 1'000}).stamp, 0);
}

// A peer whose clock is not known is not held.
TEST_F(BpfEgress, OfPeersWithoutAClockNothingIsHeld) {
  Peer unknown = peer(v4_.source, v4_.destination, 1);
  unknown.clock.sigma = -1;
  program_->set_peer(unknown);
  leaves({.flow = v4_, .seq = 0});
  pause(v4_, monotonic_now() + 9 * kMs);
  EXPECT_EQ(leaves({.flow = v4_, .seq = 1'000}).stamp, 0);
  program_->remove_peer(v4_.destination);
  leaves({.flow = v4_, .seq = 2'000});
  EXPECT_EQ(flow(v4_).packets, 2u);
}

TEST_F(BpfEgress, RepeatedPacketsHaveNoNote) {
  know(v4_);
  for (unsigned i = 0; i < 4; ++i) leaves({.flow = v4_, .seq = 1'000 * i});
  EXPECT_EQ(flow(v4_).rule.answered, 0u);
  leaves({.flow = v4_, .seq = 1'000});
  EXPECT_EQ(flow(v4_).rule.answered, 2'000u);  // an OR-ACK of what comes before is nobody's
  EXPECT_EQ(flow(v4_).rule.end, 4'000u);
}

TEST_F(BpfEgress, AConnectionThatOpensBeginsAnew) {
  know(v4_);
  leaves({.flow = v4_, .seq = 5'000});
  pause(v4_, monotonic_now() + 9 * kMs);
  leaves({.flow = v4_, .seq = 77'000, .length = 0, .flags = 0x02});
  EXPECT_EQ(flow(v4_).rule.pause_end, 0);
  EXPECT_EQ(flow(v4_).rule.begun, 0u);
  EXPECT_EQ(leaves({.flow = v4_, .seq = 77'001}).stamp, 0);
  // a SYN with data
  leaves({.flow = v4_, .seq = 900, .length = 100, .flags = 0x02});
  EXPECT_EQ(flow(v4_).rule.notes[0].seq, 901u);
}

// Whoever finds a flow taken waits a little, and then lets its packet pass, held as the others but without a note.
TEST_F(BpfEgress, PassesAFlowThatIsTaken) {
  know(v4_);
  leaves({.flow = v4_, .seq = 0});
  const std::int64_t until = monotonic_now() + 9 * kMs;
  pause(v4_, until);
  const weir_flow_key key = key_sent(v4_);
  weir_flow value = flow(v4_);
  value.lock = 1;
  ASSERT_EQ(bpf_map_update_elem(program_->map("flows"), &key, &value, BPF_EXIST), 0);
  EXPECT_EQ(leaves({.flow = v4_, .seq = 1'000}).stamp, until);
  EXPECT_EQ(flow(v4_).missed, 1u);
  EXPECT_EQ(flow(v4_).rule.tail, 1u);
  value = flow(v4_);
  value.lock = 0;
  ASSERT_EQ(bpf_map_update_elem(program_->map("flows"), &key, &value, BPF_EXIST), 0);
  leaves({.flow = v4_, .seq = 2'000});
  // Notes of before are void, since nobody knows what left meanwhile.
  EXPECT_EQ(flow(v4_).missed, 0u);
  EXPECT_EQ(flow(v4_).rule.tail - flow(v4_).rule.head, 1u);
}

TEST_F(BpfEgress, ForgetsTheOldestFlow) {
  know(v4_);
  Flow of = v4_;
  for (unsigned i = 0; i < 3 * WEIR_BPF_FLOWS; ++i) {
    if (i % 1'000 == 0) beat();
    of.source_port = static_cast<std::uint16_t>(i);
    of.destination_port = static_cast<std::uint16_t>(i >> 16);
    leaves({.flow = of});
  }
  const std::uint64_t known = table("flows").size();
  EXPECT_GT(known, WEIR_BPF_FLOWS / 2u);
  EXPECT_LE(known, static_cast<std::uint64_t>(WEIR_BPF_FLOWS));
  EXPECT_EQ(flow(of).packets, 1u);
  EXPECT_EQ(program_->counters().flows_refused, 0u);
}

}  // namespace
}  // namespace weir::hosts::lab
