#include "hosts/clock/udp.h"

#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "hosts/clock/wire.h"
#include "hosts/path/system_error.h"

namespace weir::hosts::clock {
namespace {

constexpr std::size_t kBatch = 32;
// What the kernel hands back of what has left may have headers of any link before it.
constexpr std::size_t kRoom = kLargestMessage + 160;
constexpr int kBufferBytes = 1 << 20;

sockaddr_storage name_of(const Address& address, std::uint16_t port) {
  sockaddr_storage out{};
  if (address.v6) {
    auto& name = reinterpret_cast<sockaddr_in6&>(out);
    name.sin6_family = AF_INET6;
    name.sin6_port = htons(port);
    std::copy(address.bytes.begin(), address.bytes.end(), name.sin6_addr.s6_addr);
  } else {
    auto& name = reinterpret_cast<sockaddr_in&>(out);
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    std::memcpy(&name.sin_addr, address.bytes.data(), 4);
  }
  return out;
}

Address address_of(const sockaddr_storage& name) {
  Address out;
  if (name.ss_family == AF_INET6) {
    out.v6 = true;
    std::memcpy(out.bytes.data(), &reinterpret_cast<const sockaddr_in6&>(name).sin6_addr, 16);
  } else {
    std::memcpy(out.bytes.data(), &reinterpret_cast<const sockaddr_in&>(name).sin_addr, 4);
  }
  return out;
}

socklen_t name_length(bool v6) { return v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }

std::int64_t nanoseconds(const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

void set(int socket, int level, int option, int value, const char* what) {
  if (::setsockopt(socket, level, option, &value, sizeof value) != 0) {
    throw errno_error(what);
  }
}

// Writes one control message and returns where the next one goes.
template <typename T>
std::size_t put_control(std::span<std::byte> room, std::size_t at, int level, int type, const T& value) {
  cmsghdr header{};
  header.cmsg_len = CMSG_LEN(sizeof value);
  header.cmsg_level = level;
  header.cmsg_type = type;
  std::memcpy(room.data() + at, &header, sizeof header);
  std::memcpy(room.data() + at + CMSG_LEN(0), &value, sizeof value);
  return at + CMSG_SPACE(sizeof value);
}

template <typename T>
T control_value(const cmsghdr* c) {
  T value{};
  std::memcpy(&value, CMSG_DATA(c), sizeof value);
  return value;
}

}  // namespace

// Buffers for recvmmsg and sendmmsg, made once.
struct UdpSocket::Batch {
  struct Slot {
    std::array<std::uint8_t, kRoom> bytes;
    alignas(cmsghdr) std::array<std::byte, 512> control;
    sockaddr_storage name;
    iovec part;
  };
  std::array<Slot, kBatch> slots;
  std::array<mmsghdr, kBatch> heads;

  // Received messages; -1: none.
  int receive(int socket, int flags, std::size_t most) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      Slot& slot = slots[i];
      slot.part = {slot.bytes.data(), slot.bytes.size()};
      heads[i] = {};
      heads[i].msg_hdr = {&slot.name, sizeof slot.name, &slot.part, 1, slot.control.data(), slot.control.size(), 0};
    }
    return ::recvmmsg(socket, heads.data(), static_cast<unsigned>(std::min(kBatch, most)), flags | MSG_DONTWAIT,
                      nullptr);
  }
  std::span<const std::uint8_t> bytes(std::size_t i) const { return {slots[i].bytes.data(), heads[i].msg_len}; }

  // Calls `look` with each control message of message i.
  template <typename Look>
  void controls(std::size_t i, const Look& look) {
    msghdr& head = heads[i].msg_hdr;
    for (cmsghdr* c = CMSG_FIRSTHDR(&head); c != nullptr; c = CMSG_NXTHDR(&head, c)) look(c);
  }
};

namespace {

void look_for_stamp(const cmsghdr* c, Stamp& stamp) {
  if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_TIMESTAMPING) return;
  const auto t = control_value<scm_timestamping>(c);
  if (nanoseconds(t.ts[0]) != 0) stamp.software = nanoseconds(t.ts[0]);
  if (nanoseconds(t.ts[2]) != 0) stamp.hardware = nanoseconds(t.ts[2]);
}

}  // namespace

UdpSocket::UdpSocket(bool v6, std::uint16_t port, bool hardware_stamps)
    : v6_(v6), port_(port), hardware_(hardware_stamps), batch_(std::make_unique<Batch>()) {
  socket_ = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) throw errno_error(v6 ? "UDP over IPv6" : "UDP over IPv4");
  try {
    if (v6) {
      set(socket_, IPPROTO_IPV6, IPV6_V6ONLY, 1, "IPV6_V6ONLY");
      set(socket_, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1, "IPV6_RECVPKTINFO");
    } else {
      set(socket_, IPPROTO_IP, IP_PKTINFO, 1, "IP_PKTINFO");
    }
    set(socket_, SOL_SOCKET, SO_RCVBUF, kBufferBytes, "SO_RCVBUF");
    int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
    if (hardware_) flags |= SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE | SOF_TIMESTAMPING_OPT_TX_SWHW;
    set(socket_, SOL_SOCKET, SO_TIMESTAMPING, flags, "SO_TIMESTAMPING");
    const Address any{{}, v6};
    const sockaddr_storage name = name_of(any, port);
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&name), name_length(v6)) != 0) {
      throw errno_error("UDP port " + std::to_string(port));
    }
  } catch (...) {
    ::close(socket_);
    throw;
  }
}

