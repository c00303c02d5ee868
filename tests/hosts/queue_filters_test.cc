#include "hosts/queue/filters.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "tests/hosts/queue_support.h"

namespace weir::hosts {
namespace {

// The kernel runs a filter on what comes through a pair of local sockets, too: the packet is the message.
bool passes(Filter filter, const std::vector<std::uint8_t>& packet) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  EXPECT_EQ(::setsockopt(ends[1], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program), 0) << "not a valid program";
  (void)!::send(ends[0], packet.data(), packet.size(), 0);
  std::array<char, 16> any;
  const bool out = ::recv(ends[1], any.data(), any.size(), 0) >= 0;
  ::close(ends[0]);
  ::close(ends[1]);
  return out;
}

Address address(const char* text) { return *parse_address(text); }

Flow flow(bool v6) {
  return v6 ? Flow{address("fd77::1:1"), address("fd77::1:2"), 1, 2}
            : Flow{address("10.77.1.2"), address("10.77.2.2"), 1, 2};
}

std::vector<std::uint8_t> packet(bool v6, std::size_t data, std::uint8_t flags = 0x10, std::size_t ip_options = 0,
                                 std::size_t tcp_options = 12) {
  return write_packet(
      {.flow = flow(v6), .flags = flags, .data = data, .ip_options = v6 ? 0 : ip_options, .tcp_options = tcp_options});
}

TEST(Filters, DataOfThePeersPasses) {
  const std::vector<Address> peers{address("10.77.9.9"), address("10.77.1.2"), address("fd77::1"),
                                   address("fd77::1:1")};
  for (const bool v6 : {false, true})
    for (const std::size_t ip_options : {0, 4, 40})
      for (const std::size_t tcp_options : {0, 12, 40}) {
        const Filter filter = data_filter(v6, End::source, peers);
        EXPECT_TRUE(passes(filter, packet(v6, 1, 0x10, ip_options, tcp_options)));
        EXPECT_TRUE(passes(filter, packet(v6, 1'448, 0x18, ip_options, tcp_options)));
        EXPECT_FALSE(passes(filter, packet(v6, 0, 0x10, ip_options, tcp_options)));
        EXPECT_FALSE(passes(filter, packet(v6, 0, 0x12, ip_options, tcp_options)));
        EXPECT_FALSE(passes(data_filter(v6, End::destination, peers), packet(v6, 1)));
      }
}

TEST(Filters, AddressesOfOthersDoNot) {
  for (const bool v6 : {false, true}) {
    EXPECT_FALSE(passes(data_filter(v6, End::source, {}), packet(v6, 1)));
    const Address own = flow(v6).source;
    for (std::size_t i = 0; i != own.size(); ++i) {
      Address other = own;
      other.bytes[i] ^= 1;
      const std::vector<Address> others{other, other};
      EXPECT_FALSE(passes(data_filter(v6, End::source, others), packet(v6, 1))) << i;
      const std::vector<Address> both{other, own};
      EXPECT_TRUE(passes(data_filter(v6, End::source, both), packet(v6, 1))) << i;
    }
  }
}

TEST(Filters, ManyAddressesAreAValidProgramAndMoreAreLeftToOthers) {
  std::vector<Address> peers;
  for (std::size_t i = 0; i != 2 * kMostAddresses; ++i) {
    peers.push_back({.bytes = {10, 1, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)}});
    peers.push_back({.bytes = {0xfd, 1, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)}, .v6 = true});
    for (const bool v6 : {false, true})
      if (i == kMostAddresses - 1) {
        EXPECT_FALSE(passes(data_filter(v6, End::source, peers), packet(v6, 1)));
        EXPECT_LT(leaving_filter(peers).size(), std::size_t{BPF_MAXINSNS});
      }
  }
  for (const bool v6 : {false, true}) EXPECT_TRUE(passes(data_filter(v6, End::source, peers), packet(v6, 1)));
}

TEST(Filters, OthersThanTcpDoNotPass) {
  for (const bool v6 : {false, true}) {
    const std::vector<Address> peers{flow(v6).source};
    std::vector<std::uint8_t> udp = packet(v6, 100);
    udp[v6 ? 6 : 9] = 17;
    EXPECT_FALSE(passes(data_filter(v6, End::source, peers), udp));
  }
  std::vector<std::uint8_t> fragment = packet(false, 100);
  fragment[7] = 1;
  const std::vector<Address> peers{flow(false).source};
  EXPECT_FALSE(passes(data_filter(false, End::source, peers), fragment));
}

// What comes through these sockets does not leave the host.
TEST(Filters, OfPacketsThatLeaveOthersDoNotPass) {
  const std::vector<Address> peers{flow(false).destination, flow(true).destination};
  for (const bool v6 : {false, true}) EXPECT_FALSE(passes(leaving_filter(peers), packet(v6, 1)));
}

TEST(Filters, DataAndTheFirstAndLastSegmentsWait) {
  for (const bool v6 : {false, true})
    for (const std::size_t tcp_options : {0, 40}) {
      const auto waits = [&](std::size_t data, std::uint8_t flags) {
        return passes(waiting_filter(v6), packet(v6, data, flags, 8, tcp_options));
      };
      EXPECT_TRUE(waits(1, 0x10));
      EXPECT_TRUE(waits(0, 0x02)) << "SYN";
      EXPECT_TRUE(waits(0, 0x11)) << "FIN";
      EXPECT_TRUE(waits(0, 0x04)) << "RST";
      EXPECT_FALSE(waits(0, 0x10)) << "an acknowledgement";
    }
  EXPECT_TRUE(passes(waiting_filter(false), write_packet({.flow = flow(false), .data = 9, .no_length = true})));
  EXPECT_TRUE(passes(waiting_filter(true), write_packet({.flow = flow(true), .data = 9, .no_length = true})));
  EXPECT_LE(waiting_filter(true).size(), 64u) << "of iptables' match";
}

TEST(Filters, BytecodeIsAsIptablesWantsIt) {
  EXPECT_EQ(to_bytecode({BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 2), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 2),
                         BPF_STMT(BPF_RET | BPF_K, 65'535)}),
            "3,40 0 0 2,21 1 2 0,6 0 0 65535");
}

}  // namespace
}  // namespace weir::hosts
