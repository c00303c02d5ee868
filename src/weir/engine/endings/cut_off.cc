#include "weir/engine/endings/cut_off.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "weir/engine/model/packet_sizes.h"

namespace weir::engine {
namespace {

// A packet on its way, as far as obstacles go.
struct Trip {
  std::uint32_t dst = 0;
  Sized packet;
};

class Ways {
 public:
  Ways(const Network& network, const net::Routing& routing, const std::vector<bool>& dead)
      : network_(network), routing_(routing), dead_(dead), topology_(routing.topology()) {}

  // The port of its destination at which a packet with this entropy arrives that has been put on this port; nothing if
  // it does not arrive.
  std::optional<std::uint32_t> arrival(std::uint32_t port, std::uint32_t entropy, const Trip& trip) const {
    for (std::uint32_t hops = 0; hops <= topology_.switches; ++hops) {
      if (dead_[port / 2]) return std::nullopt;
      const std::uint32_t node = topology_.port_peer(port);
      if (node < topology_.hosts) return node == trip.dst ? std::optional(net::Topology::reverse(port)) : std::nullopt;
      if (is_closed(node, trip)) return std::nullopt;
      port = routing_.egress(node - topology_.hosts, trip.dst, entropy);
    }
    return std::nullopt;
  }

  // Whether a packet that has been put on this port may arrive if switches take any of their equal-cost ports.
  bool spreads(std::uint32_t port, const Trip& trip) const {
    return reaches(
        {port}, trip, [&](std::uint32_t at) { return !dead_[at / 2]; },
        [&](std::uint32_t s) { return routing_.next_hops(s, trip.dst); });
  }

  // Whether a packet might arrive if all links were alive and switches took any port at all.
  bool fits(std::uint32_t src, const Trip& trip) const {
    const auto ports = routing_.ports_of(src);
    return reaches(
        {ports.begin(), ports.end()}, trip, [](std::uint32_t) { return true; },
        [&](std::uint32_t s) { return routing_.ports(s); });
  }

 private:
  bool is_closed(std::uint32_t node, const Trip& trip) const {
    return trip.packet.wire > network_.switches[node - topology_.hosts].buffer.largest(trip.packet.traffic_class);
  }

  template <class Alive, class Onward>
  bool reaches(std::vector<std::uint32_t> open, const Trip& trip, const Alive& is_alive, const Onward& onward) const {
    std::vector<bool> seen(topology_.switches);
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (!is_alive(at)) continue;
      const std::uint32_t node = topology_.port_peer(at);
      if (node < topology_.hosts) {
        if (node == trip.dst) return true;
        continue;
      }
      const std::uint32_t s = node - topology_.hosts;
      if (seen[s] || is_closed(node, trip)) continue;
      seen[s] = true;
      const auto hops = onward(s);
      open.insert(open.end(), hops.begin(), hops.end());
    }
    return false;
  }

  const Network& network_;
  const net::Routing& routing_;
  const std::vector<bool>& dead_;
  const net::Topology& topology_;
};

// Acknowledgements choose their path by themselves.
std::uint32_t back(std::uint32_t entropy) { return net::answer_entropy(entropy); }

bool is_led_by_switches(net::PathPolicy policy) { return policy != net::PathPolicy::hash; }

// A flow, with its next unacknowledged packet and the acknowledgement of that. No packet that it sends later is larger.
class Need {
 public:
  // `left`: how many bytes of the flow, or of the first message of a connection, are not acknowledged.
  Need(const Model& model, const Network& network, const net::Routing& routing, std::uint32_t src,
       const host::Flow& flow, Bytes left)
      : host_(network.hosts[src]),
        flow_(flow),
        src_(src),
        ports_(flow.sprayed ? routing.ports_to(src, flow.dst) : std::vector{routing.nic(src, flow.dst, flow.entropy)}),
        routing_(routing),
        answer_ports_(model.profiles[flow.profile].balancing.answer_ports),
        switches_lead_back_(is_led_by_switches(model.profiles[flow.profile].balancing.ack_path_policy())) {
    const PacketSizes sizes(model);
    out_ = {flow.dst, sizes.data(flow.profile, left)};
    back_ = {src, sizes.ack(flow.profile)};
  }