UdpSocket::~UdpSocket() { ::close(socket_); }

std::size_t UdpSocket::send(std::span<const Outgoing> list) {
  std::uint32_t stamping = SOF_TIMESTAMPING_TX_SOFTWARE;
  if (hardware_) stamping |= SOF_TIMESTAMPING_TX_HARDWARE;
  std::size_t taken = 0;
  while (!list.empty()) {
    const std::size_t count = std::min(kBatch, list.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Outgoing& out = list[i];
      Batch::Slot& slot = batch_->slots[i];
      slot.name = name_of(out.to, port_);
      slot.part = {const_cast<std::uint8_t*>(out.bytes.data()), out.bytes.size()};
      std::size_t used = 0;
      if (v6_) {
        in6_pktinfo info{};
        std::copy(out.from.bytes.begin(), out.from.bytes.end(), info.ipi6_addr.s6_addr);
        used = put_control(slot.control, used, IPPROTO_IPV6, IPV6_PKTINFO, info);
      } else {
        in_pktinfo info{};
        std::memcpy(&info.ipi_spec_dst, out.from.bytes.data(), 4);
        used = put_control(slot.control, used, IPPROTO_IP, IP_PKTINFO, info);
      }
      if (out.stamped) used = put_control(slot.control, used, SOL_SOCKET, SO_TIMESTAMPING, stamping);
      batch_->heads[i] = {};
      batch_->heads[i].msg_hdr = {&slot.name, name_length(v6_), &slot.part, 1, slot.control.data(), used, 0};
    }
    const int sent = ::sendmmsg(socket_, batch_->heads.data(), static_cast<unsigned>(count), MSG_DONTWAIT);
    // the first that is not sent is left out
    const std::size_t done = sent > 0 ? static_cast<std::size_t>(sent) : 0;
    taken += done;
    list = list.subspan(std::min(list.size(), done < count ? done + 1 : done));
  }
  return taken;
}

std::size_t UdpSocket::receive(std::size_t most, const std::function<void(const Incoming&)>& take) {
  std::size_t total = 0;
  while (total < most) {
    const int count = batch_->receive(socket_, 0, most - total);
    if (count <= 0) break;
    for (int i = 0; i < count; ++i) {
      Incoming in{address_of(batch_->slots[i].name), {}, batch_->bytes(i), {}};
      in.to.v6 = v6_;
      batch_->controls(i, [&](const cmsghdr* c) {
        look_for_stamp(c, in.stamp);
        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
          const auto info = control_value<in_pktinfo>(c);
          std::memcpy(in.to.bytes.data(), &info.ipi_addr, 4);
        } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
          const auto info = control_value<in6_pktinfo>(c);
          std::memcpy(in.to.bytes.data(), &info.ipi6_addr, 16);
        }
      });
      take(in);
    }
    total += static_cast<std::size_t>(count);
    if (static_cast<std::size_t>(count) < kBatch) break;
  }
  return total;
}

std::size_t UdpSocket::stamps(std::size_t most,
                              const std::function<void(std::span<const std::uint8_t>, const Stamp&)>& take) {
  std::size_t total = 0;
  while (total < most) {
    const int count = batch_->receive(socket_, MSG_ERRQUEUE, most - total);
    if (count <= 0) break;
    for (int i = 0; i < count; ++i) {
      Stamp stamp;
      batch_->controls(i, [&](const cmsghdr* c) { look_for_stamp(c, stamp); });
      if (stamp.software != 0 || stamp.hardware != 0) take(batch_->bytes(i), stamp);
    }
    total += static_cast<std::size_t>(count);
  }
  return total;
}

RouteProbe::RouteProbe()
    : v4_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)), v6_(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}

RouteProbe::~RouteProbe() {
  if (v4_ >= 0) ::close(v4_);
  if (v6_ >= 0) ::close(v6_);
}

std::optional<Address> RouteProbe::source_for(const Address& to) const {
  const int socket = to.v6 ? v6_ : v4_;
  const sockaddr_storage name = name_of(to, 9);
  if (socket < 0 || ::connect(socket, reinterpret_cast<const sockaddr*>(&name), name_length(to.v6)) != 0) {
    return std::nullopt;
  }
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  const int failed = ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length);
  // the next question must not depend on this one
  sockaddr none{};
  none.sa_family = AF_UNSPEC;
  (void)::connect(socket, &none, sizeof none);
  if (failed != 0) return std::nullopt;
  return address_of(own);
}

}  // namespace weir::hosts::clock
