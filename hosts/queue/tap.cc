#include "hosts/queue/tap.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#include "hosts/path/system_error.h"
#include "hosts/queue/events.h"
#include "hosts/queue/filters.h"

namespace weir::hosts {
namespace {

constexpr int kTapBuffer = 4 << 20;

std::uint16_t protocol(Tap::Way way) {
  switch (way) {
    case Tap::Way::in_v4: return ETH_P_IP;
    case Tap::Way::in_v6: return ETH_P_IPV6;
    case Tap::Way::out: break;
  }
  return ETH_P_ALL;
}

}  // namespace

Tap::Tap(Way way, unsigned ifindex, std::span<const Address> peers)
    : way_(way),
      socket_(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      buffers_(std::make_unique<std::array<std::array<std::uint8_t, kHeaderBytes>, kBatch>>()) {
  if (!socket_) throw errno_error("a packet socket");
  watch(peers);
  const int on = 1;
  const int size = kTapBuffer;
  if (::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
    (void)::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  if (::setsockopt(socket_.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
    throw errno_error("stamps of a packet socket");
  sockaddr_ll place{
      .sll_family = AF_PACKET, .sll_protocol = htons(protocol(way)), .sll_ifindex = static_cast<int>(ifindex)};
  if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0)
    throw errno_error("a packet socket");
}

void Tap::watch(std::span<const Address> peers) {
  Filter filter = way_ == Way::out ? leaving_filter(peers) : data_filter(way_ == Way::in_v6, End::source, peers);
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::setsockopt(socket_.get(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0)
    throw errno_error("the filter of a packet socket");
}

bool Tap::read(const std::function<void(const Segment&, std::int64_t)>& take) {
  constexpr int kRounds = 4;
  union Control {
    cmsghdr first;
    std::array<char, CMSG_SPACE(sizeof(timespec))> room;
  };
  for (int round = 0; round != kRounds; ++round) {
    std::array<mmsghdr, kBatch> headers{};
    std::array<iovec, kBatch> places;
    std::array<Control, kBatch> controls;
    std::array<sockaddr_ll, kBatch> from;
    for (std::size_t i = 0; i != kBatch; ++i) {
      places[i] = {(*buffers_)[i].data(), kHeaderBytes};
      headers[i].msg_hdr = {.msg_name = &from[i],
                            .msg_namelen = sizeof from[i],
                            .msg_iov = &places[i],
                            .msg_iovlen = 1,
                            .msg_control = &controls[i],
                            .msg_controllen = sizeof controls[i]};
    }
    const int count = ::recvmmsg(socket_.get(), headers.data(), kBatch, MSG_DONTWAIT | MSG_TRUNC, nullptr);
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    // The kernel stamps by CLOCK_REALTIME. Should that clock be set between the stamp and here, the difference of the
    // clocks is a wrong one for this batch, and the times are outside of what the sender takes, or off by as much as
    // the clock was moved.
    const std::int64_t difference = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC);
    for (int i = 0; i != count; ++i) {
      msghdr& header = headers[i].msg_hdr;
      if (way_ != Way::out && from[i].sll_pkttype != PACKET_HOST) continue;
      const std::size_t whole = headers[i].msg_len;
      const auto segment = read_segment((*buffers_)[i].data(), std::min(whole, kHeaderBytes), whole);
      if (!segment || segment->length == 0) continue;
      for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
        timespec stamp{};
        std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
        take(*segment, std::int64_t{stamp.tv_sec} * 1'000'000'000 + stamp.tv_nsec - difference);
      }
    }
    if (static_cast<std::size_t>(count) < kBatch) break;
  }
  return true;
}

}  // namespace weir::hosts
