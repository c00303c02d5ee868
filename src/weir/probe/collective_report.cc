#include "weir/probe/collective_report.h"

#include <algorithm>

#include "weir/engine/endings/completion.h"

namespace weir::probe {

std::vector<CollectiveSummary> report_collectives(const engine::Engine& simulation,
                                                  const std::vector<std::string>& tags) {
  const traffic::Program& program = simulation.program();
  if (program.empty()) return {};
  const auto bounds = engine::completion_bounds(model_of(simulation), program);
  const auto times = simulation.node_times();
  std::vector<CollectiveSummary> out;
  for (std::size_t i = 0; i < program.parts().size(); ++i) {
    const auto& part = program.parts()[i];
    CollectiveSummary& c = out.emplace_back();
    c.tag = tags.at(part.tag);
    Time start = Time::max();
    Time received;
    Time acknowledged;
    bool complete = true;
    for (std::uint32_t node = part.first; node < part.end; ++node) {
      start = std::min(start, times[node].started);
      received = std::max(received, times[node].received);
      acknowledged = std::max(acknowledged, times[node].sent);
      const bool done = times[node].sent != Time::max();
      complete = complete && done;
      if (!program[node].is_message()) continue;
      ++c.messages;
      c.unfinished += !done;
      c.payload = saturating_sum(c.payload, program[node].size);
    }
    if (start == Time::max()) continue;
    c.start = start;
    c.bound = bounds[i].received - start;
    c.acknowledged_bound = bounds[i].acknowledged - start;
    if (!complete) continue;
    c.completion = received - start;
    c.acknowledged = acknowledged - start;
  }
  return out;
}

}  // namespace weir::probe
