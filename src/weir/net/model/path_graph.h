// All shortest paths of a pair of hosts, and least times over them.
//
// All have the same number of links, so that these come in stages: the host's own, those from its switches on, and so
// on to the other host's. Every path takes one link of each stage. Where the ways from the ports of a host differ in
// length, only those of least length count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/net/model/routing.h"

namespace weir::net {

// Picoseconds beyond the range of Time: the largest flow over the slowest link.
using WideTime = __int128;
inline constexpr WideTime kNever = WideTime{1} << 120;
// The next Time; Time::max() if it is later than that.
constexpr Time saturated(WideTime t) { return t < Time::max().ps ? Time{static_cast<std::int64_t>(t)} : Time::max(); }

class PathGraph {
 public:
  // A link of a stage, from one of the nodes before it to one of those behind, which are counted from 0.
  struct Hop {
    const Link* link;
    std::uint32_t from;
    std::uint32_t to;
  };
  using Stage = std::vector<Hop>;

  // src != dst.
  PathGraph(const Routing& routing, std::uint32_t src, std::uint32_t dst);

  const std::vector<Stage>& stages() const { return stages_; }

  // Carries a value from one host over each link to the other host: cross(value, link) gives what it is behind a link,
  // join(into, value) adds it to those of other links to the same node, of which `none` is the first.
  template <class V, class Cross, class Join>
  V carry(V first, const V& none, Cross&& cross, Join&& join) const {
    std::vector<V> here{std::move(first)};
    for (std::size_t k = 0; k < stages_.size(); ++k) {
      std::vector<V> there(nodes_[k], none);
      for (const Hop& hop : stages_[k]) join(there[hop.to], cross(here[hop.from], *hop.link));
      here = std::move(there);
    }
    return std::move(here.front());
  }

  // The least time from the first bit sent until a packet of this size stands whole at one of the nodes before a stage,
  // by stage, and one more for the end.
  std::vector<WideTime> least_until(Bytes wire) const;
  // The least time from one of these nodes to the receipt.
  std::vector<WideTime> least_from(Bytes wire) const;

 private:
  std::vector<Stage> stages_;
  std::vector<std::uint32_t> nodes_;  // behind each stage
};

}  // namespace weir::net
