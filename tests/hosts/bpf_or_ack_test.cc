// The OR-ACKs that the programs make, as they are on the wire, and which packets are answered.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <system_error>

#include "hosts/bpf/interface.h"
#include "tests/hosts/bpf_lab.h"
#include "tests/hosts/bpf_network.h"

namespace weir::hosts::lab::bpf_or_ack_test {
namespace {

constexpr std::int64_t kUs = 1'000;

// The sum of 16-bit words by which IP and UDP check themselves.
std::uint32_t sum(std::span<const std::uint8_t> bytes, std::uint32_t out = 0) {
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) out += static_cast<std::uint32_t>(bytes[i]) << 8 | bytes[i + 1];
  while (out >> 16 != 0) out = (out & 0xffff) + (out >> 16);
  return out;
}

// The programs are run on packets as if these had arrived at, or left by, eth0 of the first host; the second one sees
// what is sent.
class BpfOrAck : public ProgramTest {
 protected:
  BpfOrAck() : ProgramTest({"weir_egress", "weir_ingress"}) {}

  void SetUp() override {
    try {
      pair_.emplace();
    } catch (const std::system_error& error) {
      GTEST_SKIP() << error.what();
    }
    start({});
    pair_->two.inside([this] {
      wire_ = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      sockaddr_ll place{};
      place.sll_family = AF_PACKET;
      place.sll_protocol = __builtin_bswap16(ETH_P_ALL);
      place.sll_ifindex = static_cast<int>(::if_nametoindex("eth0"));
      ASSERT_EQ(::bind(wire_, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
    });
  }
  void TearDown() override { ::close(wire_); }

  void start(const OrAckSettings& or_ack) {
    PathSettings settings;
    settings.or_ack = or_ack;
    load(settings);
    if (IsSkipped()) return;
    pair_->one.inside([this] {
      Netlink netlink;
      Interface eth0(netlink, "eth0");
      eth0.attach(program_->egress(), program_->ingress(), {});
      ifindex_ = ::if_nametoindex("eth0");
    });
    for (const Flow& of : {v4_, v6_}) program_->set_peer(peer(of.destination, of.source, 1));
  }

  // The programs see such a packet; of GRO if there are segments.
  void run_on(int program, const Bytes& packet, unsigned segments = 0) const {
    pair_->one.inside([&] {
      __sk_buff context{};
      context.ifindex = ifindex_;
      context.ingress_ifindex = 0;
      context.gso_segs = segments;
      bpf_test_run_opts options{};
      options.sz = sizeof options;
      options.data_in = packet.data();
      options.data_size_in = static_cast<unsigned>(packet.size());
      options.ctx_in = &context;
      options.ctx_size_in = sizeof context;
      options.repeat = 1;
      ASSERT_EQ(bpf_prog_test_run_opts(program, &options), 0);
    });
  }
  void arrives(const Segment& segment, unsigned segments = 0) const {
    run_on(program_->ingress(), frame(segment), segments);
  }
  void leaves(const Segment& segment) const { run_on(program_->egress(), frame(segment)); }

  // The next frame of an OR-ACK that the second host has seen; empty: there is none.
  Bytes seen() const {
    for (;;) {
      Bytes out(2'000);
      const ssize_t size = ::recv(wire_, out.data(), out.size(), 0);
      if (size < 0) return {};
      out.resize(static_cast<std::size_t>(size));
      const bool v6 = out.size() > 62 && out[12] == 0x86;
      const std::size_t port = 14u + (v6 ? 40 : 20) + 2;
      if (out.size() > port + 2 && out[port] == 0x1d && out[port + 1] == 0x30) return out;
    }
  }
  unsigned count() const {
    unsigned out = 0;
    while (!seen().empty()) ++out;
    return out;
  }
  std::optional<OrAck> read(const Bytes& bytes, const Flow& of) const {
    const std::size_t headers = 14u + (of.source.v6 ? 48 : 28);
    if (bytes.size() < headers) return std::nullopt;
    const auto payload = std::span(bytes).subspan(headers);
    const auto out = read_or_ack(payload, of.destination, of.source);
    EXPECT_TRUE(!out || tag_is_right(payload, *out, pair_key(kMaster, of.destination, of.source, kEpoch)));
    return out;
  }

  // Data from the second host.
  const Flow v4_{address("10.77.0.2"), address("10.77.0.1"), 40'000, 80};
  const Flow v6_{address("fd77::2"), address("fd77::1"), 40'000, 80};
  std::optional<Pair> pair_;
  unsigned ifindex_ = 0;
  int wire_ = -1;
};

TEST_F(BpfOrAck, HasItsFormOnTheWire) {
  for (const Flow& of : {v4_, v6_}) {
    const std::int64_t before = monotonic_now();
    arrives({.flow = of, .seq = 0x01020304, .length = 1'000, .class_of_traffic = 0xbb});
    const Bytes got = seen();
    const bool v6 = of.source.v6;
    ASSERT_EQ(got.size(), v6 ? 122u : 78u);
    // back to where the packet came from, with its class and without its marks
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + 6, frame({.flow = of}).begin() + 6));
    EXPECT_TRUE(std::equal(got.begin() + 6, got.begin() + 12, frame({.flow = of}).begin()));
    EXPECT_EQ(v6 ? (got[14] & 0xf) << 4 | got[15] >> 4 : got[15], 0xb8);
    const auto or_ack = read(got, of);
    ASSERT_TRUE(or_ack);
    EXPECT_EQ(or_ack->flow, of);
    EXPECT_EQ(or_ack->seq, 0x01020304u);
    EXPECT_EQ(or_ack->key_id, kEpoch);
    EXPECT_GE(or_ack->received, before);
    EXPECT_LE(or_ack->received, monotonic_now());
    EXPECT_EQ(count(), 0u);
    // the pseudo-header has the same sum wherever its length stands
    const auto ip = std::span(got).subspan(14);
    const auto udp = ip.subspan(v6 ? 40 : 20);
    if (!v6) {
      EXPECT_EQ(sum(ip.first(20)), 0xffffu);
      EXPECT_EQ(udp[6] << 8 | udp[7], 0);
    } else {
      const std::uint32_t pseudo = sum(ip.subspan(8, 32), static_cast<std::uint32_t>(udp.size()) + 17);
      EXPECT_EQ(sum(udp, pseudo), 0xffffu);
    }
  }
}

// A NIC that was told to write the checksum of TCP into the packet of which the OR-ACK was made.
TEST_F(BpfOrAck, SurvivesChecksumsOfNics) {
  for (const Flow& of : {v4_, v6_}) {
    arrives({.flow = of});
    Bytes got = seen();
    ASSERT_FALSE(got.empty());
    const std::size_t transport = of.source.v6 ? 54 : 34;
    const std::uint32_t checksum = ~sum(std::span(got).subspan(transport)) & 0xffff;
    got[transport + 16] = static_cast<std::uint8_t>(checksum >> 8);
    got[transport + 17] = static_cast<std::uint8_t>(checksum);
    EXPECT_TRUE(read(got, of));
    if (!of.source.v6) continue;
    const auto udp = std::span(got).subspan(54);
    EXPECT_EQ(sum(udp, sum(std::span(got).subspan(22, 32), static_cast<std::uint32_t>(udp.size()) + 17)), 0xffffu);
  }
}

TEST_F(BpfOrAck, OneForSoManyBytesAndTheFirstOfABurst) {
  start({.packets = 0, .bytes = 10'000, .burst_gap = 1'000'000'000, .per_second = 1'000'000});
  for (unsigned i = 0; i < 100; ++i) arrives({.flow = v4_, .seq = 1'000 * i, .length = 1'000});
  EXPECT_EQ(count(), 10u);  // the first, then after ten more
  EXPECT_EQ(program_->counters().data_packets, 100u);
  EXPECT_EQ(program_->counters().data_bytes, 100'000u);

  start({.packets = 7, .bytes = 0, .burst_gap = 1'000'000'000, .per_second = 1'000'000});
  arrives({.flow = v4_});
  arrives({.flow = v4_}, 6);  // a super-packet
  EXPECT_EQ(count(), 1u);
  arrives({.flow = v4_});
  EXPECT_EQ(count(), 1u);

  start({.packets = 0, .bytes = 0, .burst_gap = 1'000, .per_second = 1'000'000});
  for (int i = 0; i < 5; ++i) {
    ::usleep(100);
    arrives({.flow = v6_});
  }
  EXPECT_EQ(count(), 5u);
}

TEST_F(BpfOrAck, NoMoreThanTheHostMaySend) {
  start({.packets = 1, .bytes = 0, .burst_gap = 0, .per_second = 100});
  const std::int64_t begin = monotonic_now();
  for (int i = 0; i < 1'000; ++i) {
    Flow of = v4_;
    of.source_port = static_cast<std::uint16_t>(i + 1);
    arrives({.flow = of});
  }
  const auto extra = static_cast<unsigned>((monotonic_now() - begin) / 10'000'000);
  const unsigned sent = count();
  EXPECT_GE(sent, 9u);  // a tenth of a second's
  EXPECT_LE(sent, 11 + extra);
  EXPECT_EQ(program_->counters().or_acks_limited, 1'000 - sent);
}

// A large packet is answered by way of the next one that leaves on the connection, with the time at which it came.
TEST_F(BpfOrAck, LargePacketsAreAnsweredByWayOfAcknowledgements) {
  for (const Flow& of : {v4_, v6_}) {
    const std::int64_t before = monotonic_now();
    arrives({.flow = of, .seq = 5'000, .length = 3'000}, 3);
    const std::int64_t after = monotonic_now();
    EXPECT_EQ(count(), 0u);
    const Flow other{of.destination, of.source, 80, 40'001};
    leaves({.flow = other, .length = 0});
    EXPECT_EQ(count(), 0u);
    ::usleep(500);
    const Flow back{of.destination, of.source, of.destination_port, of.source_port};
    leaves({.flow = back, .length = 0});
    const Bytes got = seen();
    ASSERT_FALSE(got.empty());
    EXPECT_EQ(got.size(), of.source.v6 ? 122u : 78u);
    const auto or_ack = read(got, of);
    ASSERT_TRUE(or_ack);
    EXPECT_EQ(or_ack->seq, 5'000u);
    EXPECT_GE(or_ack->received, before);
    EXPECT_LE(or_ack->received, after);
    leaves({.flow = back, .length = 0});
    EXPECT_EQ(count(), 0u);
  }
}

// If none leaves, the next packet that arrives is answered itself, however large.
TEST_F(BpfOrAck, LargePacketsAreAnsweredAnyway) {
  // After a millisecond one is answered, so the two first have to arrive within that: a busy machine may need some
  // tries.
  constexpr int kTries = 50;
  std::int64_t took = 0;
  int tries = 0;
  do {
    start({.packets = 1, .bytes = 0, .burst_gap = 1'000'000'000, .per_second = 1'000'000});
    const std::int64_t begin = monotonic_now();
    arrives({.flow = v4_, .seq = 0, .length = 3'000}, 3);
    arrives({.flow = v4_, .seq = 3'000, .length = 3'000}, 3);
    took = monotonic_now() - begin;
  } while (took > 900'000 && ++tries != kTries);
  ASSERT_NE(tries, kTries) << "this machine is too busy";
  EXPECT_EQ(count(), 0u);
  ::usleep(1'100);
  arrives({.flow = v4_, .seq = 6'000, .length = 3'000}, 3);
  const auto or_ack = read(seen(), v4_);
  ASSERT_TRUE(or_ack);
  EXPECT_EQ(or_ack->seq, 6'000u);
}

TEST_F(BpfOrAck, OnlyPeersAreAnsweredAndOnlyWithAHeartbeat) {
  arrives({.flow = {address("10.77.0.3"), v4_.destination, 1, 2}});
  arrives({.flow = v4_, .length = 0});
  program_->state().beat = monotonic_now() - 600'000 * kUs;
  arrives({.flow = v4_});
  EXPECT_EQ(count(), 0u);
  beat();
  arrives({.flow = v4_});
  EXPECT_EQ(count(), 1u);
}

// A program that another one keeps from seeing its clones sends none any more: they would leave as they came.
TEST_F(BpfOrAck, EndsWhenItsClonesAreTakenAway) {
  pair_->one.run("tc filter del dev eth0 egress");
  arrives({.flow = v4_});
  EXPECT_EQ(program_->state().taken_away, 1u);
  EXPECT_EQ(program_->counters().or_acks_sent, 0u);
  ::usleep(200);
  arrives({.flow = v4_});
  EXPECT_EQ(program_->state().taken_away, 1u);
}

}  // namespace
}  // namespace weir::hosts::lab::bpf_or_ack_test
