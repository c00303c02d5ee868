// CONGA (Alizadeh et al., SIGCOMM 2014): switches with hosts, the leaves, choose an uplink for each flowlet by how
// congested the whole way to the other leaf is, as that one tells them.
//
// What a packet carries from leaf to leaf stands in the header of its overlay, a VXLAN header with CONGA's fields among
// its reserved bits (3.1), and so takes no bytes of its own here: [transport] header says how long headers are. A
// link's congestion is an average of its use, the discounting rate estimator or DRE (3.2). A packet collects the most
// of its links as CE; the leaf where it leaves the fabric keeps that by leaf and uplink of the sender (LBTag), and
// sends it back, one uplink's at a time, on any packet that goes there (3.3). The leaf that gets it chooses the uplink
// of a new flowlet by the larger of this and of the uplink's own DRE (3.5).
//
// Between the leaves switches choose by hash. The paper has two tiers. With more of them leaves choose by what they
// know, as in its section 7, where CE says how congested the ways are that packets have taken by that uplink.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/units.h"
#include "weir/net/link/packet.h"
#include "weir/net/model/routing.h"
#include "weir/net/switch/flowlet_table.h"
#include "weir/net/switch/params.h"
#include "weir/net/switch/path_policy.h"

namespace weir::net {

class Conga : public PlainPathPolicy {
 public:
  static constexpr PathPolicy kPolicy = PathPolicy::conga;
  static constexpr bool kWritesNotes = true;

  // Each host has one leaf, and no link sends packets again. Throws InputError.
  template <class Model>
  static void check(const Model& m) {
    if (m.routing.hosts_have_several_ports())
      throw InputError(
          "",
          "load_balancing.kind = \"conga\" knows congestion by the one leaf of each host, and here hosts have "
          "several ports; valid are hosts with one port, or another kind, such as flowlets");
    // A packet that a link sends again is on the wire before it departs, and estimators follow departures.
    if (m.faults.some_links_retry)
      throw InputError("",
                       "load_balancing.kind = \"conga\" estimates what links carry, and not where [[network.loss]] has "
                       "retry = true; remove retry, or take another kind, such as flowlets");
  }

  template <class Model>
  void start(const Model& m) {
    params_ = m.network.conga;
    gap_ = m.network.flowlet_gap;
    entries_ = static_cast<std::uint32_t>(m.network.flowlet_entries);
    topology_ = &m.topology;
    routing_ = &m.routing;
    levels_ = std::uint64_t{1} << params_.bits;
    period_ = Time{std::max<std::int64_t>(1, std::llround(params_.alpha * static_cast<double>(params_.tau.ps)))};
    kept_ = static_cast<std::uint64_t>(std::llround((1 - params_.alpha) * kOne));
    dres_.resize(m.topology.ports());
    full_.resize(m.topology.ports());
    for (std::uint32_t port = 0; port < m.topology.ports(); ++port)
      full_[port] = static_cast<std::uint64_t>(
          std::max<std::int64_t>(1, bytes_in(params_.tau, m.topology.links[port / 2].rate).count));
    leaves_.resize(m.topology.switches);
  }

  template <class Ports>
  std::uint32_t choose(const Fork& f, const Ports& ports) {
    const bool from_host = ports.from() < topology_->hosts;
    if (topology_->port_peer(f.hops[0]) < topology_->hosts) {
      if (!from_host) leave_fabric(f);
      return f.hops[0];
    }
    return from_host ? enter_fabric(f, ports) : ports.hashed();
  }

  void departed(std::uint32_t port, const Descriptor& packet, PathNote* note) {
    count(dres_[port], packet);
    if (note == nullptr) return;
    Overlay& overlay = note->as<Overlay>();
    overlay.ce = std::max(overlay.ce, level_of(dres_[port], port));
  }

  // Throws InputError.
  template <class A>
  void archive(A& a, std::uint32_t s, std::span<const std::uint32_t> ports) {
    if (leaves_.empty()) return;
    for (const std::uint32_t port : ports) a.value(dres_[port]);
    Leaf& leaf = leaves_[s];
    leaf.flowlets.archive(a, entries_);
    a.value(leaf.ties);
    std::vector<std::uint32_t> known;
    for (std::uint32_t i = 0; i < leaf.others.size(); ++i)
      if (leaf.others[i].is_known()) known.push_back(i);
    a.values(known);
    if constexpr (A::kLoads) leaf.others.assign(known.empty() ? 0 : leaves_.size(), {});
    for (const std::uint32_t i : known) {
      if (i >= leaf.others.size()) throw InputError("the checkpoint has a leaf that is not possible");
      leaf.others[i].archive(a);
    }
  }

