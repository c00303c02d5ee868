// Environment: one simulation whose flows of pcc_rl ask an actor.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/cc/decision_maker.h"
#include "weir/learn/curriculum.h"
#include "weir/scenario/build.h"

namespace weir::learn {

class Environment {
 public:
  // Builds the network and sends the world's flows, which start within `spread`. `maker` must outlive this. The same
  // world and seed give the same simulation. Throws InputError if the scenario cannot be built.
  Environment(const World& world, cc::DecisionMaker& maker, std::uint64_t seed, Time spread);

  engine::Engine& engine() { return *run_.simulation; }
  // Runs for about one round trip, which is a whole number of epochs. False: the simulation has ended.
  bool advance();
  Time slice() const { return slice_; }
  std::uint64_t active() const;  // flows

 private:
  scenario::Run run_;
  Time slice_;
};

}  // namespace weir::learn
