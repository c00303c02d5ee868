#include "weir/view/pause_tree.h"

#include <algorithm>

namespace weir::view {

using net::EventKind;

PauseTree::PauseTree(const engine::Model& model) : model_(model) {
  const net::Topology& t = model.topology;
  first_.resize(t.ports(), kNone);
  local_.resize(t.ports(), 0);
  open_.resize(std::size_t{t.ports()} * net::kTrafficClasses, kNone);
  reason_ = open_;
  if (!model.is_lossless()) return;  // nobody pauses
  std::size_t size = 0;
  for (std::uint32_t s = 0; s < t.switches; ++s) {
    const auto& ports = model.routing.ports(s);
    for (std::uint32_t i = 0; i < ports.size(); ++i) {
      first_[ports[i]] = static_cast<std::uint32_t>(size);
      local_[ports[i]] = i;
      size += ports.size();
    }
  }
  bytes_.resize(size);
}

void PauseTree::add(const net::TraceEvent& event) {
  if (event.kind == EventKind::paused) {
    begin(event);
  } else if (event.kind == EventKind::resumed) {
    std::uint32_t& open = open_[place_of(event.port, event.packet.traffic_class)];
    if (open != kNone) rows_[open].until = event.time;
    open = kNone;
  } else if (first_[event.port] != kNone) {
    std::uint32_t& bytes = bytes_[first_[event.port] + event.packet.ingress];
    if (event.kind == EventKind::accepted)
      bytes += event.packet.wire;
    else if (event.kind == EventKind::left || (event.kind == EventKind::dropped && model_.watches()))  // in a storm
      bytes -= std::min<std::uint32_t>(bytes, event.packet.wire);
    if (event.queued == 0) {
      const std::size_t first = std::size_t{event.port} * net::kTrafficClasses;
      std::copy_n(open_.begin() + static_cast<std::ptrdiff_t>(first), net::kTrafficClasses,
                  reason_.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }
}

void PauseTree::begin(const net::TraceEvent& event) {
  if (rows_.size() >= kMostRows) {
    ++omitted_;
    return;
  }
  PauseRow row{
      .port = event.port, .of_class = static_cast<std::uint32_t>(event.packet.traffic_class) - 1, .from = event.time};
  const net::Topology& t = model_.topology;
  const std::uint32_t peer = t.port_peer(event.port);
  const std::uint32_t back = net::Topology::reverse(event.port);
  if (peer < t.hosts) {
    row.by = back;
    row.parent = reason_[place_of(event.port, event.packet.traffic_class)];
  } else {
    const std::uint32_t ingress = local_[back];
    for (const std::uint32_t port : model_.routing.ports(peer - t.hosts)) {
      const std::uint32_t bytes = bytes_[first_[port] + ingress];
      if (bytes <= row.by_bytes) continue;
      row.by = port;
      row.by_bytes = bytes;
    }
    if (row.by != kNone) row.parent = reason_[place_of(row.by, event.packet.traffic_class)];
  }
  const std::size_t place = place_of(event.port, event.packet.traffic_class);
  open_[place] = reason_[place] = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back(row);
}

}  // namespace weir::view
