// What the ranks of a run decide together, between calls of Engine::advance(). All functions are collective. In a run
// of one process, each gives the process's own answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "weir/engine/parallel/ranks.h"

namespace weir::run {

class Lockstep {
 public:
  // `ranks` is null if there is one process.
  explicit Lockstep(engine::Ranks* ranks) : ranks_(ranks) {}

  // The value of rank 0.
  std::int64_t of_first(std::int64_t own) const {
    return ranks_ == nullptr ? own
                             : static_cast<std::int64_t>(engine::gather(*ranks_, static_cast<std::uint64_t>(own))[0]);
  }
  bool any(bool own) const {
    if (ranks_ == nullptr) return own;
    for (const std::uint64_t of_rank : engine::gather(*ranks_, std::uint64_t{own}))
      if (of_rank != 0) return true;
    return false;
  }
  std::uint64_t sum(std::uint64_t own) const {
    if (ranks_ == nullptr) return own;
    std::uint64_t out = 0;
    for (const std::uint64_t of_rank : engine::gather(*ranks_, own)) out += of_rank;
    return out;
  }
  // The text of the first rank that has one, with its number; "" = none has.
  std::string first_text(const std::string& own) const {
    if (ranks_ == nullptr || !any(!own.empty())) return own;
    const auto all = engine::gather(*ranks_, std::string_view(own));
    for (std::size_t r = 0; r < all.size(); ++r)
      if (!all[r].empty()) return fmt::format("rank {} of {}: {}", r, all.size(), all[r]);
    return "";
  }

 private:
  engine::Ranks* const ranks_;
};

}  // namespace weir::run
