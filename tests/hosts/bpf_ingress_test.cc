// What the program at ingress does with OR-ACKs: which ones it believes.
#include <bpf/bpf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include "tests/hosts/bpf_lab.h"

namespace weir::hosts::lab::bpf_ingress_test {
namespace {

constexpr int kPass = -1;  // TC_ACT_UNSPEC
constexpr int kDropped = 2;
constexpr std::int64_t kUs = 1'000;
constexpr std::uint32_t kData = 1'000;

class BpfIngress : public ProgramTest {
 protected:
  const Flow v4_{address("10.77.0.1"), address("10.77.0.2"), 40'000, 80};
  const Flow v6_{address("fd77::1"), address("fd77::2"), 40'000, 80};

  // Packets of this flow leave, at seq 0, kData, ...; returns when the first did.
  std::int64_t leave(const Flow& of, unsigned packets = 1, std::int64_t threshold = 1'000 * kUs) {
    program_->set_peer(peer(of.source, of.destination, threshold));
    for (unsigned i = 0; i < packets; ++i)
      run(program_->egress(), frame({.flow = of, .seq = kData * i, .length = kData}));
    return flow(of).rule.notes[0].sent;
  }
  void arrive(const Bytes& packet) { EXPECT_EQ(run(program_->ingress(), packet).verdict, kDropped); }
  weir_counters counters() const { return program_->counters(); }
};

TEST_F(BpfIngress, HearsOrAcks) {
  for (const Flow& of : {v4_, v6_}) {
    const auto before = counters().or_acks_accepted;
    const std::int64_t sent = leave(of);
    arrive(or_ack_frame(of, 0, sent + 3 * kUs));
    EXPECT_EQ(counters().or_acks_accepted, before + 1);
    EXPECT_EQ(flow(of).delay, 3 * kUs);
    EXPECT_EQ(flow(of).or_acks, 1u);
    EXPECT_EQ(flow(of).rule.pause_end, 0);
  }
  EXPECT_EQ(counters().pauses, 0u);
}

TEST_F(BpfIngress, PausesWhereTheDelayIsLong) {
  const std::int64_t sent = leave(v4_, 1, 10 * kUs);
  while (monotonic_now() < sent + 100 * kUs) {
  }
  const std::int64_t before = monotonic_now();
  arrive(or_ack_frame(v4_, 0, sent + 60 * kUs));
  EXPECT_EQ(counters().pauses, 1u);
  EXPECT_GE(flow(v4_).rule.pause_end, before + 50 * kUs);
  EXPECT_LE(flow(v4_).rule.pause_end, monotonic_now() + 50 * kUs);
}

TEST_F(BpfIngress, OrAcksComeInTaggedFrames) {
  leave(v4_, 2);
  const std::int64_t now = monotonic_now();
  const PairKey key = pair_key(kMaster, v4_.destination, v4_.source, kEpoch);
  for (unsigned vlans = 1; vlans <= 2; ++vlans) {
    const OrAckBytes payload = write_or_ack({.flow = v4_, .seq = (vlans - 1) * kData, .received = now}, key);
    arrive(udp_frame(v4_.destination, v4_.source, kOrAckPort, payload, vlans));
    EXPECT_EQ(counters().or_acks_accepted, vlans);
  }
}

TEST_F(BpfIngress, KeysOfNeighbouringEpochsAreGood) {
  leave(v4_, 4);
  const std::int64_t now = monotonic_now();
  arrive(or_ack_frame(v4_, 0, now, kEpoch - 1));
  arrive(or_ack_frame(v4_, kData, now, kEpoch));
  arrive(or_ack_frame(v4_, 2 * kData, now, kEpoch + 1));
  EXPECT_EQ(counters().or_acks_accepted, 3u);
  arrive(or_ack_frame(v4_, 3 * kData, now, kEpoch - 2));
  arrive(or_ack_frame(v4_, 3 * kData, now, kEpoch + 2));
  EXPECT_EQ(counters().refused_peer, 2u);
}

// The bytes where NICs may leave a checksum say nothing; any other bit that is wrong is noticed.
TEST_F(BpfIngress, EachBitCounts) {
  for (const Flow& of : {v4_, v6_}) {
    const std::int64_t sent = leave(of);
    const Bytes right = or_ack_frame(of, 0, sent);
    const std::size_t payload = right.size() - (of.source.v6 ? WEIR_OR_ACK_SIZE_V6 : WEIR_OR_ACK_SIZE_V4);
    const std::size_t addresses = payload + 8;
    const std::size_t ports = right.size() - 4 * WEIR_OR_ACK_PORTS_BEFORE_END;
    const auto before = table("flows");
    for (std::size_t bit = 8 * payload; bit < 8 * right.size(); ++bit) {
      // addresses are those of the packet
      if (bit / 8 >= addresses && bit / 8 < ports) continue;
      Bytes wrong = right;
      wrong[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      arrive(wrong);
      ASSERT_TRUE(table("flows") == before) << "bit " << bit - 8 * payload;
    }
    Bytes with_checksum = right;
    with_checksum[addresses] ^= 0xff;
    with_checksum[addresses + 1] ^= 0xff;
    arrive(with_checksum);
    EXPECT_EQ(flow(of).or_acks, 1u);
  }
}

TEST_F(BpfIngress, TimesMustBePossible) {
  const std::int64_t sent = leave(v4_, 3);
  arrive(or_ack_frame(v4_, 0, sent - 2 * kUs));
  arrive(or_ack_frame(v4_, 0, monotonic_now() + 1'000'000 * kUs));
  arrive(or_ack_frame(v4_, 0, -1));
  arrive(or_ack_frame(v4_, 0, std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(counters().refused_time, 4u);
  EXPECT_EQ(flow(v4_).rule.answered, 0u);
  arrive(or_ack_frame(v4_, 0, sent - kUs));  // sigma
  EXPECT_EQ(counters().or_acks_accepted, 1u);
  EXPECT_EQ(flow(v4_).delay, -kUs);
}

// By the line of the peer's clock, against our clock as others see it.
TEST_F(BpfIngress, TimesAreThoseOfThePeersClock) {
  PathSettings settings = holding();
  settings.test_clock_start = 5'000'000;
  settings.test_clock_offset = -777'777;
  settings.test_clock_drift = 30'000;
  load(settings);
  const std::int64_t sent = leave(v4_);
  const auto shown = [&](std::int64_t t) {
    return t + settings.test_clock_offset +
           static_cast<std::int64_t>(
               static_cast<__int128>(settings.test_clock_drift) * (t - settings.test_clock_start) >> 30);
  };
  Peer other = peer(v4_.source, v4_.destination, 1);
  other.clock = {.at = shown(sent) - 1'700'000'123, .offset = 9'000'000'000'000, .drift = -21'474, .sigma = 1'000};
  program_->set_peer(other);
  const std::int64_t arrived = shown(sent + 4'321);
  const std::int64_t theirs =
      arrived + other.clock.offset +
      static_cast<std::int64_t>(static_cast<__int128>(other.clock.drift) * (arrived - other.clock.at) >> 30);
  arrive(or_ack_frame(v4_, 0, theirs));
  EXPECT_EQ(counters().or_acks_accepted, 1u);
  EXPECT_NEAR(static_cast<double>(flow(v4_).delay), 4'321, 2);
}

// Whatever comes to that port is dropped, and nothing else.
TEST_F(BpfIngress, OrAcksGoNoFurther) {
  const std::int64_t sent = leave(v4_);
  const Flow stranger{v4_.source, address("10.77.0.9"), 1, 2};
  arrive(or_ack_frame(stranger, 0, sent));
  EXPECT_EQ(counters().refused_peer, 1u);
  Flow other = v4_;
  other.source_port = 1;
  arrive(or_ack_frame(other, 0, sent));
  EXPECT_EQ(counters().refused_flow, 1u);
  for (const std::size_t size : {0, 1, 35, 37, 60, 1'000})
    arrive(udp_frame(v4_.destination, v4_.source, kOrAckPort, Bytes(size, 1)));
  EXPECT_EQ(counters().refused_form, 6u);
  program_->state().beat = 0;
  arrive(or_ack_frame(v4_, 0, sent));
  EXPECT_EQ(counters().or_acks_accepted, 0u);
  EXPECT_EQ(run(program_->ingress(), udp_frame(v4_.destination, v4_.source, 53, Bytes(36))).verdict, kPass);
}

TEST_F(BpfIngress, MeasuresWhatIsNotHeld) {
  PathSettings observe;
  load(observe);
  const std::int64_t sent = leave(v4_, 1, 1);
  while (monotonic_now() < sent + 100 * kUs) {
  }
  arrive(or_ack_frame(v4_, 0, sent + 90 * kUs));
  EXPECT_EQ(flow(v4_).delay, 90 * kUs);
  EXPECT_EQ(flow(v4_).rule.pause_end, 0);
}

// Packets of one flow leave on two processors while its OR-ACKs arrive on a third: whatever the order, the state stays
// one that can be, nobody waits for ever, and nothing that left unseen is answered.
TEST_F(BpfIngress, FlowsAreWorkedOnByOneAtATime) {
  constexpr unsigned kEach = 20'000;
  leave(v4_);
  std::atomic<std::uint32_t> next{1};
  std::atomic<bool> done{false};
  const auto sender = [&] {
    for (unsigned i = 0; i < kEach; ++i)
      run(program_->egress(), frame({.flow = v4_, .seq = kData * next.fetch_add(1), .length = kData}));
  };
  std::thread one(sender);
  std::thread two(sender);
  std::thread receiver([&] {
    while (!done) {
      beat();
      const std::uint32_t last = next.load();
      for (std::uint32_t back = 1; back < 8; ++back)
        run(program_->ingress(), or_ack_frame(v4_, kData * (last - back), monotonic_now()));
    }
  });
  one.join();
  two.join();
  done = true;
  receiver.join();
  const weir_flow after = flow(v4_);
  EXPECT_EQ(after.lock, 0u);
  EXPECT_EQ(counters().packets, 2 * kEach + 1);
  const std::uint32_t used = after.rule.tail - after.rule.head;
  ASSERT_LE(used, WEIR_ON_RAMP_NOTES);
  for (std::uint32_t i = 1; i < used; ++i) {
    const auto& before = after.rule.notes[(after.rule.head + i - 1) % WEIR_ON_RAMP_NOTES];
    const auto& note = after.rule.notes[(after.rule.head + i) % WEIR_ON_RAMP_NOTES];
    EXPECT_LT(before.seq, note.seq);
  }
  EXPECT_GT(counters().or_acks_accepted, 10u);
  std::cout << counters().refused_busy << " of " << counters().or_acks_received << " OR-ACKs found the flow taken\n";
}

// An attacker who reads and writes on the network, but does not have the key.
class BpfAttack : public BpfIngress {
 protected:
  static constexpr unsigned kFlows = 40;
  static constexpr unsigned kPackets = 60;

  Flow nth(unsigned i) const {
    Flow out = i % 2 == 0 ? v4_ : v6_;
    out.source_port = static_cast<std::uint16_t>(50'000 + i);
    return out;
  }
};

TEST_F(BpfAttack, ChangesNothing) {
  std::vector<Bytes> genuine;  // that have been heard
  std::vector<Bytes> kept;     // that are still on their way
  std::vector<std::int64_t> sent;
  for (unsigned i = 0; i < kFlows; ++i) sent.push_back(leave(nth(i), kPackets, kUs));
  const std::int64_t now = monotonic_now();
  for (unsigned i = 0; i < kFlows; ++i)
    for (unsigned packet = 0; packet < kPackets; ++packet) {
      const Bytes or_ack = or_ack_frame(nth(i), kData * packet, now);
      (packet < kPackets / 2 ? genuine : kept).push_back(or_ack);
      if (packet < kPackets / 2) arrive(or_ack);
    }
  ASSERT_EQ(counters().or_acks_accepted, genuine.size());

  std::mt19937_64 random(1);
  const auto any = [&random](const auto& of) { return of[random() % of.size()]; };
  const auto flows = table("flows");
  const auto accepted = counters().or_acks_accepted;
  const std::function<Bytes()> attacks[] = {
      // forged: whatever they say, without the key
      [&] {
        Bytes out = any(kept);
        const std::size_t payload = 14 + (out[12] == 0x86 ? 48 : 28);
        const std::size_t first = payload + 4 + random() % (out.size() - payload - 4);
        out[first] ^= static_cast<std::uint8_t>(1 + random() % 255);
        for (std::size_t at = out.size() - 16; at < out.size(); ++at) out[at] ^= static_cast<std::uint8_t>(random());
        out.back() ^= 1;
        return out;
      },
      // replayed, which those that come out of order are as well
      [&] { return any(genuine); },
      // truncated: the frame, or what is in it
      [&] {
        Bytes out = any(kept);
        if (random() % 4 == 0) {
          out.resize(54 + random() % (out.size() - 54));  // the kernel runs nothing on less than an IP header
          return out;
        }
        const bool v6 = out[12] == 0x86;
        const std::span payload = std::span(out).subspan(14 + (v6 ? 48 : 28));
        const Flow& of = v6 ? v6_ : v4_;
        return udp_frame(of.destination, of.source, kOrAckPort, payload.first(random() % payload.size()));
      },
      // from another epoch, of other ports
      [&] {
        return or_ack_frame(nth(static_cast<unsigned>(random()) % kFlows), 0, now, kEpoch + 1 + random() % 1'000);
      },
      // by someone who has the key: times that cannot be, packets that were not sent or are answered
      [&] {
        return or_ack_frame(nth(static_cast<unsigned>(random()) % kFlows), kData * (kPackets - 1),
                            monotonic_now() + 10'000'000'000 + static_cast<std::int64_t>(random() % 1'000'000'000));
      },
      [&] {
        const unsigned i = static_cast<unsigned>(random()) % kFlows;
        return or_ack_frame(nth(i), kData * (kPackets - 1),
                            sent[i] - 1'000'000 - static_cast<std::int64_t>(random() >> 2));
      },
      [&] {
        return or_ack_frame(nth(static_cast<unsigned>(random()) % kFlows),
                            kData * kPackets + static_cast<std::uint32_t>(random()) % 4'000'000'000u, now);
      },
  };
  for (int i = 0; i < 100'000; ++i) {
    if (i % 1'000 == 0) beat();
    const Bytes packet = attacks[static_cast<std::size_t>(i) % std::size(attacks)]();
    const int verdict = run(program_->ingress(), packet).verdict;
    // What is cut short is perhaps no longer a packet of UDP.
    ASSERT_TRUE(verdict == kDropped || (verdict == kPass && i % std::size(attacks) == 2)) << verdict;
    if (i % 5'000 == 0) {
      ASSERT_TRUE(table("flows") == flows) << i;
    }
  }
  EXPECT_TRUE(table("flows") == flows);
  EXPECT_EQ(counters().or_acks_accepted, accepted);
  const weir_counters c = counters();
  for (const auto count : {c.refused_form, c.refused_peer, c.refused_tag, c.refused_note, c.refused_time})
    EXPECT_GT(count, 10'000u);

  // All that is genuine is still heard, once.
  for (int i = 0; i < 2; ++i)
    for (const Bytes& or_ack : kept) arrive(or_ack);
  EXPECT_EQ(counters().or_acks_accepted, accepted + kept.size());
}

// In any order each packet is answered once at most, and those that come late are ignored.
TEST_F(BpfAttack, EachNoteIsAnsweredOnce) {
  leave(v4_, kPackets);
  const std::int64_t now = monotonic_now();
  std::vector<unsigned> order(3 * kPackets);
  for (unsigned i = 0; i < order.size(); ++i) order[i] = i % kPackets;
  std::mt19937_64 random(2);
  std::ranges::shuffle(order, random);
  unsigned latest = 0;
  unsigned heard = 0;
  for (const unsigned packet : order) {
    const auto before = counters().or_acks_accepted;
    arrive(or_ack_frame(v4_, kData * packet, now));
    const bool accepted = counters().or_acks_accepted != before;
    EXPECT_EQ(accepted, heard == 0 || packet > latest) << packet;
    if (accepted) latest = packet;
    heard += accepted;
  }
  EXPECT_EQ(latest, kPackets - 1);
}

// Frames of noise, and frames in which something is wrong, pass through both programs as they are.
TEST_F(BpfAttack, NoiseDoesNoHarm) {
  const std::int64_t sent = leave(v4_, 2);
  leave(v6_, 2);
  std::mt19937_64 random(3);
  const Bytes seeds[] = {frame({.flow = v4_, .seq = 2 * kData}),
                         frame({.flow = v6_, .seq = 2 * kData, .vlans = 2}),
                         or_ack_frame(v4_, 0, sent),
                         or_ack_frame(v6_, 0, sent),
                         udp_frame(v6_.destination, v6_.source, kOrAckPort, Bytes(60), 1),
                         Bytes(200)};
  program_->state().taken_away = 1;  // nothing is to be sent
  for (int i = 0; i < 50'000; ++i) {
    if (i % 1'000 == 0) beat();
    Bytes packet = seeds[random() % std::size(seeds)];
    if (random() % 4 == 0) packet.resize(60 + random() % (packet.size() + 20));
    for (std::uint64_t changes = random() % 8; changes > 0; --changes)
      packet[random() % (random() % 2 == 0 ? packet.size() : 60)] = static_cast<std::uint8_t>(random());
    for (const int program : {program_->egress(), program_->ingress()}) {
      const Ran ran = run(program, packet);
      ASSERT_TRUE(ran.verdict == kPass || (ran.verdict == kDropped && program == program_->ingress()));
      ASSERT_TRUE(ran.packet == packet);
    }
  }
}

}  // namespace
}  // namespace weir::hosts::lab::bpf_ingress_test
