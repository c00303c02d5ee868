// Memory for what a run touches all the time, out of large pages where the system has them.
//
// A network of a thousand hosts has its packets, ports and events spread over more pages of 4 KiB than a processor
// keeps translations of; each look at a packet then begins with a walk through page tables. Blocks are cut from chunks
// of 2 MiB, given back by size, and never returned to the system. Any thread may take and give.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace weir {

// A block of at least this many bytes, at a multiple of 64. Throws std::bad_alloc.
void* take_large_page_block(std::size_t bytes);
// `bytes` as it was asked for; null is allowed.
void give_large_page_block(void* block, std::size_t bytes) noexcept;

// How many have been taken so far, by all threads: for tests of what allocates.
std::uint64_t large_page_blocks_taken();

// So many bytes of zeros. With `sparse` what nobody writes to takes no memory: pages are small ones of the system's,
// each provided when it is first written to. Else they are as above. Throws std::bad_alloc.
void* take_zeros(std::size_t bytes, bool sparse);
void give_zeros(void* zeros, std::size_t bytes, bool sparse) noexcept;

// An array of objects of which zeros are a value.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  ZeroedArray() = default;
  ZeroedArray(std::size_t size, bool sparse)
      : first_(static_cast<T*>(take_zeros(size * sizeof(T), sparse))), size_(size), sparse_(sparse) {}
  ZeroedArray(ZeroedArray&& o) noexcept { *this = std::move(o); }
  ZeroedArray& operator=(ZeroedArray&& o) noexcept {
    std::swap(first_, o.first_);
    std::swap(size_, o.size_);
    std::swap(sparse_, o.sparse_);
    return *this;
  }
  ~ZeroedArray() { give_zeros(first_, size_ * sizeof(T), sparse_); }

  std::size_t size() const { return size_; }
  T* data() { return first_; }
  const T* data() const { return first_; }
  T& operator[](std::size_t i) { return first_[i]; }
  const T& operator[](std::size_t i) const { return first_[i]; }

  // Copies those that there are; zeros follow. The zeros of a large array take memory only when they are written to.
  void resize(std::size_t size) {
    ZeroedArray other(size, sparse_);
    if (const std::size_t kept = std::min(size, size_); kept != 0) std::memcpy(other.first_, first_, kept * sizeof(T));
    *this = std::move(other);
  }

 private:
  T* first_ = nullptr;
  std::size_t size_ = 0;
  bool sparse_ = false;
};

// The same for containers, those of pointers too (what clang-tidy takes for a mistake).
template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class U>
  LargePageAllocator(const LargePageAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(take_large_page_block(n * sizeof(T))); }  // NOLINT
  void deallocate(T* p, std::size_t n) noexcept { give_large_page_block(p, n * sizeof(T)); }    // NOLINT
  bool operator==(const LargePageAllocator&) const = default;
};

template <class T>
using LargePageVector = std::vector<T, LargePageAllocator<T>>;

}  // namespace weir
