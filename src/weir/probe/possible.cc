#include "weir/probe/possible.h"

#include "weir/probe/flow_probe.h"
#include "weir/probe/port_choice.h"

namespace weir::probe {
namespace {

constexpr Distribution kSome{.count = 1};

// The tiers and the directions of the ports that a probe looks at.
template <class Summary>
void add_tiers(Summary& out, const net::Topology& topology, const std::string& ports) {
  const Tiers tiers(topology, choose_ports(topology, ports));
  for (const auto& name : tiers.names) out.by_tier.emplace_back().name = name;
  for (const auto& group : tiers.groups) out.by_direction.emplace_back().name = group.name;
}

FlowSummary possible_flows(const FlowsParams& params, const engine::Model& model,
                           const std::vector<std::string>& tags) {
  FlowSummary out;
  out.finished = 1;
  out.slowdown = kSome;
  for (const auto& tag : tags) out.by_tag.push_back({tag, kSome});
  for (const auto& profile : model.profiles) out.by_algorithm.push_back({profile.name, kSome});
  const auto edges = parse_buckets(params.buckets);
  for (std::size_t i = 0; i <= edges.size(); ++i)
    out.by_size.push_back(
        {i == 0 ? Bytes{0} : edges[i - 1], i == edges.size() ? SizeBucket::kNoLimit : edges[i], kSome});
  for (std::uint32_t i = 0; i < params.equal_count_buckets; ++i) out.by_equal_count.push_back({{}, {}, kSome});
  return out;
}

}  // namespace

Summary possible_summary(const ProbeParams& params, const engine::Model& model, const std::vector<std::string>& tags,
                         const traffic::Program& program) {
  Summary out;
  out.flows = possible_flows(params.flows, model, tags);
  for (const auto& part : program.parts()) {
    CollectiveSummary& c = out.collectives.emplace_back();
    c.tag = tags.at(part.tag);
    c.start = c.completion = c.acknowledged = Time{};
  }
  if (params.queues) {
    QueueSummary& queues = out.queues.emplace();
    queues.all = queues.busiest_port = kSome;
    add_tiers(queues, model.topology, params.queues->ports);
    for (auto* names : {&queues.by_tier, &queues.by_direction})
      for (auto& name : *names) name.values = kSome;
    queues.busiest.emplace();
    queues.peak.emplace().has_flows = true;
    queues.peak->top.resize(QueuePeak::kTop);
    queues.peak->by_tag.resize(tags.size());
  }
  if (params.rates) {
    out.fairness.emplace().intervals = 1;
    out.fairness->convergence = Time{};
  }
  if (params.pfc) add_tiers(out.pfc.emplace(), model.topology, params.pfc->ports);
  if (params.links) add_tiers(out.links.emplace(), model.topology, params.links->ports);
  return out;
}

}  // namespace weir::probe
