// Records that others name by index, on large pages, reused.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/large_pages.h"

namespace weir {

template <class Record>
class Pool {
 public:
  std::uint32_t take() {
    if (free_.empty()) {
      records_.emplace_back();
      return static_cast<std::uint32_t>(records_.size() - 1);
    }
    const std::uint32_t i = free_.back();
    free_.pop_back();
    return i;
  }
  void give(std::uint32_t i) { free_.push_back(i); }
  Record& operator[](std::uint32_t i) { return records_[i]; }

  template <class A>
  void archive(A& a) {
    a.values(records_);
    a.values(free_);
  }

 private:
  LargePageVector<Record> records_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weir