 private:
  static constexpr double kOne = 65'536;
  static constexpr std::uint16_t kNoTag = 0xffff;

  // What a packet carries between leaves (3.1). The paper's tags have 4 bits, for leaves of up to 16 uplinks.
  struct Overlay {
    std::uint32_t leaf;        // at which it has entered the fabric, as the outer source address says
    std::uint16_t lb_tag;      // by this port there
    std::uint16_t fed_lb_tag;  // fed back: this port of the leaf at which it leaves the fabric ... ; kNoTag: nothing
    std::uint8_t ce;           // the most congested link so far
    std::uint8_t fed_metric;   // ... had this metric
  };

  // The discounting rate estimator of a port: X, which grows by what is sent and is multiplied by 1 - alpha every
  // tau * alpha, so that a rate R keeps it near R * tau (3.2).
  struct Dre {
    std::uint64_t bytes = 0;
    Time next;  // it is multiplied again
  };

  // The metric of an uplink's way, and when it was told last.
  struct Metric {
    Time at;
    std::uint16_t level = 0;
    std::uint16_t known = 0;
    std::uint32_t changed = 0;  // since it was fed back
  };

  // What a leaf knows of another one (3.3).
  struct Other {
    std::vector<Metric> to;    // the congestion-to-leaf table: by own port
    std::vector<Metric> from;  // the congestion-from-leaf table: by LBTag
    std::uint64_t next = 0;    // of `from`: whose turn it is to be fed back

    bool is_known() const { return !to.empty() || !from.empty(); }
    template <class A>
    void archive(A& a) {
      a.values(to);
      a.values(from);
      a.value(next);
    }
  };

  struct Leaf {
    FlowletTable flowlets;
    std::vector<Other> others;          // by switch; none before the first packet
    std::vector<std::uint32_t> levels;  // of the ports of one choice
    std::uint64_t ties = 0;             // broken so far
  };

  Other& other(Leaf& leaf, std::uint32_t s) {
    if (leaf.others.empty()) leaf.others.resize(leaves_.size());
    return leaf.others[s];
  }
  static Metric& metric(std::vector<Metric>& table, std::uint32_t tag) {
    if (tag >= table.size()) table.resize(tag + std::size_t{1});
    return table[tag];
  }
  // The metric now. One that has not been told of for `age` falls to 0 within as long: the paper lets it decay
  // gradually, and says no more (3.3).
  std::uint32_t aged(const Metric& m, Time now) const {
    const std::int64_t silent = (now - m.at).ps, age = params_.age.ps;
    if (silent <= age) return m.level;
    if (silent >= 2 * age) return 0;
    return static_cast<std::uint32_t>(m.level * static_cast<double>(2 * age - silent) / static_cast<double>(age));
  }

  void decay(Dre& dre, Time now) const {
    for (; dre.bytes > 0 && dre.next <= now; dre.next += period_) dre.bytes = dre.bytes * kept_ >> 16;
    if (dre.next <= now) dre.next = Time{(now.ps / period_.ps + 1) * period_.ps};
  }
  void count(Dre& dre, const Descriptor& packet) const {
    decay(dre, packet.departs);
    dre.bytes += packet.wire;
  }
  // X / (C * tau), quantised.
  std::uint8_t level_of(const Dre& dre, std::uint32_t port) const {
    return static_cast<std::uint8_t>(std::min(levels_ - 1, dre.bytes * levels_ / full_[port]));
  }
  template <class Ports>
  std::uint32_t level_now(std::uint32_t port, Time now, const Ports& ports) const {
    Dre dre = dres_[port];
    ports.each_on_wire(port, [&](const Descriptor& packet) {
      if (packet.departs <= now) count(dre, packet);
    });
    decay(dre, now);
    return level_of(dre, port);
  }

