// The driver of an all-reduce by two trees at once (traffic/double_tree.h), each with half of the buffer, up to the
// root and down again, chunk by chunk. The ranks of a server form a chain, whose first rank takes part in the trees, as
// in NCCL.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "weir/traffic/collective_driver.h"

namespace weir::traffic {

class TreeDriver final : public CollectiveDriver {
 public:
  TreeDriver(const Collective& collective, const Context& context, const CollectivePlan& plan, std::uint32_t group);
  std::unique_ptr<Driver> clone() const override { return std::make_unique<TreeDriver>(*this); }

 private:
  static constexpr std::uint32_t kTrees = 2;
  enum class Way : std::uint8_t { up, down };

  struct Place {
    std::uint32_t parent = kNone;
    std::array<std::uint32_t, 3> child{};
    std::uint32_t children = 0;
  };
  Place place_of(std::uint32_t rank, std::uint32_t tree, std::uint32_t chunk) const;
  Bytes size_of(std::uint32_t tree, std::uint32_t chunk) const;
  // Ports of the parent in each tree come first, then those of the children.
  std::uint32_t port(std::uint32_t tree, std::uint32_t chunk, std::uint32_t peer) const {
    return (tree + kTrees * peer) * collective().channels + channel_of(chunk);
  }
  Send message_of(std::uint32_t tree, std::uint32_t chunk, Way way, std::uint32_t to, std::uint32_t peer) const;
  Branches branches(std::uint32_t rank, std::uint32_t tree, std::uint32_t chunk) const;
  // All children's sums of this chunk have arrived: adds them up and passes the sum to the parent.
  void pass_up(Desk& desk, std::uint32_t rank, std::uint32_t tree, std::uint32_t chunk);
  void pass_down(Desk& desk, std::uint32_t rank, std::uint32_t tree, std::uint32_t chunk);

  void start(Desk& desk, std::uint32_t rank) override;
  void go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) override;
  void begun(Desk& desk, std::uint32_t rank, const Send& message) override;
  std::uint64_t moves(std::uint32_t rank) const override;
  Bytes payload() const override;
  // From the deepest rank to the root and back.
  std::uint64_t longest() const override;
  void each_peer(std::uint32_t rank, const VisitSend& visit) const override;
  void reset_rank(std::uint32_t rank) override { come_[rank].clear(); }
  void archive_rank(Saver& a, std::uint32_t rank) override { a.values(come_[rank]); }
  void archive_rank(Loader& a, std::uint32_t rank) override { a.values(come_[rank]); }

  std::vector<std::vector<std::uint8_t>> come_;  // by rank, then tree and chunk: number of children's sums received
};

}  // namespace weir::traffic
