#include "weir/probe/port_params.h"

#include "weir/engine/model/model.h"

namespace weir::probe {

void check_ports(const std::string& ports, const Checks& checks) {
  checks.of_key("ports", [&] { choose_ports(model_of(checks.setting.network).topology, ports); });
}

net::TraceFilter trace_filter(const net::Topology& topology, const std::string& ports, Time start, Time stop) {
  net::TraceFilter filter;
  filter.ports.resize(topology.ports());
  for (const std::uint32_t port : choose_ports(topology, ports)) filter.ports[port] = true;
  filter.from = start;
  if (stop.ps != 0) filter.until = stop;
  return filter;
}

}  // namespace weir::probe
