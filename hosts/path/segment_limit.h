// How large the super-packets are that TCP hands to an interface (gso_max_size).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hosts/path/netlink.h"
#include "hosts/path/undo.h"

namespace weir::hosts {

class SegmentLimit {
 public:
  // From now on at most so many bytes; what is smaller already stays. Connections that are open keep theirs until their
  // route is looked up anew. `netlink` must live on. Throws std::system_error.
  SegmentLimit(Netlink& netlink, const std::string& interface, std::uint32_t bytes, const BeforeChange& before_change);
  ~SegmentLimit();
  SegmentLimit(SegmentLimit&& other) noexcept;
  SegmentLimit& operator=(SegmentLimit&&) = delete;

  // What undoes it, to be carried out from the last step to the first; empty: nothing was changed.
  const std::vector<Undo>& undo() const { return undo_; }
  // As it was, if the interface is still there. Throws std::system_error.
  void put_back();

 private:
  Netlink* netlink_;
  Link before_;
  std::vector<Undo> undo_;
  bool changed_ = false;
};

}  // namespace weir::hosts
