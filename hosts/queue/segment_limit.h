// How large the super-packets are that TCP hands to an interface (gso_max_size).
#pragma once

#include <cstdint>
#include <string>

#include "hosts/path/undo.h"

namespace weir::hosts {

class SegmentLimit {
 public:
  // From now on at most so many bytes; what is smaller already stays. Connections that are open keep theirs until their
  // route is looked up anew. Throws std::system_error.
  SegmentLimit(const std::string& interface, std::uint32_t bytes, const BeforeChange& before_change);
  ~SegmentLimit();
  SegmentLimit(SegmentLimit&& other) noexcept;
  SegmentLimit& operator=(SegmentLimit&&) = delete;

  bool changed() const { return before_ != 0; }
  // What undoes it.
  const Undo& undo() const { return undo_; }
  // As it was, if the interface is still there. Throws std::system_error.
  void put_back();

 private:
  std::uint32_t before_ = 0;  // 0: not changed
  Undo undo_;
};

}  // namespace weir::hosts
