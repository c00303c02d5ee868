#include "weir/probe/collective_report.h"

#include <algorithm>

#include "weir/engine/endings/completion.h"

namespace weir::probe {
namespace {

traffic::MessageSums sums_of(const traffic::Program& program, const traffic::Program::Part& part,
                             std::span<const engine::NodeTimes> times) {
  traffic::MessageSums out{.tag = part.tag, .buffer = part.buffer, .bus_factor = part.bus_factor};
  for (std::uint32_t node = part.first; node < part.end; ++node) {
    out.start = std::min(out.start, times[node].started);
    out.received = std::max(out.received, times[node].received);
    out.acknowledged = std::max(out.acknowledged, times[node].sent);
    if (!program[node].is_message()) continue;
    ++out.messages;
    out.unfinished += times[node].sent == Time::max();
    out.payload = saturating_sum(out.payload, program[node].size);
  }
  return out;
}

CollectiveSummary summary_of(const traffic::MessageSums& sums, const engine::CompletionBound& bound, bool complete,
                             const std::vector<std::string>& tags) {
  CollectiveSummary out{.tag = tags.at(sums.tag),
                        .messages = sums.messages,
                        .unfinished = sums.unfinished,
                        .payload = sums.payload,
                        .buffer = sums.buffer,
                        .bus_factor = sums.bus_factor};
  if (sums.start == Time::max()) return out;
  out.start = sums.start;
  out.bound = bound.received - sums.start;
  out.acknowledged_bound = bound.acknowledged - sums.start;
  if (!complete) return out;
  out.completion = sums.received - sums.start;
  out.acknowledged = sums.acknowledged - sums.start;
  return out;
}

}  // namespace

std::vector<CollectiveSummary> report_collectives(const engine::Engine& simulation,
                                                  const std::vector<std::string>& tags) {
  std::vector<CollectiveSummary> out;
  const traffic::Program& program = simulation.program();
  if (!program.empty()) {
    const auto bounds = engine::completion_bounds(model_of(simulation), program);
    for (std::size_t i = 0; i < program.parts().size(); ++i) {
      const traffic::MessageSums sums = sums_of(program, program.parts()[i], simulation.node_times());
      out.push_back(summary_of(sums, bounds[i], sums.acknowledged != Time::max(), tags));
    }
  }
  for (const engine::DriverReport& report : simulation.driver_reports()) {
    const auto bound = engine::completion_bound(model_of(simulation), report);
    CollectiveSummary& c = out.emplace_back(summary_of(report.sums, bound, report.sums.unfinished == 0, tags));
    for (const engine::ActivityTimes& a : report.activities)
      c.activities.push_back({a.name, a.total / std::max(1u, report.hosts), a.longest, a.host});
  }
  return out;
}

}  // namespace weir::probe
