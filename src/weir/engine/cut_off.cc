#include "weir/engine/cut_off.h"

#include <algorithm>
#include <map>

namespace weir::engine {
namespace {

class Ways {
 public:
  explicit Ways(const CutOffView& view) : view_(view), topology_(view.model.topology) {}

  // May a packet that has been put on this port come to `dst`? With `any`, switches may take any of their equal-cost
  // ports; else the entropy decides.
  bool leads(std::uint32_t port, std::uint32_t dst, std::uint32_t entropy, bool any) const {
    std::vector<bool> seen(topology_.switches);
    std::vector<std::uint32_t> open{port};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (view_.dead[at / 2]) continue;
      const std::uint32_t node = topology_.port_peer(at);
      if (node < topology_.hosts) {
        if (node == dst) return true;
        continue;
      }
      const std::uint32_t s = node - topology_.hosts;
      if (seen[s]) continue;
      seen[s] = true;
      if (!any) {
        open.push_back(view_.routing.egress(s, dst, entropy));
        continue;
      }
      const auto hops = view_.routing.next_hops(s, dst);
      open.insert(open.end(), hops.begin(), hops.end());
    }
    return false;
  }

  bool data_arrives(std::uint32_t src, const host::Flow& flow) const {
    return leads(view_.routing.host_port(src), flow.dst, flow.entropy, flow.sprayed);
  }
  bool feedback_arrives(std::uint32_t src, const host::Flow& flow) const {
    return leads(view_.routing.host_port(flow.dst), src, mix32(flow.entropy + 1), flow.sprayed);
  }

 private:
  const CutOffView& view_;
  const net::Topology& topology_;
};

class Judge {
 public:
  explicit Judge(const CutOffView& view) : view_(view), ways_(view) {}

  bool all_cut_off() const {
    bool some = false;
    bool all = true;
    view_.each_flow([&](std::uint32_t src, const host::Flow& flow) {
      some = true;
      if (all) all = is_cut_off(src, flow);
    });
    return some && all && !program_goes_on() && !packet_helps();
  }

 private:
  // Of a message: its receiver still waits for it, and what waits for that may go on without any acknowledgement.
  bool is_awaited(const host::Flow& flow) const {
    return flow.id < view_.program.size() && view_.network.node_times[flow.id].received == Time::max();
  }

  bool is_cut_off(std::uint32_t src, const host::Flow& flow) const {
    if (!ways_.data_arrives(src, flow)) return true;
    return !is_awaited(flow) && !ways_.feedback_arrives(src, flow);
  }

  // A node that waits for nothing, and has not started or is a computation that has not ended.
  bool program_goes_on() const {
    std::map<std::uint32_t, std::uint32_t> signals;
    view_.each_signal([&](std::uint32_t node) { ++signals[node]; });
    for (std::uint32_t node = 0; node < view_.program.size(); ++node) {
      const auto coming = signals.find(node);
      if (view_.network.node_states[node].waiting != (coming == signals.end() ? 0 : coming->second)) continue;
      const NodeTimes& times = view_.network.node_times[node];
      if (times.started == Time::max()) return true;
      if (!view_.program[node].is_message() && times.received == Time::max()) return true;
    }
    return false;
  }

  // A packet that is beyond the dead links.
  bool packet_helps() const {
    bool helps = false;
    view_.each_packet([&](std::uint32_t port, const net::Packet& packet) {
      if (!helps) helps = this->helps(port, packet);
    });
    return helps;
  }

  bool helps(std::uint32_t port, const net::Packet& packet) const {
    using Kind = net::PacketKind;
    const bool back = packet.kind == Kind::ack || packet.kind == Kind::nack;
    if (!back && packet.kind != Kind::data && packet.kind != Kind::trimmed) return false;
    const std::uint32_t src = back ? packet.dst : packet.src;
    const host::Flow* flow = view_.network.hosts[src].find(packet.slot, packet.generation);
    if (flow == nullptr || !ways_.leads(port, packet.dst, packet.entropy, flow->sprayed)) return false;
    return back || is_awaited(*flow) || ways_.feedback_arrives(src, *flow);
  }

  const CutOffView& view_;
  Ways ways_;
};

}  // namespace

bool all_cut_off(const CutOffView& view) { return Judge(view).all_cut_off(); }

}  // namespace weir::engine
