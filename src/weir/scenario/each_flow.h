// The flows of a scenario one by one, to look at before a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/traffic.h"

namespace weir::scenario {

inline constexpr std::uint64_t kMostFlowsSeen = 10'000'000;

// Calls visit(src, dst, size, profile) for each message of a program, for one message of each two hosts between which
// a driver sends, as far as it knows them, and for each flow that starts before the run stops, as long as it returns
// true; up to kMostFlowsSeen of each driver, and of flows.
template <class Visit>
void for_each_flow(const Scenario& s, const engine::Model& model, const Visit& visit) {
  const auto traffic = build_traffic(s, model);
  const traffic::Program& program = traffic->program();
  for (std::uint32_t node = 0; node < program.size(); ++node)
    if (const auto& n = program[node]; n.is_message() && !visit(n.src, n.dst, n.size, n.profile)) return;
  for (const auto& driver : traffic->drivers()) {
    bool goes_on = true;
    std::uint64_t seen = 0;
    driver->each_pair([&](const traffic::Message& m) {
      goes_on = visit(m.src, m.dst, m.size, m.profile);
      return goes_on && ++seen < kMostFlowsSeen;
    });
    if (!goes_on) return;
  }
  for (std::uint64_t n = 0; n < kMostFlowsSeen; ++n) {
    const auto flow = traffic->next();
    if (!flow || (s.run.stop > Time{} && flow->start >= s.run.stop)) break;
    if (!visit(flow->src, flow->dst, flow->size, flow->profile)) return;
  }
}

// The flows that a warning is about: how many they are, and the first one as text.
struct SomeFlows {
  std::uint64_t flows = 0;
  std::string first = {};

  void add(std::uint32_t src, std::uint32_t dst);
};

}  // namespace weir::scenario