  template <class Ports>
  std::uint32_t enter_fabric(const Fork& f, const Ports& ports) {
    Leaf& leaf = leaves_[f.s];
    Other& to = other(leaf, routing_->edge_switch(f.packet.dst));
    const std::span<const std::uint32_t> own = routing_->ports(f.s);
    FlowletTable::Flowlet& flowlet = leaf.flowlets.of(f, entries_);
    const bool leads = flowlet.until > Time{} && flowlet.number < own.size() &&
                       std::find(f.hops.begin(), f.hops.end(), own[flowlet.number]) != f.hops.end();
    if (!leads || flowlet.has_ended(f.now))
      flowlet.number = least_congested(f, leaf, to, leads ? own[flowlet.number] : f.hops[0], leads, ports);
    flowlet.until = f.now + gap_;
    Overlay& overlay = f.note->as<Overlay>();
    overlay = {.leaf = f.s,
               .lb_tag = static_cast<std::uint16_t>(flowlet.number),
               .fed_lb_tag = kNoTag,
               .ce = 0,
               .fed_metric = 0};
    feed_back(to, overlay, f.now);
    return own[flowlet.number];
  }

  // The number among the leaf's ports of the uplink with the least metric: that of the last flowlet if it is among
  // them, else any (3.5).
  template <class Ports>
  std::uint32_t least_congested(const Fork& f, Leaf& leaf, Other& to, std::uint32_t last, bool has_last,
                                const Ports& ports) {
    leaf.levels.clear();
    for (const std::uint32_t hop : f.hops)
      leaf.levels.push_back(std::max(level_now(hop, f.now, ports), aged(metric(to.to, number_of(f.s, hop)), f.now)));
    const std::uint32_t least = *std::min_element(leaf.levels.begin(), leaf.levels.end());
    if (has_last) {
      const auto place = std::find(f.hops.begin(), f.hops.end(), last) - f.hops.begin();
      if (leaf.levels[static_cast<std::size_t>(place)] == least) return number_of(f.s, last);
    }
    const auto tied = static_cast<std::uint32_t>(std::count(leaf.levels.begin(), leaf.levels.end(), least));
    std::uint32_t skipped = tied == 1 ? 0 : Routing::pick(static_cast<std::uint32_t>(leaf.ties++), f.salt, tied);
    std::size_t at = 0;
    while (leaf.levels[at] != least || skipped-- != 0) ++at;
    return number_of(f.s, f.hops[at]);
  }
  // Ports are numbered in the order of their ids.
  std::uint32_t number_of(std::uint32_t s, std::uint32_t port) const {
    const std::span<const std::uint32_t> own = routing_->ports(s);
    return static_cast<std::uint32_t>(std::lower_bound(own.begin(), own.end(), port) - own.begin());
  }

  // A packet to the other leaf takes one metric there: of its uplinks in turn, those first that have changed (3.3).
  void feed_back(Other& to, Overlay& overlay, Time now) const {
    const std::size_t n = to.from.size();
    for (const bool any : {false, true})
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t tag = (to.next + i) % n;
        Metric& m = to.from[tag];
        if (m.known == 0 || (m.changed == 0 && !any)) continue;
        overlay.fed_lb_tag = static_cast<std::uint16_t>(tag);
        overlay.fed_metric = static_cast<std::uint8_t>(aged(m, now));
        m.changed = 0;
        to.next = tag + 1;
        return;
      }
  }

  void leave_fabric(const Fork& f) {
    const Overlay& overlay = f.note->as<Overlay>();
    Other& from = other(leaves_[f.s], overlay.leaf);
    Metric& seen = metric(from.from, overlay.lb_tag);
    const bool changes = seen.known == 0 || seen.level != overlay.ce;
    seen = {.at = f.now, .level = overlay.ce, .known = 1, .changed = changes ? 1 : seen.changed};
    if (overlay.fed_lb_tag != kNoTag)
      metric(from.to, overlay.fed_lb_tag) = {.at = f.now, .level = overlay.fed_metric, .known = 1, .changed = 0};
  }

  CongaParams params_;
  Time gap_;
  std::uint32_t entries_ = 0;
  const Topology* topology_ = nullptr;
  const Routing* routing_ = nullptr;  // of the whole network
  std::uint64_t levels_ = 0;
  Time period_;                      // T_dre
  std::uint64_t kept_ = 0;           // 1 - alpha, of kOne
  std::vector<Dre> dres_;            // by port
  std::vector<std::uint64_t> full_;  // by port: X of a link that is never idle
  std::vector<Leaf> leaves_;         // by switch
};

}  // namespace weir::net
