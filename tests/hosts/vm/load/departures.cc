#include "tests/hosts/vm/load/departures.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include "tests/hosts/vm/load/loop.h"

namespace weir::hosts::load {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

// TSval of TCP's options; false: there is none.
bool timestamp_of(const unsigned char* option, const unsigned char* end, std::uint32_t& value) {
  while (option < end && *option != TCPOPT_EOL) {
    if (*option == TCPOPT_NOP) {
      ++option;
      continue;
    }
    if (end - option < 2 || option[1] < 2 || option[1] > end - option) return false;
    if (*option == TCPOPT_TIMESTAMP && option[1] == TCPOLEN_TIMESTAMP) {
      std::memcpy(&value, option + 2, sizeof value);
      value = ntohl(value);
      return true;
    }
    option += option[1];
  }
  return false;
}

}  // namespace

Departures::Departures(const std::string& ns, const std::string& device) {
  const InNamespace inside(ns);
  socket_ = Descriptor(::socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_ALL)));
  if (socket_.get() < 0) fail("packet socket");
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(device.c_str()));
  if (bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail("device " + device + " in " + ns);
  }
  const int on = 1;
  const int room = 8 << 20;
  if (setsockopt(socket_.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0 ||
      setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0) {
    fail("packet socket");
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  realtime_ = now.tv_sec * 1'000'000'000LL + now.tv_nsec - now_ns();
}

void Departures::begin() {
  read();
  waits_.clear();
  overtaking_ = 0;
}

void Departures::read() {
  for (;;) {
    alignas(8) unsigned char frame[160];
    alignas(cmsghdr) char control[128];
    sockaddr_ll from{};
    iovec part{frame, sizeof frame};
    msghdr message{&from, sizeof from, &part, 1, control, sizeof control, 0};
    const ssize_t length = recvmsg(socket_.get(), &message, MSG_TRUNC);
    if (length < 0) {
      if (errno == EAGAIN) return;
      if (errno == ENETDOWN) continue;
      fail("reading packets");
    }
    if (from.sll_pkttype != PACKET_OUTGOING) continue;
    for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
      if (one->cmsg_type != SCM_TIMESTAMPNS) continue;
      timespec time{};
      std::memcpy(&time, CMSG_DATA(one), sizeof time);
      packet(frame, static_cast<std::size_t>(length), time.tv_sec * 1'000'000'000LL + time.tv_nsec - realtime_);
    }
  }
}

void Departures::packet(const unsigned char* frame, std::size_t length, std::int64_t time) {
  std::uint16_t protocol = 0;
  std::memcpy(&protocol, frame + 12, sizeof protocol);
  std::size_t at = ETH_HLEN;
  std::size_t end = length;
  std::uint32_t addresses = 0;
  if (ntohs(protocol) == ETH_P_IP && frame[at + 9] == IPPROTO_TCP) {
    iphdr ip{};
    std::memcpy(&ip, frame + at, sizeof ip);
    addresses = ntohl(ip.saddr) + 3 * ntohl(ip.daddr);
    end = at + ntohs(ip.tot_len);
    at += ip.ihl * 4;
  } else if (ntohs(protocol) == ETH_P_IPV6 && frame[at + 6] == IPPROTO_TCP) {
    ip6_hdr ip{};
    std::memcpy(&ip, frame + at, sizeof ip);
    addresses = ntohl(ip.ip6_src.s6_addr32[1]) + 3 * ntohl(ip.ip6_dst.s6_addr32[1]);
    at += sizeof ip;
    end = at + ntohs(ip.ip6_plen);
  } else {
    return;
  }
  tcphdr tcp{};
  std::memcpy(&tcp, frame + at, sizeof tcp);
  const std::size_t data = at + tcp.doff * 4;
  if (end <= data) return;
  const std::uint32_t seq = ntohl(tcp.seq);
  const auto next = static_cast<std::uint32_t>(seq + (end - data));
  const auto [known, fresh] = ends_.try_emplace({addresses, tcp.source, tcp.dest}, next);
  if (!fresh) {
    if (static_cast<std::int32_t>(seq - known->second) > 0) ++overtaking_;
    if (static_cast<std::int32_t>(next - known->second) > 0) known->second = next;
  }
  std::uint32_t made = 0;
  if (timestamp_of(frame + at + sizeof tcp, frame + data, made)) {
    const auto now = static_cast<std::uint32_t>(time / 1'000'000);
    waits_.push_back(static_cast<double>(static_cast<std::int32_t>(now - made)));
  }
}

}  // namespace weir::hosts::load
