#include "weir/scenario/notices.h"

#include <fmt/format.h>

#include "weir/base/params.h"

namespace weir::scenario {

std::vector<std::string> notices(const Scenario& s, const engine::Model& model) {
  std::vector<std::string> out;
  if (s.run.fidelity != Fidelity::exact || s.network.ecmp == net::Multipath::capacity) return out;
  if (const auto uneven = model.routing.uneven()) {
    constexpr std::size_t kShown = 4;
    std::string hops;
    for (std::size_t i = 0; i < uneven->hops.size() && i < kShown; ++i)
      hops += fmt::format("{}{} by node {}", i == 0 ? "" : ", ",
                          format_value(Rate{static_cast<std::int64_t>(uneven->capacity[i])}),
                          model.topology.port_peer(uneven->hops[i]));
    if (uneven->hops.size() > kShown) hops += ", ...";
    out.push_back(
        fmt::format("switch {} has next hops of different capacity towards host {} ({}) and sends by each the same "
                    "share of flows; network.ecmp = \"capacity\" makes shares proportional to capacity",
                    uneven->node, uneven->host, hops));
  }
  return out;
}

}  // namespace weir::scenario
