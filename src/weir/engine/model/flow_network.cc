#include "weir/engine/model/flow_network.h"

#include "weir/net/link/packet.h"

namespace weir::engine {

theory::Network flow_network(const Model& model, std::span<const traffic::Flow> flows) {
  theory::Network out;
  for (const net::Link& link : model.topology.links)  // its two ports
    out.capacities.insert(out.capacities.end(), 2, static_cast<double>(link.rate.bits_per_second));
  for (const traffic::Flow& f : flows)
    out.flows.push_back(
        {model.routing.path(f.src, f.dst, model.entropy_of(f.src, f.dst, f.sport, f.dport, f.profile)), 1});
  return out;
}

}  // namespace weir::engine
