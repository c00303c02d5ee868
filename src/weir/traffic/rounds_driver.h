// The driver of operations in rounds, each of which waits for all that a rank has received in those before
// (traffic/rounds.h).
#pragma once

#include <vector>

#include "weir/traffic/collective_driver.h"
#include "weir/traffic/rounds.h"

namespace weir::traffic {

class RoundsDriver final : public CollectiveDriver {
 public:
  RoundsDriver(const Collective& collective, const Context& context, const CollectivePlan& plan, std::uint32_t group);
  std::unique_ptr<Driver> clone() const override { return std::make_unique<RoundsDriver>(*this); }

 private:
  // Progress of one chunk at one rank: complete rounds up to the first missing one, and later ones received, as bits.
  struct Come {
    std::uint32_t rounds = 0;
    std::uint32_t ahead = 0;
  };

  Send message_of(std::uint32_t rank, std::uint32_t chunk, std::uint32_t round) const;

  void start(Desk& desk, std::uint32_t rank) override;
  void go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) override;
  std::uint64_t moves(std::uint32_t) const override {
    return std::uint64_t{2} * rounds_.rounds() * collective().chunks;
  }
  Bytes payload() const override { return rounds_.total(collective().size); }
  std::uint64_t longest() const override { return rounds_.rounds(); }
  void each_peer(std::uint32_t rank, const VisitSend& visit) const override;
  void reset_rank(std::uint32_t rank) override { come_[rank].clear(); }
  void archive_rank(Saver& a, std::uint32_t rank) override { a.values(come_[rank]); }
  void archive_rank(Loader& a, std::uint32_t rank) override { a.values(come_[rank]); }

  const Rounds rounds_;
  std::vector<std::vector<Come>> come_;  // by rank, then chunk; empty = nothing has come
};

}  // namespace weir::traffic
