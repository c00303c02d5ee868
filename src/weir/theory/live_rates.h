// Fair rates of flows that come and go: what the ways of sharing have in common.
#pragma once

#include <cstdint>
#include <span>

#include "weir/theory/live_network.h"

namespace weir::theory {

// What all updates so far have looked at.
struct Effort {
  std::uint64_t updates = 0;
  std::uint64_t rounds = 0;   // max-min: of progressive filling; alpha-fair: links that were filled
  std::uint64_t flows = 0;    // whose rates were worked out, over all rounds
  std::uint64_t links = 0;    // that were looked at, over all rounds
  std::uint64_t changed = 0;  // flows that got another rate
};

// A rate that would differ by a smaller part of it is left as it was.
inline constexpr double kSameRate = 1e-12;

class LiveRates {
 public:
  using Use = LiveNetwork::Use;

  virtual ~LiveRates() = default;

  // A flow by a number that no other has (LiveNetwork::add).
  virtual void add(std::uint32_t flow, std::span<const Use> path) = 0;
  virtual void remove(std::uint32_t flow) = 0;

  // To be called after add() and remove(), once for all changes of an instant. Returns the flows whose rates have
  // changed by more than rounding, in no order that means anything; valid until the next call.
  virtual std::span<const std::uint32_t> update() = 0;

  // As of the last update().
  virtual double rate(std::uint32_t flow) const = 0;

  virtual const LiveNetwork& network() const = 0;
  virtual const Effort& effort() const = 0;
};

}  // namespace weir::theory