  std::uint32_t wire() const { return static_cast<std::uint32_t>(out_.packet.wire); }

  bool data_fits(const Ways& ways) const { return ways.fits(src_, out_); }
  bool feedback_fits(const Ways& ways) const { return ways.fits(flow_.dst, back_); }

  // The fate of a data packet of the flow that has this entropy and has been put on this port. The port at which it
  // reaches its destination is only known if switches do not choose its path.
  Fate fate_from(const Ways& ways, std::uint32_t port, bool switches_lead, std::uint32_t entropy,
                 const Trip& data) const {
    const auto leads_back = [&](std::uint32_t by) {
      return switches_lead_back_ ? ways.spreads(by, back_) : ways.arrival(by, back(entropy), back_).has_value();
    };
    const auto answers = [&](std::uint32_t came_by) {
      switch (answer_ports_) {
        case host::AnswerPorts::data: return leads_back(came_by);
        case host::AnswerPorts::hash: return leads_back(routing_.nic(flow_.dst, src_, back(entropy)));
        case host::AnswerPorts::free: break;
      }
      const auto any = routing_.ports_to(flow_.dst, src_);
      return std::any_of(any.begin(), any.end(), leads_back);
    };
    if (!switches_lead) {
      const auto at = ways.arrival(port, entropy, data);
      if (!at) return Fate::lost;
      return answers(*at) ? Fate::acknowledged : Fate::arrives;
    }
    if (!ways.spreads(port, data)) return Fate::lost;
    const auto all = routing_.ports_of(flow_.dst);
    return std::any_of(all.begin(), all.end(), answers) ? Fate::acknowledged : Fate::arrives;
  }

  Fate fate(const Ways& ways) const {
    if (!flow_.sprayed) return fate_by(ways, flow_.entropy);
    // This test is quick, and finds most flows that are cut off.
    const auto spreads = [&](std::span<const std::uint32_t> ports, const Trip& trip) {
      return std::any_of(ports.begin(), ports.end(), [&](std::uint32_t port) { return ways.spreads(port, trip); });
    };
    if (!spreads(ports_, out_)) return Fate::lost;
    const Fate best = spreads(routing_.ports_of(flow_.dst), back_) ? Fate::acknowledged : Fate::arrives;
    const host::PathChoice& choice = host_.connections.paths(host_.extras[flow_.slot].connection);
    Fate out = Fate::lost;
    for (std::int64_t n = 0; n < choice.entropies() && out < best; ++n)
      out = std::max(out, fate_by(ways, choice.entropy(static_cast<std::uint32_t>(n))));
    return out;
  }

 private:
  Fate fate_by(const Ways& ways, std::uint32_t entropy) const {
    Fate out = Fate::lost;
    for (const std::uint32_t port : ports_)
      out = std::max(out, fate_from(ways, port, is_led_by_switches(flow_.path_policy), entropy, out_));
    return out;
  }

  const host::Host& host_;
  const host::Flow& flow_;
  std::uint32_t src_;
  std::vector<std::uint32_t> ports_;  // the host's ports, by any of which its packets may leave
  const net::Routing& routing_;
  host::AnswerPorts answer_ports_;
  bool switches_lead_back_;
  Trip out_;
  Trip back_;
};

class Judge {
 public:
  using Fates = std::function<Fate(const host::Flow&, const Need&, const Ways&)>;

  Judge(const Model& model, const Network& network, const CutOffView& view, Fates fate_of)
      : model_(model),
        network_(network),
        view_(view),
        ways_(network, view.routing, view.dead),
        any_dead_(std::find(view.dead.begin(), view.dead.end(), true) != view.dead.end()),
        fate_of_(std::move(fate_of)) {}

  std::optional<Obstacles> judge() const {
    Obstacles out;
    bool some = false;
    bool all = true;
    view_.each_flow([&](std::uint32_t src, const host::Flow& flow) {
      some = true;
      if (all) all = is_cut_off(src, flow, out);
    });
    if (!some || !all || view_.drivers_go_on || packet_helps()) return std::nullopt;
    return out;
  }

