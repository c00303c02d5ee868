// A ring of packets, and choices between two rings without a branch.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "weir/net/link/packet.h"

namespace weir::net {

// All bits, or none: for a choice that depends on the classes of packets, or on how many wait, and that no branch could
// foresee.
constexpr std::uint32_t bits_if(bool condition) { return 0 - static_cast<std::uint32_t>(condition); }
constexpr std::uint32_t choose_if(bool condition, std::uint32_t a, std::uint32_t b) {
  return b ^ ((a ^ b) & bits_if(condition));
}
// The same of two objects.
template <class T>
T& choose_object_if(bool condition, T& a, T& b) {
  const auto at_a = reinterpret_cast<std::uintptr_t>(&a);
  const auto at_b = reinterpret_cast<std::uintptr_t>(&b);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return *reinterpret_cast<T*>(at_b + (at_a - at_b) * static_cast<std::uintptr_t>(condition));
}

// A growing ring of descriptors of packets; positions are absolute and wrap at 2^32. It never shrinks and
// never allocates once it has seen its largest content.
class PacketRing {
 public:
  PacketRing() = default;
  PacketRing(PacketRing&& o) noexcept : data_(o.data_), mask_(o.mask_), head(o.head), tail(o.tail), cursor(o.cursor) {
    o.data_ = nullptr;
    o.mask_ = kFew;
    o.head = o.tail = o.cursor = 0;
  }
  PacketRing& operator=(PacketRing&&) = delete;
  ~PacketRing() { release(); }

  bool empty() const { return head == tail; }
  std::uint32_t size() const { return tail - head; }
  Descriptor& operator[](std::uint32_t at) { return data_[at & mask_]; }
  const Descriptor& operator[](std::uint32_t at) const { return data_[at & mask_]; }
  Descriptor& front() { return data_[head & mask_]; }
  const Descriptor& front() const { return data_[head & mask_]; }

  // If it is empty, begins again at the first place, which is likely to be in a cache still.
  void rewind_if_empty() {
    const std::uint32_t kept = bits_if(!empty());
    head &= kept;
    tail &= kept;
    cursor &= kept;
  }
  // The same, and room for one more packet at the tail; without a branch, where none could foresee whether it is empty.
  Descriptor& append() {
    if (!empty()) {
      if (size() > mask_) [[unlikely]]
        grow();
      return data_[tail++ & mask_];
    }
    if (data_ == nullptr) [[unlikely]]
      grow();
    head = cursor = 0;
    tail = 1;
    return *data_;
  }
  Descriptor& append_without_branch() {
    rewind_if_empty();
    return push();
  }

  // How many packets there will probably be, while there are none yet.
  void expect(std::uint32_t packets) {
    if (data_ == nullptr) mask_ = std::max(kFew, std::bit_ceil(packets) / 2 - 1);
  }

  // Room for one more packet at the tail.
  Descriptor& push() {
    if (data_ == nullptr || size() > mask_) grow();
    return data_[tail++ & mask_];
  }
  void pop() { ++head; }

  // The places of a ring and its positions, apart from it.
  struct View {
    Descriptor* places;
    std::uint32_t mask;
    std::uint32_t room;  // how many places; none at first
    std::uint32_t head;
    std::uint32_t tail;
    std::uint32_t cursor;

    Descriptor& operator[](std::uint32_t at) const { return places[at & mask]; }
    // Room for one more packet at the tail of a view that is not full. Whoever makes the view rewinds the ring before.
    Descriptor& append() { return places[tail++ & mask]; }
    Descriptor& append_without_branch() { return append(); }
    bool is_full() const { return tail - head == room; }
  };
  View view() const { return {data_, mask_, data_ == nullptr ? 0 : mask_ + 1, head, tail, cursor}; }
  // The positions of a view; the places are those that the ring had.
  void move_to(const View& v) {
    assert(v.places == data_);
    head = v.head;
    tail = v.tail;
    cursor = v.cursor;
  }

  // Places begin at the first one when it is loaded; `mark` is a position that moves with them.
  template <class A>
  void archive(A& a, std::uint32_t* mark = nullptr) {
    const auto n = static_cast<std::uint32_t>(a.length(size(), std::uint32_t{1} << 31));
    std::uint32_t ahead = mark != nullptr ? *mark - head : 0;
    a.value(ahead);
    if constexpr (A::kLoads) {
      head = tail = 0;
      for (std::uint32_t i = 0; i < n; ++i) a.value(push());
      if (mark != nullptr) *mark = ahead;
    } else {
      for (std::uint32_t at = head; at != tail; ++at) a.value((*this)[at]);
    }
  }
  // Where the packet at this position is or would be, for prefetching only: a ring that never held
  // a packet has no places, so this is the sum of two numbers, not of a pointer.
  const void* address(std::uint32_t at) const {  // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(data_) + (at & mask_) * sizeof(Descriptor));
  }
  // The same for the place of the next packet to come.
  const void* next_place() const { return address(tail & bits_if(!empty())); }

 private:
  static constexpr std::uint32_t kFew = 3;
  [[gnu::cold]] void grow();
  void release();

  Descriptor* data_ = nullptr;
  std::uint32_t mask_ = kFew;  // places - 1; at first that of half the places to come

 public:
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t cursor = 0;  // of a port's ring: the first packet that has not begun to leave
};
static_assert(sizeof(PacketRing) == 24);

}  // namespace weir::net
