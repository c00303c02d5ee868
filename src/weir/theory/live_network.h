// A network whose flows come and go: which flows are on a link and which links a flow crosses, in flat arrays.
//
// Adding and removing a flow costs as much as its path is long. A flow keeps its number while it is there; numbers of
// flows that have left are given again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::theory {

class LiveNetwork {
 public:
  // A link that a flow crosses, and the share of its rate that the link carries, > 0.
  struct Use {
    std::uint32_t link = 0;
    std::uint32_t place = 0;  // where the link's list has the flow; add() sets it
    double share = 1;
  };
  // A flow on a link.
  struct On {
    std::uint32_t flow = 0;
    std::uint32_t use = 0;  // which of its uses
    double share = 1;
  };

  // By link, > 0.
  explicit LiveNetwork(std::vector<double> capacities);

  // At least one link, and none twice. Returns the flow's number.
  std::uint32_t add(std::span<const Use> path);
  void remove(std::uint32_t flow);

  double capacity(std::uint32_t link) const { return capacities_[link]; }
  std::size_t links() const { return capacities_.size(); }
  // Numbers are below this.
  std::uint32_t numbers() const { return static_cast<std::uint32_t>(flows_.size()); }
  std::uint32_t flows() const { return present_; }
  bool is_present(std::uint32_t flow) const { return flows_[flow].length > 0; }
  std::span<const Use> path(std::uint32_t flow) const {
    return {pool_.data() + flows_[flow].first, flows_[flow].length};
  }
  std::span<const On> on(std::uint32_t link) const { return on_[link]; }

 private:
  // A flow's uses stand in a block of the pool, whose room is a power of two.
  struct Block {
    std::uint32_t first = 0;
    std::uint32_t length = 0;  // 0: no flow has this number
  };
  std::uint32_t block_of(std::uint32_t length);

  std::vector<double> capacities_;
  std::vector<std::vector<On>> on_;  // by link
  std::vector<Block> flows_;
  std::vector<std::uint32_t> free_numbers_;
  std::vector<Use> pool_;
  std::array<std::vector<std::uint32_t>, 33> free_blocks_;  // by the logarithm of their room
  std::uint32_t present_ = 0;
};

}  // namespace weir::theory
