#include "weir/base/large_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "weir/base/sanitized.h"

namespace weir {

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kPage = std::size_t{2} << 20;
constexpr std::size_t kLargest = kPage / 2;  // of what is cut from a chunk
constexpr std::size_t kColoured = 1024;

constexpr bool kPlain = WEIR_SANITIZED;  // sanitizers shall see each block

std::atomic<std::uint64_t> taken{0};

std::size_t room_of(std::size_t bytes) { return std::bit_ceil(std::max(bytes, kLine)); }

// Wishes, which Linux alone knows: without them all works as well, only slower.
void wish_large_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  madvise(at, bytes, MADV_HUGEPAGE);
#endif
}
void wish_small_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_NOHUGEPAGE
  madvise(at, bytes, MADV_NOHUGEPAGE);
#endif
}

// Whole pages of the system's, large ones if it can.
void* map_pages(std::size_t bytes) {
  const std::size_t wide = bytes + kPage;
  void* const at = mmap(nullptr, wide, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(at);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(first) % kPage;
  if (before != 0) munmap(first, before);
  munmap(first + before + bytes, kPage - before);
  wish_large_pages(first + before, bytes);
  return first + before;
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

class Blocks {
 public:
  void* take(std::size_t room) {
    const std::lock_guard lock(mutex_);
    if (Free*& first = free_[static_cast<std::size_t>(std::countr_zero(room))]; first != nullptr) {
      Free* const block = first;
      first = block->next;
      return block;
    }
    // Blocks of one size shall not begin at the same sets of a cache.
    const std::size_t stride = room < kColoured ? room : room + kLine;
    if (left_ < stride) {
      while (left_ >= kLine) cut(std::bit_floor(left_));
      next_ = static_cast<std::byte*>(map_pages(kPage));
      left_ = kPage;
    }
    void* const block = next_;
    next_ += stride;
    left_ -= stride;
    return block;
  }

  void give(void* block, std::size_t room) {
    const std::lock_guard lock(mutex_);
    put(block, room);
  }

 private:
  struct Free {
    Free* next;
  };

  void put(void* block, std::size_t room) {
    Free*& first = free_[static_cast<std::size_t>(std::countr_zero(room))];
    first = new (block) Free{first};
  }

  void cut(std::size_t room) {
    put(next_, room);
    next_ += room;
    left_ -= room;
  }

  std::mutex mutex_;
  std::array<Free*, 64> free_{};  // by log2 of the room
  std::byte* next_ = nullptr;     // of the last chunk
  std::size_t left_ = 0;
};

Blocks& blocks() {
  static auto* const all = new Blocks;  // never destroyed: containers may outlive main
  return *all;
}

}  // namespace

std::uint64_t large_page_blocks_taken() { return taken.load(std::memory_order_relaxed); }

void* take_large_page_block(std::size_t bytes) {
  taken.fetch_add(1, std::memory_order_relaxed);
  if (kPlain) {
    void* const block = std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  return bytes > kLargest ? map_pages(whole_pages(bytes)) : blocks().take(room_of(bytes));
}

void give_large_page_block(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  if (kPlain)
    std::free(block);
  else if (bytes > kLargest)
    munmap(block, whole_pages(bytes));
  else
    blocks().give(block, room_of(bytes));
}

void* take_zeros(std::size_t bytes, bool sparse) {
  if (bytes == 0) return nullptr;
  if (!sparse) {
    void* const block = take_large_page_block(bytes);
    // Fresh pages are zeros already.
    if (kPlain || bytes <= kLargest) std::memset(block, 0, bytes);
    return block;
  }
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  wish_small_pages(at, bytes);  // a large one that is written to in one place takes 2 MiB
  return at;
}

void give_zeros(void* zeros, std::size_t bytes, bool sparse) noexcept {
  if (zeros == nullptr) return;
  if (sparse)
    munmap(zeros, bytes);
  else
    give_large_page_block(zeros, bytes);
}

}  // namespace weir
