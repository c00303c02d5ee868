// The driver of a broadcast along a chain, and of a reduction the same way back, as NCCL's rings do both: chunk by
// chunk, each rank hands on what has come.
#pragma once

#include <vector>

#include "weir/traffic/collective_driver.h"

namespace weir::traffic {

class ChainDriver final : public CollectiveDriver {
 public:
  ChainDriver(const Collective& collective, const Context& context, const CollectivePlan& plan, std::uint32_t group);
  std::unique_ptr<Driver> clone() const override { return std::make_unique<ChainDriver>(*this); }

 private:
  // The distance of a rank from the rank where a chunk begins, and the rank at such a distance. A broadcast begins at
  // its root; a reduction ends there.
  std::uint32_t place(std::uint32_t rank, std::uint32_t chunk) const;
  std::uint32_t at(std::uint32_t place, std::uint32_t chunk) const;
  std::uint32_t first_index(std::uint32_t chunk) const;
  Send message_of(std::uint32_t place, std::uint32_t chunk) const;
  // Frees the slot of the chunk that the rank has received.
  void free_slot_of(Desk& desk, std::uint32_t rank, std::uint32_t chunk) const;

  void start(Desk& desk, std::uint32_t rank) override;
  void go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) override;
  void begun(Desk& desk, std::uint32_t rank, const Send& message) override;
  void gone(Desk& desk, std::uint32_t rank) override;
  std::uint64_t moves(std::uint32_t rank) const override;
  Bytes payload() const override { return saturating_product(collective().size, ranks() - 1); }
  std::uint64_t longest() const override { return ranks() - 1; }
  void each_peer(std::uint32_t rank, const VisitSend& visit) const override;
  void reset_rank(std::uint32_t rank) override { next_[rank] = first_chunks(); }
  void archive_rank(Saver& a, std::uint32_t rank) override { a.value(next_[rank]); }
  void archive_rank(Loader& a, std::uint32_t rank) override { a.value(next_[rank]); }

  std::vector<std::uint32_t> next_;  // by rank: the first chunk that has not begun
};

}  // namespace weir::traffic
