// The driver of an all-reduce in three parts, chunk by chunk: each server adds up what its GPUs have, so that each GPU
// has the sum of its share; GPUs of equal places of all servers do an all-reduce of that; and each server spreads the
// sums. NCCL's NVLS tree is the one whose servers' switches add up and spread, with trees across.
//
// Within a server of g GPUs, a chunk of S bytes:
//
//   ring    reduce-scatter and all-gather, g - 1 steps each, of S/g
//   switch  a GPU reads its share of all g through the switch, and spreads the sum by one message. Both together take
//           what an all-reduce in a switch does (traffic/direct_driver.h), (g + 1) / g S each way, and as one way of a
//           link is busy with the reading of a chunk while the other is with the spreading of another, half of that
//           counts for each: an exchange of so much among all GPUs
//
// Across N servers, a share of s bytes:
//
//   ring    2 (N - 1) steps of s/N
//   tree    up and down two binary trees (traffic/double_tree.h), s/2 by each
//
// With rings in both parts this is traffic/schedule.h's hierarchical all-reduce, which has a driver of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "weir/traffic/collective_driver.h"
#include "weir/traffic/double_tree.h"

namespace weir::traffic {

class HierarchyDriver final : public CollectiveDriver {
 public:
  HierarchyDriver(const Collective& collective, const Context& context, const CollectivePlan& plan,
                  std::uint32_t group);
  std::unique_ptr<Driver> clone() const override { return std::make_unique<HierarchyDriver>(*this); }

 private:
  static constexpr std::uint32_t kTrees = 2;
  enum class Phase : std::uint8_t { adds_up, across, spreads };

  // Of a rank and a chunk.
  struct Come {
    std::uint32_t near = 0;  // messages of the first part
    bool is_added_up = false;
    std::uint32_t steps = 0;       // of a ring across: received ...
    std::uint32_t sent = 0;        // ... and sent
    std::uint8_t below[kTrees]{};  // of a tree: what has come from below, this rank's own included
    std::uint8_t trees = 0;        // that have brought the sum
    bool spreads = false;
    std::uint32_t spread = 0;  // messages of the last part
  };
  // What the word of a message says.
  struct Where {
    Phase phase = Phase::adds_up;
    std::uint32_t tree = 0;
    bool goes_down = false;
    std::uint32_t step = 0;
  };
  static Where where_of(std::uint64_t word);

  std::uint32_t gpus() const { return collective().group; }
  std::uint32_t servers() const { return ranks() / gpus(); }
  bool by_switch() const { return collective().within == Within::in_switch; }
  bool by_trees() const { return collective().across == Across::tree; }
  std::uint32_t ring_steps() const { return 2 * (servers() - 1); }
  Bytes size_of(std::uint32_t chunk) const;
  // What a GPU has the sum of when its server has added up.
  Bytes share(std::uint32_t rank, std::uint32_t chunk) const;
  // To the k-th other GPU of the server: in the k-th step, or at once.
  Send near_message(std::uint32_t rank, std::uint32_t chunk, Phase phase, std::uint32_t k) const;
  Send ring_message(std::uint32_t rank, std::uint32_t chunk, std::uint32_t step) const;
  // To the rank of the same place in this server.
  Send tree_message(std::uint32_t rank, std::uint32_t chunk, std::uint32_t tree, bool down, std::uint32_t server,
                    std::uint32_t peer) const;
  Branches branches(std::uint32_t rank, std::uint32_t tree) const;
  TreePlace place(std::uint32_t rank, std::uint32_t tree) const { return double_tree(rank / gpus(), servers(), tree); }

  Come& come(std::uint32_t rank, std::uint32_t chunk);
  void begin_chunk(Desk& desk, std::uint32_t rank, std::uint32_t chunk);
  void go_near(Desk& desk, std::uint32_t rank, std::uint32_t chunk, Phase phase, std::uint32_t step);
  void added_up(Desk& desk, std::uint32_t rank, std::uint32_t chunk);
  // That of what has come by a ring across.
  void free_in_ring(Desk& desk, std::uint32_t rank) const;
  void go_round(Desk& desk, std::uint32_t rank, std::uint32_t chunk);
  void climb(Desk& desk, std::uint32_t rank, std::uint32_t chunk, std::uint32_t tree);
  void descend(Desk& desk, std::uint32_t rank, std::uint32_t chunk, std::uint32_t tree);
  void spread(Desk& desk, std::uint32_t rank, std::uint32_t chunk);
  void look_at_end(Desk& desk, std::uint32_t rank, std::uint32_t chunk);

  void start(Desk& desk, std::uint32_t rank) override;
  void go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) override;
  void begun(Desk& desk, std::uint32_t rank, const Send& message) override;
  std::uint64_t moves(std::uint32_t rank) const override;
  Bytes payload() const override;
  std::uint64_t longest() const override;
  void each_peer(std::uint32_t rank, const VisitSend& visit) const override;
  void reset_rank(std::uint32_t rank) override { come_[rank].clear(); }
  void archive_rank(Saver& a, std::uint32_t rank) override { a.values(come_[rank]); }
  void archive_rank(Loader& a, std::uint32_t rank) override { a.values(come_[rank]); }

  std::vector<std::vector<Come>> come_;  // by rank, then chunk; empty = nothing has come
};

}  // namespace weir::traffic
