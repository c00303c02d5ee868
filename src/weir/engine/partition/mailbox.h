// What one partition hands over to another at the end of an epoch: bytes that may cross to another process as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/telemetry.h"
#include "weir/base/units.h"
#include "weir/net/packet.h"

namespace weir::engine {

// Packets that cross into another partition, packed: each with its port, and of the records that it names only what is
// in use. That is 68 bytes, 16 more for the path of telemetry and 24 for each of its hops, and the selective
// acknowledgement if there is one.
class PackedPackets {
 public:
  // `departs` is the packet's arrival. A null `telemetry` or `sack`: it names none.
  void add(const net::Packet& packet, std::uint32_t port, const Telemetry* telemetry, const net::Sack* sack) {
    net::Packet bare = packet;
    // Where the records stand in this partition means nothing to others.
    bare.body = telemetry != nullptr ? net::kHasTelemetry : net::kNoBody;
    append(&bare, sizeof(bare));
    append(&port, sizeof(port));
    if (telemetry != nullptr) append(telemetry, size_of_telemetry(telemetry->hops));
    if (sack != nullptr) append(sack, sizeof(*sack));
    ++count_;
  }

  // What a packet names, where it was packed.
  struct Records {
    const char* telemetry = nullptr;
    std::size_t telemetry_size = 0;
    const char* sack = nullptr;  // null: it names none

    void read(Telemetry& to) const { std::memcpy(static_cast<void*>(&to), telemetry, telemetry_size); }
    void read(net::Sack& to) const { std::memcpy(&to, sack, sizeof(to)); }
  };

  // Calls visit(port, packet, records) for each, in the order in which they were added.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const char* at = bytes_.data();
    for (std::uint32_t i = 0; i < count_; ++i) {
      net::Packet packet;
      std::uint32_t port = 0;
      std::memcpy(&packet, at, sizeof(packet));
      std::memcpy(&port, at + sizeof(packet), sizeof(port));
      at += sizeof(packet) + sizeof(port);
      Records records;
      if (packet.has_telemetry()) {
        records.telemetry = at;
        std::uint64_t hops = 0;
        std::memcpy(&hops, at + offsetof(Telemetry, hops), sizeof(hops));
        records.telemetry_size = size_of_telemetry(hops);
        at += records.telemetry_size;
      }
      if ((packet.flags & net::kSack) != 0) {
        records.sack = at;
        at += sizeof(net::Sack);
      }
      visit(port, packet, records);
    }
  }

  std::uint32_t count() const { return count_; }
  const std::string& bytes() const { return bytes_; }
  // Takes what bytes() of another one was.
  void assign(std::uint32_t count, std::string_view bytes) {
    count_ = count;
    bytes_ = bytes;
  }
  // The same without a copy: they are the first `size` characters of `from`, which gets the buffer of this one.
  void adopt(std::uint32_t count, std::size_t size, std::string& from) {
    count_ = count;
    bytes_.swap(from);
    bytes_.resize(size);
  }
  // Lends the bytes without a copy, until the same call gives them back.
  void swap_bytes(std::string& other) { bytes_.swap(other); }
  void clear() {
    count_ = 0;
    bytes_.clear();
  }
  template <class A>
  void archive(A& a) {
    a.value(count_);
    a.text(bytes_);
  }

 private:
  // Of its path and of the hops that there are.
  static std::size_t size_of_telemetry(std::uint64_t hops) {
    return offsetof(Telemetry, hop) + hops * sizeof(HopTelemetry);
  }
  void append(const void* from, std::size_t size) { bytes_.append(static_cast<const char*>(from), size); }

  std::uint32_t count_ = 0;
  std::string bytes_;
};

// Of a program: a message has started, its flow in this slot of its sender.
struct Expected {
  std::uint32_t node = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};
// Of a program: an event that the node waits for takes effect then.
struct Signal {
  std::uint32_t node = 0;
  std::uint32_t unused = 0;  // so that all bytes of it are set
  Time at;
};

struct Mailbox {
  PackedPackets packets;
  std::vector<Expected> expected;
  std::vector<Signal> signals;

  bool empty() const { return packets.count() == 0 && expected.empty() && signals.empty(); }
  template <class A>
  void archive(A& a) {
    packets.archive(a);
    a.values(expected);
    a.values(signals);
  }
  void clear() {
    packets.clear();
    expected.clear();
    signals.clear();
  }
};

}  // namespace weir::engine
