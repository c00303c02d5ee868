// Which port a packet leaves a switch by: equal-cost multipath over the shortest paths, where next hops get the same
// share of packets or shares by their capacity (net/model/multipath.h).
//
// Regular trees route by arithmetic on the destination (TreeRule); any other graph by tables of all shortest paths by
// hop count, one 16-bit id of a group of ports per switch and attachment of the destination. An attachment is the set
// of switches that a host is linked to: it decides all but the last hop, so hosts of the same one share what tables
// say.
//
// A host with several ports chooses among those that lead to the destination, by the same hash as switches do, with a
// salt of its own; or it sends by whichever is free (host/nics.h).
//
// THE hash: among n next hops in order of their port index, a packet with entropy e leaves
// switch s by number
//     (mix32(e ^ salt[s]) * n) >> 32        salt[s] = RandomStream(seed, s, ecmp_salt).bits(0) mod 2^32
// so that a flow keeps its path as long as it keeps its entropy, and the choices of different
// switches are independent. With n = 1 nothing is hashed. By capacity, a next hop gets the hashes of its share; where
// all have the same capacity, these are the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "weir/base/random.h"
#include "weir/net/model/multipath.h"
#include "weir/net/model/topology.h"

namespace weir::net {

// Division by a constant as one multiplication: x / d == (x * reciprocal(d)) >> kReciprocalShift
// for all x < kMaxHosts and d in 1 .. kMaxHosts. With m = floor(2^k / d) + 1 the error m*d - 2^k is in (0, d],
// hence exact while x * d < 2^k, and x * m fits 64 bits while x < 2^(63 - k).
inline constexpr unsigned kReciprocalShift = 42;
static_assert(std::uint64_t{kMaxHosts} * kMaxHosts <= std::uint64_t{1} << kReciprocalShift);
constexpr std::uint64_t reciprocal(std::uint32_t d) { return (std::uint64_t{1} << kReciprocalShift) / d + 1; }
constexpr std::uint32_t divide(std::uint32_t x, std::uint64_t reciprocal_of_d) {
  return static_cast<std::uint32_t>((x * reciprocal_of_d) >> kReciprocalShift);
}

// Next hops of one switch that differ in capacity. Nodes are numbered as in the topology.
struct Uneven {
  std::uint32_t node = 0;               // the switch
  std::uint32_t host = 0;               // a destination
  std::vector<std::uint32_t> hops;      // ports
  std::vector<std::uint64_t> capacity;  // of each, in bits per second: the weight that it would have
};

// Constant after construction, so any number of threads and runs may share one. The topology
// must have passed check() and must outlive this. Switches are numbered from 0 here: node - hosts.
class Routing {
 public:
  // Without the links that are `down`, by link (none if empty), packets take the shortest paths that are left; where
  // none is left, those of the whole network, and so end at a link that is down.
  Routing(const Topology& topology, std::uint64_t seed, const std::vector<bool>& down = {},
          Multipath multipath = Multipath::equal);

  // The global id of the port by which `switch_index` forwards a packet to `dst_host`.
  std::uint32_t egress(std::uint32_t switch_index, std::uint32_t dst_host, std::uint32_t entropy) const {
    const Switch& s = switches_[switch_index];
    if (way_ == Way::numbers) return ports_[s.first + pick_of(tree_hops(s, dst_host), s.salt, entropy)];
    if (way_ == Way::places) return ports_[s.first + pick_of(tree_hops(s, place_of(dst_host)), s.salt, entropy)];
    if (is_edge_of(switch_index, dst_host)) return host_down_port_[dst_host];
    return group_ports_[choose_of(table_hops(switch_index, dst_host), s.salt, entropy)];
  }
  // The index, among the ports of the switch, of the port that egress() gives.
  std::uint32_t egress_index(std::uint32_t switch_index, std::uint32_t dst_host, std::uint32_t entropy) const {
    const Switch& s = switches_[switch_index];
    if (way_ == Way::numbers) return pick_of(tree_hops(s, dst_host), s.salt, entropy);
    if (way_ == Way::places) return pick_of(tree_hops(s, place_of(dst_host)), s.salt, entropy);
    if (is_edge_of(switch_index, dst_host)) return host_down_index_[dst_host];
    return group_indices_[choose_of(table_hops(switch_index, dst_host), s.salt, entropy)];
  }

  // The equal-cost ports of `switch_index` towards `dst_host` as global ids, by port index.
  std::span<const std::uint32_t> next_hops(std::uint32_t switch_index, std::uint32_t dst_host) const {
    const Switch& s = switches_[switch_index];
    if (way_ == Way::numbers) return part_of(ports_, s.first, tree_hops(s, dst_host));
    if (way_ == Way::places) return part_of(ports_, s.first, tree_hops(s, place_of(dst_host)));
    if (is_edge_of(switch_index, dst_host)) return {&host_down_port_[dst_host], 1};
    return part_of(group_ports_, 0, table_hops(switch_index, dst_host));
  }

