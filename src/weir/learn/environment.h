// Environment: one simulation whose flows of pcc_rl ask an actor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/cc/decision_maker.h"
#include "weir/learn/curriculum.h"
#include "weir/scenario/build.h"

namespace weir::learn {

// Calls visit(src, dst) for each flow that is added to a world of so many hosts, in order.
template <class Visit>
void for_each_added(const World& world, std::uint32_t hosts, Visit&& visit) {
  const std::uint32_t senders = world.hosts > 0 ? std::min(world.hosts, hosts - 1) : hosts - 1;
  const bool all = world.pattern == Pattern::all_to_all;
  const std::uint32_t flows = all ? world.flows * senders : world.flows;
  for (std::uint32_t i = 0; i < flows; ++i) {
    std::uint32_t dst = 0;
    if (all) {  // to each of the senders in turn, but to itself
      const std::uint32_t turn = i / senders % std::max(1u, senders - 1);
      dst = 1 + (i % senders + 1 + turn) % senders;
    }
    visit(1 + i % senders, dst);
  }
}

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
