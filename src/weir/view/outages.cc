#include "weir/view/outages.h"

#include <algorithm>

namespace weir::view {

std::vector<OutageRow> outages_until(const engine::Model& model, Time now) {
  std::vector<OutageRow> out;
  for (const auto& [link, faults] : model.faults.links)
    for (const net::Outage& outage : faults.outages)
      if (outage.down <= now)
        out.push_back({.from = outage.down, .until = outage.up <= now ? outage.up : Time::max(), .port = 2 * link});
  std::stable_sort(out.begin(), out.end(), [](const OutageRow& a, const OutageRow& b) { return a.from < b.from; });
  return out;
}

}  // namespace weir::view
