// A loop whose turns are done by several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace weir::learn {

// Calls work(i) for each i below `count`, on up to `threads` threads, of which the calling one is one. It returns when
// all are done. If some throw, it throws what the one with the least i threw; the others are done all the same.
void parallel_for(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace weir::learn
