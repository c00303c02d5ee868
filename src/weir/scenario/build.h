// A scenario as things that run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/engine/model/model.h"
#include "weir/engine/parallel/ranks.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/traffic.h"

namespace weir::scenario {

// A run that has been built. It owns all it needs but the model, which any number of runs may share, also on several
// threads at once.
struct Run {
  std::shared_ptr<const engine::Model> model;
  std::unique_ptr<traffic::Traffic> traffic;
  std::unique_ptr<engine::Engine> simulation;  // refers to the model and the traffic

  const std::vector<std::string>& tags() const { return traffic->tags(); }
};

// A run for the state of another one, between its calls of advance(): in the same scenario, with the same model, as
// many partitions, and its traffic drawn as far. What is wanted of its simulation (on_finish, every, trace, decide) is
// asked for first; then it loads what the other one's simulation has saved. `traced` as for build().
Run build_for_copy(const Scenario&, const Run&, bool traced = false);

// Reads the data files, builds the network and checks what concerns several tables. Throws
// InputError that names file, line and key.
Run build(const Scenario&);
// Builds a run of the model that build_model() has made of this scenario, in so many partitions
// (engine::RunOptions::partitions). With `traced`, single events may be asked for though no probe does. `ranks` is
// engine::RunOptions::ranks, and may be set only if the fidelity runs on several.
Run build(const Scenario&, std::shared_ptr<const engine::Model>, std::uint32_t partitions = 0, bool traced = false,
          engine::Ranks* ranks = nullptr);
// Checks all that build() checks, and stops short of the simulation, which stays null: nothing large is made.
Run prepare(const Scenario&);

// The network alone. Throws InputError that names file, line and key.
net::Topology build_topology(const Scenario&);
// Builds the model: the first part of build(), for callers who need no simulation, or look at the model before.
std::shared_ptr<const engine::Model> build_model(const Scenario&);
// Builds the model without the checks of what only a run needs, such as buffers that hold their reserves: to look at
// nodes, links, faults and routes.
std::shared_ptr<const engine::Model> build_network(const Scenario&);
// Builds the traffic. `notice` is told what sources leave out of their files.
std::unique_ptr<traffic::Traffic> build_traffic(const Scenario&, const engine::Model&,
                                                const std::function<void(const std::string&)>& notice = {});

// What the traffic will amount to, found by drawing it.
struct Expected {
  std::uint64_t flows = 0;
  std::uint64_t unlisted = 0;  // of flows, messages of which nothing is kept when they have ended
  std::uint64_t at_once = 0;   // estimate: how many messages of drivers are on their way at the same time
  std::uint64_t packets = 0;   // full ones and the rest, without retransmissions
  Bytes payload;               // no more than its type holds
  Time last_start;
  bool all = true;          // false: there are more flows than were looked at
  double of_all = 1;        // estimate, by when the traffic ends, of how many times these flows there are in all; >= 1
  double most_waiting = 0;  // flows, of those looked at, that the links of their senders cannot have sent by last_start
  // Whether it is known how much there is in all, exactly or by `of_all`.
  bool is_estimable() const { return all || of_all > 1; }
  std::uint64_t digest = 0;  // over who sends what to whom and when; equal for equal traffic
};

// A flow that expect() shows.
struct ExpectedFlow {
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  Bytes size;
  std::optional<Time> start;  // nothing: it waits for others
  std::string_view tag;
  std::string_view profile;
};

// Draws the traffic, no more than `max_flows` of it, and shows each flow to `look`.
Expected expect(const Scenario&, const engine::Model&, std::uint64_t max_flows = 10'000'000,
                const std::function<void(const ExpectedFlow&)>& look = {});

}  // namespace weir::scenario
