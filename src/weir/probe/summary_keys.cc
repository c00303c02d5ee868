#include "weir/probe/summary_keys.h"

#include "weir/probe/catalogue.h"

namespace weir::probe {

Summary possible_summary(const ProbeParams& params, const engine::Model& model, const std::vector<std::string>& tags,
                         const traffic::Program& program) {
  Summary out;
  for (const auto& part : program.parts()) {
    CollectiveSummary& c = out.collectives.emplace_back();
    c.tag = tags.at(part.tag);
    c.start = c.completion = c.acknowledged = Time{};
    c.buffer = part.buffer;
    c.bus_factor = part.bus_factor;
  }
  for (const ProbeKind& kind : probe_kinds())
    if (const void* of_kind = params.get(kind); of_kind != nullptr && kind.add_possible)
      kind.add_possible(of_kind, {engine::NetworkView(model), tags}, out);
  return out;
}

}  // namespace weir::probe
