// The driver of an all-reduce in three phases, chunk by chunk: each server sums the buffers of its GPUs, so that each
// GPU has the sum of its share; GPUs of the same place in all servers do an all-reduce of that share; each server
// spreads the sums. NCCL's NVLS tree is the variant in which switches sum and spread within servers, with trees between
// them.
//
// Within a server of g GPUs, a chunk of S bytes:
//
//   ring    reduce-scatter and all-gather, g - 1 steps each, of S/g
//   switch  a GPU reads its share from all g GPUs through the switch, and spreads the sum by one message. Both together
//           take as long as an all-reduce in a switch (traffic/direct_driver.h), (g + 1) / g S in each direction. One
//           direction of a link reads one chunk while the other spreads another chunk, so each of the two phases counts
//           as half of that: an exchange of so many bytes among all GPUs
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

  // Progress of one chunk at one rank.
  struct Come {
    std::uint32_t near = 0;  // messages received in the first phase
    bool is_added_up = false;
    std::uint32_t steps = 0;       // of a ring across: received ...
    std::uint32_t sent = 0;        // ... and sent
    std::uint8_t below[kTrees]{};  // by tree: sums from below, this rank's own included
    std::uint8_t trees = 0;        // trees that have delivered the total
    bool spreads = false;
    std::uint32_t spread = 0;  // messages received in the last phase
  };
  // The decoded word of a message.
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
  // The part of a chunk whose sum the GPU holds once its server has summed.
  Bytes share(std::uint32_t rank, std::uint32_t chunk) const;
  // The message to the k-th other GPU of the server: with a ring the k-th step, with a switch one of those sent at
  // once.
  Send near_message(std::uint32_t rank, std::uint32_t chunk, Phase phase, std::uint32_t k) const;
  Send ring_message(std::uint32_t rank, std::uint32_t chunk, std::uint32_t step) const;
  // The message to the rank of the same place in `server`.
  Send tree_message(std::uint32_t rank, std::uint32_t chunk, std::uint32_t tree, bool down, std::uint32_t server,
                    std::uint32_t peer) const;
  Branches branches(std::uint32_t rank, std::uint32_t tree) const;
  TreePlace place(std::uint32_t rank, std::uint32_t tree) const { return double_tree(rank / gpus(), servers(), tree); }

  Come& come(std::uint32_t rank, std::uint32_t chunk);
  void begin_chunk(Desk& desk, std::uint32_t rank, std::uint32_t chunk);
  void go_near(Desk& desk, std::uint32_t rank, std::uint32_t chunk, Phase phase, std::uint32_t step);
  void added_up(Desk& desk, std::uint32_t rank, std::uint32_t chunk);
  // Frees the slot of the message that a ring between servers has brought.
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
