// Asking for a cache line before it is needed.
#pragma once

#include <cstdint>

namespace weir {

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
