// Mailbox: what one partition hands over to another at the end of an epoch. Its contents can be sent to another process
// as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/units.h"
#include "weir/host/message_queue.h"
#include "weir/net/link/packet.h"
#include "weir/net/link/packet_store.h"

namespace weir::engine {

// Packets that cross into another partition, packed. Each comes with its port and with what it carries beside its body
// (net::PacketStore::pack). That is 68 bytes, 16 more for the path of telemetry and 24 for each of its hops, and the
// selective acknowledgement if there is one.
class PackedPackets {
 public:
  // Adds a packet of the store. Its `departs` must be the time of its arrival.
  void add(const net::Packet& whole, std::uint32_t port, net::PacketStore& store) {
    net::Packet packet = whole;
    // The places of records in this partition mean nothing to others.
    packet.record = whole.has_telemetry() ? net::kHasTelemetry : net::kNoRecord;
    if (bytes_.size() < size_ + kMost) [[unlikely]]
      bytes_.resize(2 * (size_ + kMost));
    char* at = bytes_.data() + size_;
    std::memcpy(at, &packet, sizeof(packet));
    std::memcpy(at + sizeof(packet), &port, sizeof(port));
    at = store.pack(whole, at + sizeof(packet) + sizeof(port));
    size_ = static_cast<std::size_t>(at - bytes_.data());
    ++count_;
  }

  // Calls visit(port, packet) for each packet, in the order in which they were added; what a packet carries is put into
  // `store`.
  template <class Visit>
  void for_each(net::PacketStore& store, Visit&& visit) const {
    const char* at = bytes_.data();
    for (std::uint32_t i = 0; i < count_; ++i) {
      net::Packet packet;
      std::uint32_t port = 0;
      std::memcpy(&packet, at, sizeof(packet));
      std::memcpy(&port, at + sizeof(packet), sizeof(port));
      at = store.unpack(packet, at + sizeof(packet) + sizeof(port));
      visit(port, packet);
    }
  }

  // The same, but what packets carry is dropped after the visit.
  template <class Visit>
  void for_each(Visit&& visit) const {
    net::PacketStore unread;
    for_each(unread, [&](std::uint32_t port, const net::Packet& packet) {
      visit(port, packet);
      unread.release(packet);
    });
  }

  std::uint32_t count() const { return count_; }
  std::string_view bytes() const { return {bytes_.data(), size_}; }
  // Takes a copy of another one's packets, given by its count() and bytes().
  void assign(std::uint32_t count, std::string_view bytes) {
    count_ = count;
    size_ = bytes.size();
    bytes_ = bytes;
    bytes_.resize(size_ + kMost);
  }
  // Takes over the first `size` characters of `from` without copying them; `from` gets the buffer of this one.
  void adopt(std::uint32_t count, std::size_t size, std::string& from) {
    count_ = count;
    size_ = size;
    bytes_.swap(from);
    bytes_.resize(size_ + kMost);
  }
  // Lends the bytes to `other` without copying them, until the same call gives them back.
  void swap_bytes(std::string& other) {
    bytes_.resize(size_);
    bytes_.swap(other);
    size_ = bytes_.size();
  }
  void clear() {
    count_ = 0;
    size_ = 0;
  }
  template <class A>
  void archive(A& a) {
    std::string packed(bytes());
    a.value(count_);
    a.text(packed);
    if constexpr (A::kLoads) assign(count_, packed);
  }

 private:
  // The most bytes that a packet takes. The buffer is always longer than its contents by so many.
  static constexpr std::size_t kMost = sizeof(net::Packet) + sizeof(std::uint32_t) + net::PacketStore::kMostPacked;

  std::uint32_t count_ = 0;
  std::size_t size_ = 0;  // how much of the buffer is in use
  std::string bytes_;
};

// Tells the receiver that a message has started, as the flow in this slot of its sender, or as a part of that flow.
struct Expected {
  host::QueuedMessage message;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};

// The first five kinds are calls of a driver. The last two are events of a server's scale-up switch, whose state is at
// the first host of the server: a message begins to cross it (`moved`), and the switch gives rates, since messages have
// begun or ended to cross it (`shared`).
enum class NoticeKind : std::uint32_t { received, sent, posted, brought, carried, moved, shared };
// What a driver, or a scale-up switch, is told at an instant.
struct Notice {
  Time at;
  traffic::Message
      message;  // of what is posted, both hosts and the word; of `shared`, the host and ScaleUpSwitch::shared
  std::uint32_t driver = 0;
  NoticeKind kind = NoticeKind::received;
  std::uint32_t home = 0;  // the host that has the switch, for moved and shared

  // The host that learns of it.
  std::uint32_t to() const {
    if (kind >= NoticeKind::moved) return home;
    return kind == NoticeKind::sent || kind == NoticeKind::carried ? message.src : message.dst;
  }
};

struct Mailbox {
  PackedPackets packets;
  std::vector<Expected> expected;
  std::vector<Notice> notices;

  bool empty() const { return packets.count() == 0 && expected.empty() && notices.empty(); }
  template <class A>
  void archive(A& a) {
    packets.archive(a);
    a.values(expected);
    a.values(notices);
  }
  void clear() {
    packets.clear();
    expected.clear();
    notices.clear();
  }
};

}  // namespace weir::engine
