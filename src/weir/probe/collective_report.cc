#include "weir/probe/collective_report.h"

#include <algorithm>
#include <optional>
#include <utility>

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
    ++out.rows;
    out.unfinished += times[node].sent == Time::max();
    out.payload = saturating_sum(out.payload, program[node].size);
  }
  return out;
}

// Whose hosts they are.
struct Found {
  CollectiveSummary summary;
  std::vector<bool> takes_part;
};

Found found(const traffic::MessageSums& sums, const std::optional<engine::CompletionBound>& bound, bool complete,
            std::vector<bool> takes_part, const std::vector<std::string>& tags) {
  Found out{{.tag = tags.at(sums.tag),
             .messages = sums.messages,
             .unfinished = sums.unfinished,
             .unlisted = sums.messages - sums.rows,
             .payload = sums.payload,
             .buffer = sums.buffer,
             .bus_factor = sums.bus_factor},
            std::move(takes_part)};
  CollectiveSummary& c = out.summary;
  if (sums.start == Time::max()) return out;
  c.start = sums.start;
  if (bound) {
    c.bound = bound->received - sums.start;
    c.acknowledged_bound = bound->acknowledged - sums.start;
  }
  if (!complete) return out;
  c.completion = sums.received - sums.start;
  c.acknowledged = sums.acknowledged - sums.start;
  return out;
}

Found found(const engine::Engine& simulation, const traffic::Program::Part& part, const engine::CompletionBound& bound,
            const std::vector<std::string>& tags) {
  const traffic::Program& program = simulation.program();
  const traffic::MessageSums sums = sums_of(program, part, simulation.node_times());
  std::vector<bool> takes_part(model_of(simulation).topology.hosts);
  for (std::uint32_t node = part.first; node < part.end; ++node)
    if (program[node].is_message()) takes_part[program[node].src] = takes_part[program[node].dst] = true;
  return found(sums, bound, sums.acknowledged != Time::max(), std::move(takes_part), tags);
}

// That of what it sends, or of what it computes alone.
std::optional<engine::CompletionBound> bound_of(const engine::Model& model, const engine::DriverReport& report) {
  if (report.unhindered.driver == nullptr) {
    const Time end = saturating_sum(report.sums.start, report.sums.least);
    return engine::CompletionBound{end, end};
  }
  if (report.sums.messages > engine::kMostMessagesOfBounds) return std::nullopt;
  return engine::completion_bound(model, report.unhindered);
}

Found found(const engine::Engine& simulation, const engine::DriverReport& report,
            const std::vector<std::string>& tags) {
  Found out =
      found(report.sums, bound_of(model_of(simulation), report), report.sums.unfinished == 0, report.takes_part, tags);
  for (const engine::ActivityTimes& a : report.activities)
    out.summary.activities.push_back({a.name, a.total / std::max(1u, report.hosts), a.longest, a.host});
  return out;
}

// Whether both are under way at some time, and have hosts in common.
bool share_hosts(const Found& a, const Found& b) {
  if (!a.summary.start || !b.summary.start) return false;
  const auto end = [](const CollectiveSummary& c) {
    return c.acknowledged ? saturating_sum(*c.start, *c.acknowledged) : Time::max();
  };
  if (*a.summary.start >= end(b.summary) || *b.summary.start >= end(a.summary)) return false;
  for (std::size_t host = 0; host < a.takes_part.size(); ++host)
    if (a.takes_part[host] && b.takes_part[host]) return true;
  return false;
}

}  // namespace

std::vector<CollectiveSummary> report_collectives(const engine::Engine& simulation,
                                                  const std::vector<std::string>& tags) {
  std::vector<Found> all;
  const traffic::Program& program = simulation.program();
  if (!program.empty()) {
    const auto bounds = engine::completion_bounds(model_of(simulation), program);
    for (std::size_t i = 0; i < program.parts().size(); ++i)
      all.push_back(found(simulation, program.parts()[i], bounds[i], tags));
  }
  for (const engine::DriverReport& report : simulation.driver_reports()) all.push_back(found(simulation, report, tags));
  std::vector<CollectiveSummary> out;
  for (const Found& one : all) {
    out.push_back(one.summary);
    for (const Found& other : all)
      if (&other != &one && share_hosts(one, other)) out.back().shares_hosts_with.push_back(other.summary.tag);
  }
  return out;
}

}  // namespace weir::probe
