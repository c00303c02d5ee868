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
#include <functional>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/large_pages.h"
#include "weir/base/prefetch.h"
#include "weir/base/telemetry.h"
#include "weir/net/link/packet.h"

namespace weir::net {

// The store of a partition. At a host, a packet has a record only if it carries telemetry or a Sack.
class PacketStore {
 public:
  // Gives a packet that has no record one, with room for telemetry.
  void add_telemetry(Packet& packet) {
    const std::uint32_t i = take();
    if (i >= telemetry_.size()) [[unlikely]]
      keep_telemetry();
    telemetry_[i].path = 0;
    telemetry_[i].hops = 0;
    packet.record = i | kHasTelemetry;
  }
  // The telemetry of a packet that has it.
  Telemetry& telemetry(const Descriptor& d) { return telemetry_[number(d)]; }
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
  // Reads a packet whose way ends here, as it has reached a host or another partition, or is lost. Its record is freed
  // unless it carries telemetry or a Sack.
  Packet load(const Descriptor& d) {
    Packet out{d, body(d)};
    const bool carries_more = d.has_telemetry() || (d.flags & kSack) != 0;
    free_[frees_] = number(d);
    frees_ += !carries_more;
    out.record = carries_more ? d.record : kNoRecord;
    return out;
  }
  // A packet on its way, as a whole.
  Packet packet(const Descriptor& d) const { return {d, d.has_record() ? body(d) : PacketBody{}}; }
  const PacketBody& body(const Descriptor& d) const { return records_[number(d)].body; }

  // The number of records that packets have.
  std::uint32_t in_use() const { return static_cast<std::uint32_t>(records_.size()) - frees_; }
  // Prefetches the telemetry of a packet that has it.
  void prefetch_telemetry(const Descriptor& d) const {
    const auto* first = reinterpret_cast<const char*>(&telemetry_[number(d)]);
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
    a.value(has_telemetry_);
    if (has_telemetry_ && telemetry_.size() < records_.size()) keep_telemetry();
    for (const std::uint32_t i : used) {
      a.value(records_[i]);
      if (has_telemetry_) a.value(telemetry_[i]);
    }
  }

 private:
  struct alignas(64) Record {
    PacketBody body;
    Sack sack;  // of an acknowledgement that has it
  };

  // The number of a descriptor's record.
  static std::uint32_t number(const Descriptor& d) { return d.record & ~kHasTelemetry; }
  std::uint32_t take() {
    if (frees_ == 0) [[unlikely]]
      grow();
    return free_[--frees_];
  }
  [[gnu::cold]] void keep_telemetry() {
    has_telemetry_ = true;
    telemetry_.resize(records_.size());
  }
  [[gnu::cold]] void grow() { grow_to(records_.size() == 0 ? 64 : 2 * records_.size()); }
  // Makes new records, all of them free; the first of them is taken next.
  void grow_to(std::size_t size) {
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
  ZeroedArray<Telemetry> telemetry_;  // of the measured packets, by the same numbers
  bool has_telemetry_ = false;        // a packet has had telemetry
  ZeroedArray<std::uint32_t> free_;   // the first `frees_`: those that no packet has, the next one to be taken last
  std::uint32_t frees_ = 0;
};

}  // namespace weir::net
