// Planes: the parts of a network whose switches reach each other by links between switches.
//
// Hosts forward nothing, so two hosts reach each other only by a plane that both have a link to. A network of hosts
// with one port has one plane.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "weir/net/model/topology.h"

namespace weir::net {

class Planes {
 public:
  // `without`: by link, those that count as absent; empty = none.
  explicit Planes(const Topology& t, const std::vector<bool>& without = {});

  // The planes that a host has links to, in ascending order: each by the number of its first switch.
  std::span<const std::uint32_t> of(std::uint32_t host) const { return of_host_[host]; }
  // The plane of a switch, which is a node.
  std::uint32_t of_switch(std::uint32_t node) const { return plane_[node - hosts_]; }
  // Whether both hosts have links to the same one.
  bool join(std::uint32_t a, std::uint32_t b) const;
  // Two hosts that none joins, the higher number first; nothing = there are no such hosts.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> hosts_apart() const;

 private:
  std::uint32_t hosts_;
  std::vector<std::uint32_t> plane_;  // by switch
  std::vector<std::vector<std::uint32_t>> of_host_;
};

}  // namespace weir::net
