// The entropy of each packet of a flow, which switches hash to a path: the sender's load balancing (uec_mp.cpp of
// uet-htsim).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "weir/replica/uet_params.h"
#include "weir/replica/uet_random.h"

namespace weir::replica::uet {

enum class PathFeedback : std::uint8_t { good, marked, nack, timeout };

class Paths {
 public:
  // With `one_path` all packets have the same entropy.
  Paths(const UetParams& params, bool one_path, Random& random);

  // `sent`: packets so far, `window`: in packets.
  std::uint16_t next(std::uint64_t sent, std::uint64_t window);
  void feedback(std::uint16_t entropy, PathFeedback what, std::int64_t now);

 private:
  using Spraying = UetParams::Spraying;
  static constexpr std::uint32_t kRing = 8;                // entropies that REPS keeps
  static constexpr std::int64_t kFrozen = 10'000'000'000;  // ps
  static constexpr std::uint32_t kExplore = 16;            // packets after it
  static constexpr std::uint8_t kMostPenalty = 15;         // of an entropy: visits that pass it by

  bool has_mask() const { return kind_ != Spraying::reps && kind_ != Spraying::reps_legacy; }
  std::uint32_t current() const { return (index_ ^ xor_) & (paths_ - 1); }
  void step();
  std::uint16_t next_of_all();
  std::uint16_t next_of_bitmap();
  std::uint16_t next_of_reps();
  std::uint16_t next_of_legacy(std::uint64_t sent, std::uint64_t window);
  std::uint16_t oldest_fresh();
  std::uint16_t random_path() { return static_cast<std::uint16_t>(random_->below(paths_)); }

  Spraying kind_;
  std::uint32_t paths_;
  bool freezes_;  // REPS after a timeout
  Random* random_;

  // visiting all entropies in turn, in an order that a mask makes: oblivious, bitmap, mixed
  std::uint32_t upper_ = 0;  // the same for all packets of the flow
  std::uint32_t xor_ = 0;
  std::uint32_t index_ = 0;
  std::vector<std::uint8_t> penalty_;

  // entropies that came back unmarked: REPS, its first form, mixed
  std::deque<std::uint16_t> good_;
  std::uint16_t last_ = 0;
  struct Kept {
    std::uint16_t entropy = 0;
    bool fresh = false;
  };
  std::array<Kept, kRing> ring_{};
  std::uint32_t head_ = 0;
  std::uint32_t kept_ = 0;
  std::uint32_t fresh_ = 0;
  std::uint32_t frozen_at_ = 0;
  std::uint32_t explore_ = 0;
  bool frozen_ = false;
  std::int64_t thaw_ = 0;
};

}  // namespace weir::replica::uet
