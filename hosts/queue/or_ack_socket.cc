#include "hosts/queue/or_ack_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "hosts/path/system_error.h"

namespace weir::hosts {
namespace {

constexpr std::size_t kBatch = 64;
constexpr int kOrAckBuffer = 1 << 20;

union Name {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

union Control {
  cmsghdr first;
  std::array<char, CMSG_SPACE(sizeof(in6_pktinfo))> room;
};

Name name_of(const Address& address, std::uint16_t port) {
  Name out{};
  if (address.v6) {
    out.v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    std::memcpy(&out.v6.sin6_addr, address.bytes.data(), 16);
  } else {
    out.v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    std::memcpy(&out.v4.sin_addr, address.bytes.data(), 4);
  }
  return out;
}

template <class Bytes>
Address address_of(const Bytes& bytes) {
  Address out{.v6 = sizeof bytes == 16};
  std::memcpy(out.bytes.data(), &bytes, sizeof bytes);
  return out;
}

// Which address of this host a packet was sent to.
bool read_destination(msghdr& header, Address& out) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
      in_pktinfo info;
      std::memcpy(&info, CMSG_DATA(part), sizeof info);
      out = address_of(info.ipi_addr);
      return true;
    }
    if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
      in6_pktinfo info;
      std::memcpy(&info, CMSG_DATA(part), sizeof info);
      out = address_of(info.ipi6_addr);
      return true;
    }
  }
  return false;
}

// From which address of this host a packet is to be sent; the room that takes.
std::size_t write_source(Control& control, const Address& from) {
  control = {};
  in_pktinfo v4{};
  std::memcpy(&v4.ipi_spec_dst, from.bytes.data(), 4);
  in6_pktinfo v6{};
  std::memcpy(&v6.ipi6_addr, from.bytes.data(), 16);
  control.first.cmsg_level = from.v6 ? IPPROTO_IPV6 : IPPROTO_IP;
  control.first.cmsg_type = from.v6 ? IPV6_PKTINFO : IP_PKTINFO;
  control.first.cmsg_len = from.v6 ? CMSG_LEN(sizeof v6) : CMSG_LEN(sizeof v4);
  std::memcpy(CMSG_DATA(&control.first), from.v6 ? static_cast<const void*>(&v6) : &v4,
              from.v6 ? sizeof v6 : sizeof v4);
  return from.v6 ? CMSG_SPACE(sizeof v6) : CMSG_SPACE(sizeof v4);
}

void set(int socket, int level, int option, int value, bool needed) {
  if (::setsockopt(socket, level, option, &value, sizeof value) != 0 && needed)
    throw errno_error("the socket of OR-ACKs");
}

}  // namespace

struct OrAckSocket::Buffers {
  std::array<std::array<std::uint8_t, WEIR_OR_ACK_SIZE_V6 + 1>, kBatch> in;
  std::array<OrAckBytes, kBatch> out;
  std::array<Name, kBatch> to;
  std::array<Control, kBatch> from;
  std::array<std::size_t, kBatch> from_size;
  std::size_t waiting = 0;
};

OrAckSocket::OrAckSocket(bool v6, std::uint16_t port)
    : v6_(v6),
      port_(port),
      socket_(::socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      buffers_(std::make_unique<Buffers>()) {
  if (!socket_) throw errno_error("the socket of OR-ACKs");
  if (v6) set(socket_.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1, true);
  set(socket_.get(), v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVPKTINFO : IP_PKTINFO, 1, true);
  set(socket_.get(), SOL_SOCKET, SO_RCVBUF, kOrAckBuffer, false);
  const Name name = name_of(Address{.v6 = v6}, port);
  if (::bind(socket_.get(), &name.any, v6 ? sizeof name.v6 : sizeof name.v4) != 0)
    throw errno_error("the socket of OR-ACKs");
}

OrAckSocket::~OrAckSocket() = default;
OrAckSocket::OrAckSocket(OrAckSocket&&) noexcept = default;
OrAckSocket& OrAckSocket::operator=(OrAckSocket&&) noexcept = default;

void OrAckSocket::read(const Take& take) {
  constexpr int kRounds = 4;
  for (int round = 0; round != kRounds; ++round) {
    std::array<mmsghdr, kBatch> headers{};
    std::array<iovec, kBatch> places;
    std::array<Name, kBatch> from;
    std::array<Control, kBatch> controls;
    for (std::size_t i = 0; i != kBatch; ++i) {
      places[i] = {buffers_->in[i].data(), buffers_->in[i].size()};
      headers[i].msg_hdr = {.msg_name = &from[i],
                            .msg_namelen = sizeof from[i],
                            .msg_iov = &places[i],
                            .msg_iovlen = 1,
                            .msg_control = &controls[i],
                            .msg_controllen = sizeof controls[i]};
    }
    const int count = ::recvmmsg(socket_.get(), headers.data(), kBatch, MSG_DONTWAIT, nullptr);
    for (int i = 0; i < count; ++i) {
      Address to;
      if (!read_destination(headers[i].msg_hdr, to)) continue;
      const Address source = v6_ ? address_of(from[i].v6.sin6_addr) : address_of(from[i].v4.sin_addr);
      take({buffers_->in[i].data(), headers[i].msg_len}, source, to);
    }
    if (count < static_cast<int>(kBatch)) break;
  }
}

void OrAckSocket::send(const OrAckBytes& or_ack, const Address& from, const Address& to) {
  if (buffers_->waiting == kBatch) flush();
  const std::size_t i = buffers_->waiting++;
  buffers_->out[i] = or_ack;
  buffers_->to[i] = name_of(to, port_);
  buffers_->from_size[i] = write_source(buffers_->from[i], from);
}

void OrAckSocket::flush() {
  if (buffers_->waiting == 0) return;
  std::array<mmsghdr, kBatch> headers{};
  std::array<iovec, kBatch> places;
  for (std::size_t i = 0; i != buffers_->waiting; ++i) {
    places[i] = {buffers_->out[i].bytes.data(), buffers_->out[i].size};
    headers[i].msg_hdr = {.msg_name = &buffers_->to[i],
                          .msg_namelen = static_cast<socklen_t>(v6_ ? sizeof(sockaddr_in6) : sizeof(sockaddr_in)),
                          .msg_iov = &places[i],
                          .msg_iovlen = 1,
                          .msg_control = &buffers_->from[i],
                          .msg_controllen = buffers_->from_size[i]};
  }
  // One that cannot be sent must not keep the others back.
  for (std::size_t sent = 0; sent != buffers_->waiting;) {
    const int count =
        ::sendmmsg(socket_.get(), headers.data() + sent, static_cast<unsigned>(buffers_->waiting - sent), MSG_DONTWAIT);
    sent += count > 0 ? static_cast<std::size_t>(count) : 1;
  }
  buffers_->waiting = 0;
}

}  // namespace weir::hosts
