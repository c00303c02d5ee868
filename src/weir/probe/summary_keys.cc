#include "weir/probe/summary_keys.h"

#include "weir/probe/catalogue.h"

namespace weir::probe {

Summary possible_summary(const ProbeParams& params, const engine::Model& model, const std::vector<std::string>& tags,
                         const traffic::Traffic& traffic) {
  Summary out;
  for (const auto& part : traffic.program().parts()) {
    CollectiveSummary& c = out.collectives.emplace_back();
    c.tag = tags.at(part.tag);
    c.start = Time{};
    c.completion = c.acknowledged = c.bound = c.acknowledged_bound = Time{1};
    c.buffer = part.buffer;
    c.bus_factor = part.bus_factor;
  }
  for (const auto& driver : traffic.drivers())
    if (const auto sums = driver->sums()) {
      CollectiveSummary& c = out.collectives.emplace_back();
      c.tag = tags.at(sums->tag);
      c.start = Time{};
      c.completion = c.acknowledged = c.bound = c.acknowledged_bound = Time{1};
      c.buffer = sums->buffer;
      c.bus_factor = sums->bus_factor;
      for (const std::string& name : driver->activities()) c.activities.push_back({.name = name});
    }
  for (const ProbeKind& kind : probe_kinds())
    if (const void* of_kind = params.get(kind); of_kind != nullptr && kind.add_possible)
      kind.add_possible(of_kind, {engine::NetworkView(model), tags}, out);
  return out;
}

}  // namespace weir::probe