  // The share of hashes that each of these ports gets.
  std::vector<double> shares(std::uint32_t switch_index, std::uint32_t dst_host) const;

  static constexpr std::uint32_t pick(std::uint32_t entropy, std::uint32_t salt, std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{mix32(entropy ^ salt)} * n) >> 32);
  }

  std::uint32_t salt(std::uint32_t switch_index) const { return switches_[switch_index].salt; }

  const Topology& topology() const { return *topology_; }
  // All ports of a switch as global ids, by port index (the order of the topology's links).
  std::span<const std::uint32_t> ports(std::uint32_t switch_index) const {
    return {ports_.data() + first_port_[switch_index], first_port_[switch_index + 1] - first_port_[switch_index]};
  }
  // The ports of a host, 1 to kMaxHostPorts, in the order of the topology's links; the first of them; and whether any
  // host has several.
  std::span<const std::uint32_t> ports_of(std::uint32_t host) const {
    return {host_ports_.data() + first_host_port_[host], first_host_port_[host + 1] - first_host_port_[host]};
  }
  std::uint32_t nic(std::uint32_t host) const { return Topology::reverse(host_down_port_[host]); }
  bool hosts_have_several_ports() const { return !salts_.empty(); }
  // The rate of all ports of a host together.
  Rate rate_of_host(std::uint32_t host) const;
  // Whether packets that leave their host by this port get to dst, as far as the routes know.
  bool leads(std::uint32_t host_port, std::uint32_t dst) const;
  // The same, or no port of this host leads there, so that any is as good.
  bool is_usable(std::uint32_t host_port, std::uint32_t dst) const;
  // The ports of src that are usable towards dst: one at least.
  std::vector<std::uint32_t> ports_to(std::uint32_t src, std::uint32_t dst) const;
  // The one of these by which packets with this entropy leave src, unless whichever is free is taken.
  std::uint32_t nic(std::uint32_t src, std::uint32_t dst, std::uint32_t entropy) const {
    return salts_.empty() ? nic(src) : nic_of_several(src, dst, entropy);
  }
  // An entropy by which packets leave src by port `lane` mod (their number) of ports_to(src, dst); from `first` on.
  std::uint32_t entropy_of_lane(std::uint32_t src, std::uint32_t dst, std::uint32_t first, std::uint32_t lane) const;
  // The switch, counted from 0, at the other end of a host's first port.
  std::uint32_t edge_switch(std::uint32_t host) const { return topology_->port_peer(nic(host)) - topology_->hosts; }
  // Attachments counted from 0.
  std::uint32_t attachments() const { return static_cast<std::uint32_t>(roots_.size()); }
  std::uint32_t attachment(std::uint32_t host) const { return attachment_of_[host]; }
  // The switches, counted from 0, to which the hosts of an attachment are linked.
  std::span<const std::uint32_t> switches_of(std::uint32_t attachment) const { return roots_[attachment]; }
  bool by_arithmetic() const { return way_ != Way::tables; }
  Multipath multipath() const { return multipath_; }
  // The first next hops that differ in capacity, if any do. In a tree with rules none do.
  std::optional<Uneven> uneven() const;

  // The ports that a packet with this entropy leaves by, from the host's own to the last switch's.
  std::vector<std::uint32_t> path(std::uint32_t src, std::uint32_t dst, std::uint32_t entropy) const;

 private:
  struct Switch {
    std::uint64_t reciprocal = 0;  // of the hosts behind one child
    std::uint32_t first_host = 0;
    std::uint32_t host_count = 0;
    std::uint32_t first = 0;  // where its choices begin: in ports_ (arithmetic) or in groups_ (tables)
    std::uint32_t salt = 0;
    std::uint16_t ports_per_child = 1;
    std::uint16_t down_ports = 0;
    std::uint16_t up_ports = 0;
  };
  static_assert(sizeof(Switch) == 32);  // two to a cache line
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  // Whether no table is needed: the host is at this switch, and at no other.
  bool is_edge_of(std::uint32_t switch_index, std::uint32_t host) const {
    return only_switch_[attachment_of_[host]] == switch_index;
  }
  std::uint32_t place_of(std::uint32_t host) const { return topology_->place[host]; }
  // The next hops by the rules of a tree, by index among the ports of the switch.
  static Group tree_hops(const Switch& s, std::uint32_t place) {
    const std::uint32_t below = place - s.first_host;  // wraps to a large number for hosts before
    if (below < s.host_count) return {divide(below, s.reciprocal) * s.ports_per_child, s.ports_per_child};
    return {s.down_ports, s.up_ports};
  }
  // The next hops by table: a span of group_ports_ and of the lists beside it.
  Group table_hops(std::uint32_t switch_index, std::uint32_t dst_host) const {
    const std::uint16_t id = entry(switch_index, attachment_of_[dst_host]);
    if (id == kIsThere) [[unlikely]]
      return last_hops(switch_index, dst_host);
    return groups_[switches_[switch_index].first + id];
  }
  std::uint16_t entry(std::uint32_t switch_index, std::uint32_t attachment) const {
    return table_[std::size_t{switch_index} * roots_.size() + attachment];
  }
  // The ports from one of its switches to a host of several ports.
  Group last_hops(std::uint32_t switch_index, std::uint32_t host) const;
  static std::span<const std::uint32_t> part_of(const std::vector<std::uint32_t>& ports, std::uint32_t from,
                                                Group hops) {
    return {ports.data() + from + hops.first, hops.count};
  }
  // One of these, all alike.
  static std::uint32_t pick_of(Group hops, std::uint32_t salt, std::uint32_t entropy) {
    return hops.count == 1 ? hops.first : hops.first + pick(entropy, salt, hops.count);
  }
  // One of those of a table, by its share if there are shares.
  std::uint32_t choose_of(Group hops, std::uint32_t salt, std::uint32_t entropy) const {
    if (shares_.empty() || hops.count == 1) return pick_of(hops, salt, entropy);
    const std::uint32_t* first = shares_.data() + hops.first;
    const auto* behind = std::upper_bound(first + 1, first + hops.count, mix32(entropy ^ salt));
    return static_cast<std::uint32_t>(behind - shares_.data()) - 1;
  }

  void find_ports();
  void find_attachments(const std::vector<bool>& down);
  void use_tree();
  using Choice = std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;  // ports, hash_shares
  void build_tables(const std::vector<bool>& down);
  void add_groups(std::uint32_t switch_index, const std::map<Choice, std::uint16_t>& ids);
  void add_last_hops(const std::vector<bool>& down);
  std::uint32_t nic_of_several(std::uint32_t src, std::uint32_t dst, std::uint32_t entropy) const;
  struct Distances {
    std::vector<std::uint32_t> links;  // by switch
    std::vector<std::uint32_t> order;  // the switches that are reached, nearest first
  };
  Distances distances(std::span<const std::uint32_t> roots, const std::vector<bool>& down) const;

  static constexpr std::uint32_t kNoSwitch = ~std::uint32_t{0};
  // Instead of a group: the switch is one of the attachment's, of which there are several; it is in another plane.
  static constexpr std::uint16_t kIsThere = 0xffff;
  static constexpr std::uint16_t kNoWay = 0xfffe;
  static constexpr std::size_t kMostGroups = kNoWay;  // of a switch

  const Topology* topology_;
  Multipath multipath_;
  // How next hops are found: by the rules of a tree, which count hosts by number or by place; or by tables.
  enum class Way : std::uint8_t { numbers, places, tables };
  Way way_ = Way::tables;
  std::vector<Switch> switches_;
  std::vector<std::uint32_t> ports_;            // by switch, then port index
  std::vector<std::uint32_t> first_port_;       // in ports_, by switch, and one more for the end
  std::vector<std::uint32_t> host_down_port_;   // by host: the port at the other end of its first one ...
  std::vector<std::uint16_t> host_down_index_;  // ... and the index of that among the ports of its switch
  std::vector<std::uint32_t> host_ports_;       // by host, in the order of the links
  std::vector<std::uint32_t> first_host_port_;  // in host_ports_, by host, and one more for the end
  std::vector<std::uint32_t> salts_;            // by host; empty if all hosts have one port
  std::vector<std::uint32_t> attachment_of_;    // by host
  // By attachment: its switches. Attachments of hosts of one port come first, in the order of their switches.
  std::vector<std::vector<std::uint32_t>> roots_;
  std::vector<std::vector<std::uint32_t>> all_roots_;  // the same with those whose links to the hosts are down
  std::vector<std::uint32_t> only_switch_;             // by attachment: its switch; kNoSwitch if it has several ports
  std::vector<std::uint16_t> table_;                   // group by (switch, attachment)
  std::vector<bool> reached_;                          // beside it, where hosts have several ports and links are down
  std::vector<bool> is_down_;                          // by link, likewise
  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_ports_;
  std::vector<std::uint16_t> group_indices_;  // of these among the ports of their switches
  std::vector<std::uint32_t> shares_;  // by capacity, beside group_ports_: where each one's hashes begin; else empty
  struct LastHops {
    std::uint32_t switch_index = 0;
    Group group;
  };
  std::vector<LastHops> last_hops_;             // of hosts of several ports
  std::vector<std::uint32_t> first_last_hops_;  // by host, and one more for the end; empty if all have one port
};

}  // namespace weir::net
