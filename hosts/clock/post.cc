#include "hosts/clock/post.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace weir::hosts::clock {
namespace {

// Datagrams and stamps that are looked at in one go; the kernel drops what does not fit into its buffers meanwhile.
constexpr std::size_t kMostAtOnce = 1'024;

// Ethernet without checksum, and IP and UDP.
constexpr std::size_t frame_bytes(std::size_t size, bool v6) { return 14 + (v6 ? 40 : 20) + 8 + size; }

}  // namespace

void SocketPost::open(Families families) {
  if (families.v4) open(false);
  if (!families.v6) return;
  try {
    open(true);
  } catch (const std::system_error& error) {
    if (error.code().value() != EAFNOSUPPORT) throw;
  }
}

void SocketPost::open(bool v6) {
  const bool is_open =
      std::any_of(sockets_.begin(), sockets_.end(), [v6](const auto& socket) { return socket->v6() == v6; });
  if (!is_open) sockets_.push_back(std::make_unique<UdpSocket>(v6, port_, has_hardware_stamps()));
}

void SocketPost::write(const Address& from, const Address& to, std::span<const std::uint8_t> bytes, bool stamped) {
  letters_.push_back({from, to, text_.size(), bytes.size(), stamped});
  text_.insert(text_.end(), bytes.begin(), bytes.end());
}

void SocketPost::flush() {
  for (const auto& socket : sockets_) {
    std::vector<Outgoing> list;
    for (const Letter& l : letters_) {
      if (l.to.v6 != socket->v6()) continue;
      list.push_back({l.from, l.to, std::span(text_).subspan(l.begin, l.size), l.stamped});
      counters_.bytes_sent += frame_bytes(l.size, l.to.v6);
    }
    counters_.sent += socket->send(list);
  }
  letters_.clear();
  text_.clear();
}

std::optional<std::int64_t> SocketPost::when(const Stamp& stamp) {
  // never of both kinds: a packet passes the interface later than the kernel
  if (hardware_) {
    if (stamp.hardware == 0) return std::nullopt;
    const auto t = hardware_->to_monotonic(stamp.hardware);
    return t ? std::optional(ours(*t)) : std::nullopt;
  }
  if (stamp.software == 0 || !trusted_) return std::nullopt;
  return ours(realtime_.to_monotonic(stamp.software));
}

bool SocketPost::drain(std::int64_t now, const Left& left, const Came& came) {
  if (hardware_) hardware_->check(now);
  // what was stamped since the last time is on either side of a change
  trusted_ = realtime_.check();
  if (!trusted_) ++counters_.time_sets;
  for (const auto& socket : sockets_) {
    socket->stamps(kMostAtOnce, [&](std::span<const std::uint8_t> bytes, const Stamp& stamp) {
      if (const auto t = when(stamp)) left(bytes, *t);
    });
    socket->receive(kMostAtOnce, [&](const Incoming& in) {
      ++counters_.received;
      counters_.bytes_received += frame_bytes(in.bytes.size(), in.from.v6);
      const auto t = when(in.stamp);
      if (!t) ++counters_.unstamped;
      came({in.from, in.to, in.bytes, t});
    });
  }
  if (realtime_.check()) return true;
  ++counters_.time_sets;
  return hardware_ != nullptr;
}

std::optional<TimeOfDay> SocketPost::time_of_day() const {
  if (!realtime_.still_holds()) return std::nullopt;
  return TimeOfDay{realtime_.ahead(),
                   static_cast<std::uint32_t>(std::min<std::int64_t>(realtime_.error(), UINT32_MAX))};
}

}  // namespace weir::hosts::clock
