// The packets of a partition that are on their way: what they have beside their descriptors.
//
// Descriptors go from ring to ring. The rest of a packet stays where it is from the host that sends it to the one that
// receives it: in a record that the descriptor names. The record that was given back last is taken next, for it is
// likely to be in a cache still.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/large_pages.h"
#include "weir/base/prefetch.h"
#include "weir/base/telemetry.h"
#include "weir/net/link/packet.h"

namespace weir::net {

// The store of a partition. At a host, a packet has a record only if it carries something that the host reads.
class PacketStore {
 public:
  // Gives a packet that has no record one, with room for telemetry.
  void add_telemetry(Packet& packet) {
    const std::uint32_t i = take();
    Telemetry& telemetry = telemetry_.make(i, records_.size());
    telemetry.path = 0;
    telemetry.hops = 0;
    packet.record = i | kHasTelemetry;
  }
  // The telemetry of a packet that has it.
  Telemetry& telemetry(const Descriptor& d) { return telemetry_[number(d)]; }
  const Telemetry& telemetry(const Descriptor& d) const { return telemetry_[number(d)]; }
  // Makes a data packet that asks for a credit tell the size of its flow, in bytes.
  void tell_size(Packet& packet, std::int64_t size) {
    if (!packet.has_record()) packet.record = take();
    packet.flags |= kAsksCredit;
    sizes_.make(number(packet), records_.size()) = size;
  }
  std::int64_t told_size(const Descriptor& d) const { return sizes_[number(d)]; }
  // The note on a packet that is on its way. What it says before a switch writes it means nothing.
  PathNote& path_note(const Descriptor& d) { return notes_.make(number(d), records_.size()); }
  // Makes an acknowledgement carry a Sack, and returns that.
  Sack& add_sack(Packet& ack) {
    if (!ack.has_record()) ack.record = take();
    ack.flags |= kSack;
    return records_[number(ack)].sack;
  }
  // The Sack of an acknowledgement that carries one.
  const Sack& sack(const Descriptor& d) const { return records_[number(d)].sack; }
  Sack& sack(const Descriptor& d) { return records_[number(d)].sack; }
  // Frees the record of a packet that is no more, if it has one.
  void release(const Packet& packet) {
    if (packet.has_record()) free_[frees_++] = number(packet);
  }

  // Stores the body of a packet that leaves a host. Returns the record that its descriptor names from now on.
  std::uint32_t store(const Packet& packet) {
    const std::uint32_t name = packet.has_record() ? packet.record : take();
    copy_fields(records_[name & ~kHasTelemetry].body, packet);
    return name;
  }
  // Reads a packet whose way ends here, as it has reached a host, or is lost. Its record is freed unless it carries
  // something that the host reads.
  Packet load(const Descriptor& d) {
    Packet out{d, body(d)};
    const bool carries_more = d.has_telemetry() || (d.flags & (kSack | kAsksCredit)) != 0;
    free_[frees_] = number(d);
    frees_ += !carries_more;
    out.record = carries_more ? d.record : kNoRecord;
    return out;
  }
  // A packet on its way, as a whole.
  Packet packet(const Descriptor& d) const { return {d, d.has_record() ? body(d) : PacketBody{}}; }
  const PacketBody& body(const Descriptor& d) const { return records_[number(d)].body; }

  // Copies all that a packet carries beside its body to `to`, no more than kMostPacked bytes. Returns what follows.
  char* pack(const Descriptor& d, char* to) {
    if (d.has_telemetry()) to = pack_telemetry(telemetry(d), to);
    if ((d.flags & kSack) != 0) to = pack_object(sack(d), to);
    if ((d.flags & kAsksCredit) != 0) to = pack_object(told_size(d), to);
    if (d.has_path_note()) to = pack_object(path_note(d), to);
    return to;
  }
  static constexpr std::size_t kMostPacked = sizeof(Telemetry) + sizeof(Sack) + sizeof(std::int64_t) + sizeof(PathNote);
  // Gives a packet that has no record here what pack() has copied. Returns what follows there.
  const char* unpack(Packet& packet, const char* from) {
    if (packet.has_telemetry()) {
      add_telemetry(packet);
      from = unpack_telemetry(telemetry(packet), from);
    }
    if ((packet.flags & kSack) != 0) from = unpack_object(add_sack(packet), from);
    if ((packet.flags & kAsksCredit) != 0) {
      std::int64_t size = 0;
      from = unpack_object(size, from);
      tell_size(packet, size);
    }
    if (packet.has_path_note()) {
      if (!packet.has_record()) packet.record = take();
      from = unpack_object(path_note(packet), from);
    }
    return from;
  }

  // The number of records that packets have.
  std::uint32_t in_use() const { return static_cast<std::uint32_t>(records_.size()) - frees_; }
  // Prefetches the telemetry of a packet that has it.
  void prefetch_telemetry(const Descriptor& d) const {
    const auto* first = reinterpret_cast<const char*>(&telemetry(d));
    prefetch_line(first);
    prefetch_line(first + 64);
  }
  // Prefetches the record of a packet, if it has one.
  void prefetch(const Descriptor& d) const {
    if (d.has_record()) prefetch_line(&records_[number(d)]);
  }

  // Archives the records that packets have, and no others: how many others there are depends on the order of turns.
  // Throws InputError.
  template <class A>
  void archive(A& a) {
    std::vector<std::uint32_t> used;
    if constexpr (!A::kLoads) used = numbers_in_use();
    a.values(used);
    if constexpr (A::kLoads) take_only(used);
    for (const std::uint32_t i : used) a.value(records_[i]);
    telemetry_.archive(a, used, records_.size());
    sizes_.archive(a, used, records_.size());
    notes_.archive(a, used, records_.size());
  }

