#include "weir/engine/network_view.h"

#include <fmt/format.h>

#include <stdexcept>

#include "weir/engine/model/model.h"
#include "weir/net/model/topology.h"

namespace weir::engine {

std::uint32_t NetworkView::hosts() const { return model_->topology.hosts; }

std::uint32_t NetworkView::switches() const { return model_->topology.switches; }

std::uint32_t NetworkView::ports() const { return model_->topology.ports(); }

PortFacts NetworkView::port(std::uint32_t port) const {
  if (port >= ports()) throw std::out_of_range("there is no such port");
  const net::Topology& t = model_->topology;
  const net::Link& link = t.links[port / 2];
  return {.from = t.port_owner(port), .to = t.port_peer(port), .rate = link.rate, .delay = link.delay};
}

std::uint32_t NetworkView::tier(std::uint32_t node) const {
  return static_cast<std::uint32_t>(model_->topology.tier.at(node));
}

std::string NetworkView::name(std::uint32_t node) const {
  if (node >= hosts() + switches()) throw std::out_of_range("there is no such node");
  return node < hosts() ? net::name_of_host(model_->topology, node) : fmt::format("switch {}", node);
}

std::uint32_t NetworkView::nic(std::uint32_t host) const {
  if (host >= hosts()) throw std::out_of_range("there is no such host");
  return model_->routing.nic(host);
}

}  // namespace weir::engine
