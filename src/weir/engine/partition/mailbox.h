// What one partition hands over to another at the end of an epoch: bytes that may cross to another process as they are.
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
  // Adds a packet of the store, whose `departs` is its arrival.
  void add(const net::Packet& whole, std::uint32_t port, net::PacketStore& store) {
    net::Packet packet = whole;
    // Where the records stand in this partition means nothing to others.
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

  // Calls visit(port, packet) for each, in the order in which they were added, with what it carries in `store`.
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

  // The same of the packets alone.
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
  // Takes over what count() and bytes() of another one were.
  void assign(std::uint32_t count, std::string_view bytes) {
    count_ = count;
    size_ = bytes.size();
    bytes_ = bytes;
    bytes_.resize(size_ + kMost);
  }
  // Takes over the first `size` characters of `from` without a copy; `from` gets the buffer of this one.
  void adopt(std::uint32_t count, std::size_t size, std::string& from) {
    count_ = count;
    size_ = size;
    bytes_.swap(from);
    bytes_.resize(size_ + kMost);
  }
  // Lends the bytes without a copy, until the same call gives them back.
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
  // No packet takes more. So many bytes more than it has to hold are in the buffer.
  static constexpr std::size_t kMost = sizeof(net::Packet) + sizeof(std::uint32_t) + net::PacketStore::kMostPacked;

  std::uint32_t count_ = 0;
  std::size_t size_ = 0;  // how much of the buffer is in use
  std::string bytes_;
};

// Tells the receiver of a message that it has started, as the flow in this slot of its sender, or as a part of it.
struct Expected {
  host::QueuedMessage message;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};

// The last two are of a server's scale-up switch, whose state is at the first host of the server: a message begins to
// cross it, and the switch gives rates, which is when some have come across.
enum class NoticeKind : std::uint32_t { received, sent, posted, brought, carried, moved, shared };
// What a driver is told then, or a scale-up switch.
struct Notice {
  Time at;
  traffic::Message
      message;  // of what is posted, both hosts and the word; of `shared`, the host and ScaleUpSwitch::shared
  std::uint32_t driver = 0;
  NoticeKind kind = NoticeKind::received;
  std::uint32_t home = 0;  // of a switch

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
