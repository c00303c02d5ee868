// Asking for a cache line before it is needed.
#pragma once

#include <cstdint>

namespace weir {

// In a network with more ports than about this, ports and their rings stay in none of a core's own caches.
inline constexpr std::uint32_t kPortsInCache = 4096;

// A hint; any address will do. The empty asm keeps the hint: g++ 12 takes a function that only
// prefetches for one without effect, and drops the calls of it.
inline void prefetch_line(const void* p) {
  __builtin_prefetch(p);
  asm volatile("");
}

// The lines of an object.
template <class T>
inline void prefetch_object(const T* p) {
  for (unsigned at = 0; at < sizeof(T); at += 64) prefetch_line(reinterpret_cast<const char*>(p) + at);
}

}  // namespace weir