 private:
  Need need_of(std::uint32_t src, const host::Flow& flow) const {
    const std::int64_t end = flow.is_connection ? view_.messages_of(src, flow).front().end : flow.size();
    return {model_, network_, view_.routing, src, flow, left(src, flow, end)};
  }

  // How much of the payload below byte `end` is not acknowledged.
  Bytes left(std::uint32_t src, const host::Flow& flow, std::int64_t end) const {
    if (!flow.is_connection) return Bytes{end - flow.snd_una};
    Bytes out;
    for (const host::QueuedMessage& m : view_.messages_of(src, flow)) {
      const std::int64_t upto = std::min(end, m.begin + m.message.size.count);
      out += Bytes{std::max<std::int64_t>(0, upto - std::max(flow.snd_una, m.begin))};
    }
    return out;
  }

  // Whether the receiver of a message still waits for it and can get all of it without any acknowledgement, so that
  // whatever waits for the message may go on. Without acknowledgements nothing opens the sender's window.
  bool may_be_received(std::uint32_t src, const host::Flow& flow) const {
    if (!flow.has_messages) return false;
    const std::optional<std::int64_t> end = view_.expected_end(src, flow);
    return end && (flow.snd_max >= *end || left(src, flow, *end) <= flow.control.window);
  }

  bool is_cut_off(std::uint32_t src, const host::Flow& flow, Obstacles& by) const {
    const Need need = need_of(src, flow);
    const Fate enough = may_be_received(src, flow) ? Fate::arrives : Fate::acknowledged;
    const Fate fate = fate_of_(flow, need, ways_);
    if (fate >= enough) return false;
    (fate == Fate::arrives ? by.of_acknowledgements : by.of_data) = true;
    const bool fits = need.data_fits(ways_) && (enough == Fate::arrives || need.feedback_fits(ways_));
    (fits && any_dead_ ? by.links : by.buffers) = true;
    return true;
  }

  // Whether some packet that is under way, beyond the obstacles, may make its flow go on.
  bool packet_helps() const {
    bool helps = false;
    view_.each_packet([&](std::uint32_t port, const net::Packet& packet) {
      if (!helps) helps = this->helps(port, packet);
    });
    return helps;
  }

  bool helps(std::uint32_t port, const net::Packet& packet) const {
    const bool back = packet.is_acknowledgement();
    if (!back && !packet.is_data()) return false;
    const std::uint32_t src = back ? packet.dst : packet.src;
    const host::Flow* flow = network_.hosts[src].find(packet.slot, packet.generation);
    if (flow == nullptr || flow->rests()) return false;
    const Need need = need_of(src, *flow);
    // The flow's next packet can never arrive, so packets of it that do arrive are of no use.
    if (!need.data_fits(ways_)) return false;
    const bool switches_lead = is_led_by_switches(packet.path_policy());
    const Trip trip{packet.dst, {packet.wire, packet.traffic_class}};
    if (back) return switches_lead ? ways_.spreads(port, trip) : ways_.arrival(port, packet.entropy, trip).has_value();
    const Fate enough = may_be_received(src, *flow) ? Fate::arrives : Fate::acknowledged;
    return need.fate_from(ways_, port, switches_lead, packet.entropy, trip) >= enough;
  }

  const Model& model_;
  const Network& network_;
  const CutOffView& view_;
  Ways ways_;
  bool any_dead_;
  Fates fate_of_;
};

}  // namespace

CutOffSearch::CutOffSearch(const Model& model, const Network& network) : model_(model), network_(network) {
  const PacketSizes sizes(model);
  for (const net::SwitchState& s : network.switches)
    buffers_matter_ = buffers_matter_ || sizes.matter_to({&s.buffer, 1});
}

std::optional<Obstacles> CutOffSearch::look(const CutOffView& view) {
  const auto fate_of = [this](const host::Flow& flow, const Need& need, const Ways& ways) {
    if (!flow.sprayed) return need.fate(ways);
    const auto [known, is_new] = known_.try_emplace(flow.id);
    if (is_new || known->second.wire != need.wire()) known->second = {need.wire(), need.fate(ways)};
    return known->second.fate;
  };
  return Judge(model_, network_, view, fate_of).judge();
}

}  // namespace weir::engine
