// A network whose flows come and go: which flows are on a link and which links a flow crosses, in flat arrays.
//
// Adding and removing a flow costs as much as its path is long. Whoever adds a flow chooses its number, best a small
// one: arrays reach up to the largest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/base/prefetch.h"

namespace weir::theory {

class LiveNetwork {
 public:
  // Stands for no link.
  static constexpr std::uint32_t kNoLink = ~std::uint32_t{0};
  // A link that a flow crosses, and the share of its rate that the link carries, > 0.
  struct Use {
    std::uint32_t link = 0;
    std::uint32_t place = 0;  // where the link's list has the flow; add() sets it
    double share = 1;
  };
  // A flow on a link.
  struct On {
    std::uint32_t flow = 0;
    std::uint32_t use = 0;  // where its use of the link stands
    double share = 1;
  };

  // By link, > 0.
  explicit LiveNetwork(std::vector<double> capacities);

  // At least one link, and none twice; no flow of this number is present.
  void add(std::uint32_t flow, std::span<const Use> path);
  void remove(std::uint32_t flow);

  double capacity(std::uint32_t link) const { return capacities_[link]; }
  std::size_t links() const { return capacities_.size(); }
  // All flows have smaller ones.
  std::uint32_t numbers() const { return static_cast<std::uint32_t>(flows_.size()); }
  bool is_present(std::uint32_t flow) const { return flows_[flow].length > 0; }
  std::span<const Use> path(std::uint32_t flow) const {
    return {pool_.data() + flows_[flow].first, flows_[flow].length};
  }
  std::span<const On> on(std::uint32_t link) const { return on_[link]; }
  // Before remove(): bring near what it looks at, each a little later than the one before.
  void look_ahead(std::uint32_t flow) const { prefetch_line(&flows_[flow]); }
  void look_at_path(std::uint32_t flow) const { prefetch_line(path(flow).data()); }
  void look_at_links(std::uint32_t flow) const {
    for (const Use& use : path(flow)) prefetch_line(&on_[use.link][use.place]);
  }

 private:
  // A flow's uses stand in a block of the pool, which another flow of as many links may have later.
  struct Block {
    std::uint32_t first = 0;
    std::uint32_t length = 0;  // 0: no flow has this number
  };
  std::uint32_t block_of(std::uint32_t length);

  std::vector<double> capacities_;
  std::vector<LargePageVector<On>> on_;  // by link
  LargePageVector<Block> flows_;
  LargePageVector<Use> pool_;
  std::vector<std::vector<std::uint32_t>> free_blocks_;  // by length
};

}  // namespace weir::theory