 private:
  struct alignas(64) Record {
    PacketBody body;
    Sack sack;  // of an acknowledgement that has it
  };

  // What only some packets have, by the numbers of their records. Memory is taken when the first of them has it.
  template <class T>
  class Some {
   public:
    T& operator[](std::uint32_t i) { return of_[i]; }
    const T& operator[](std::uint32_t i) const { return of_[i]; }
    // That of record i, of this number of records.
    T& make(std::uint32_t i, std::size_t records) {
      if (i >= of_.size()) [[unlikely]]
        grow(records);
      return of_[i];
    }
    // Of these records.
    template <class A>
    void archive(A& a, const std::vector<std::uint32_t>& used, std::size_t records) {
      a.value(any_);
      if (!any_) return;
      if (of_.size() < records) grow(records);
      for (const std::uint32_t i : used) a.value(of_[i]);
    }

   private:
    [[gnu::cold]] void grow(std::size_t records) {
      any_ = true;
      of_.resize(records);
    }
    ZeroedArray<T> of_;
    bool any_ = false;  // a packet has had it
  };

  template <class T>
  static char* pack_object(const T& object, char* to) {
    std::memcpy(to, &object, sizeof(T));
    return to + sizeof(T);
  }
  template <class T>
  static const char* unpack_object(T& object, const char* from) {
    std::memcpy(&object, from, sizeof(T));
    return from + sizeof(T);
  }
  // Of telemetry, its path and the hops that there are. The hops that most packets have are copied at once, which takes
  // a few instructions, and others if there are more.
  static char* pack_telemetry(const Telemetry& telemetry, char* to) {
    copy_telemetry(to, &telemetry, telemetry.hops);
    return to + size_of_telemetry(telemetry.hops);
  }
  static const char* unpack_telemetry(Telemetry& telemetry, const char* from) {
    std::uint64_t hops = 0;
    std::memcpy(&hops, from + offsetof(Telemetry, hops), sizeof(hops));
    copy_telemetry(&telemetry, from, hops);
    return from + size_of_telemetry(hops);
  }
  static std::size_t size_of_telemetry(std::uint64_t hops) {
    return offsetof(Telemetry, hop) + hops * sizeof(HopTelemetry);
  }
  static void copy_telemetry(void* to, const void* from, std::uint64_t hops) {
    constexpr std::size_t kUsual = offsetof(Telemetry, hop) + 4 * sizeof(HopTelemetry);
    std::memcpy(to, from, kUsual);
    if (const std::size_t size = size_of_telemetry(hops); size > kUsual) [[unlikely]]
      std::memcpy(static_cast<char*>(to) + kUsual, static_cast<const char*>(from) + kUsual, size - kUsual);
  }

  // The number of a descriptor's record.
  static std::uint32_t number(const Descriptor& d) { return d.record & ~kHasTelemetry; }
  std::uint32_t take() {
    if (frees_ == 0) [[unlikely]]
      grow();
    return free_[--frees_];
  }
  [[gnu::cold]] void grow() { grow_to(records_.size() == 0 ? 64 : 2 * records_.size()); }
  // Makes new records, all of them free; the first of them is taken next. Not inline in what is cold, where it would be
  // compiled to be short, and copy one record after the other.
  [[gnu::noinline]] void grow_to(std::size_t size) {
    const auto n = static_cast<std::uint32_t>(records_.size());
    records_.resize(size);
    free_.resize(size + 1);  // load() writes beyond the last one
    while (n + frees_ < size) {
      free_[frees_] = static_cast<std::uint32_t>(size) - 1 - frees_;
      ++frees_;
    }
  }

  // In ascending order.
  std::vector<std::uint32_t> numbers_in_use() const {
    std::vector<bool> is_free(records_.size());
    for (std::uint32_t i = 0; i < frees_; ++i) is_free[free_[i]] = true;
    std::vector<std::uint32_t> out;
    out.reserve(in_use());
    for (std::uint32_t i = 0; i < is_free.size(); ++i)
      if (!is_free[i]) out.push_back(i);
    return out;
  }
  // Makes records up to the last one of `used`, which packets have; all others are free. Throws InputError.
  void take_only(const std::vector<std::uint32_t>& used) {
    *this = {};
    if (std::adjacent_find(used.begin(), used.end(), std::greater_equal<>()) != used.end())
      throw InputError("the checkpoint has packets that share a record");
    if (!used.empty() && used.back() >= kNoRecord) throw InputError("the checkpoint has a record that is not possible");
    if (!used.empty()) grow_to(std::max<std::size_t>(64, std::bit_ceil(std::size_t{used.back()} + 1)));
    std::vector<bool> is_used(records_.size());
    for (const std::uint32_t i : used) is_used[i] = true;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < frees_; ++i)
      if (!is_used[free_[i]]) free_[kept++] = free_[i];
    frees_ = kept;
  }

  ZeroedArray<Record> records_;
  Some<Telemetry> telemetry_;        // of the measured packets
  Some<std::int64_t> sizes_;         // of the flows of those that ask for credits
  Some<PathNote> notes_;             // of those that switches write on
  ZeroedArray<std::uint32_t> free_;  // the first `frees_`: those that no packet has, the next one to be taken last
  std::uint32_t frees_ = 0;
};

}  // namespace weir::net
