#include "tests/validation/second_opinion.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <queue>
#include <set>
#include <stdexcept>
#include <tuple>

#include "weir/net/link/packet.h"

namespace weir::validation {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

struct Sender {
  traffic::Flow flow;
  cc::FlowFacts facts;
  cc::Control control;
  std::vector<std::max_align_t> state;  // of the algorithm
  std::int64_t una = 0;
  std::int64_t nxt = 0;
  Time next_send;
  Time last_sent;
  Bytes last_wire;
  Time finish = Time::max();
  Time armed = Time::max();  // the timer that counts
  // the receiving end
  Time next_cnp;
  // turns of becoming ready
  bool ready = false;
  Time pacing_entry = Time::max();
  std::uint32_t slot = 0;

  bool done() const { return una >= flow.size.count; }
  bool sendable() const { return nxt < flow.size.count && nxt - una < control.window.count; }
};

struct Packet {
  bool ack = false;
  std::uint32_t sender = 0;
  std::int64_t seq = 0;  // first byte, or all bytes below are acknowledged
  Bytes payload;
  Bytes wire;
  std::uint32_t entropy = 0;
  Time sent;
  bool marked = false;
  bool cnp = false;
  std::uint8_t hops = 0;
  Telemetry telemetry;
};

struct Port {
  bool busy = false;
  std::deque<std::uint32_t> queue;  // of packets
  Bytes queued;
  Bytes sent;
  std::uint64_t packets = 0;  // sent
  Time free_at;               // of a NIC
};

struct Nic {
  std::uint32_t port = 0;
  Time wake = Time::max();
  std::uint64_t wake_order = 0;
  std::deque<std::uint32_t> ready;
  std::set<std::tuple<Time, std::uint32_t, std::uint32_t>> paced;  // time, slot, sender
  std::vector<std::uint32_t> free_slots;
  std::uint32_t slots = 0;
};

class Network {
 public:
  Network(const engine::Model& model, const std::vector<traffic::Flow>& flows)
      : model_(model),
        profile_(model.profiles.at(0)),
        algorithm_(*profile_.algorithm),
        topology_(model.topology),
        ports_(topology_.ports()),
        nics_(topology_.hosts),
        data_header_(model.data_wire(profile_) - model.transport.payload),
        ack_wire_(model.ack_wire(profile_)),
        network_rtt_(model.paths.network_rtt(model.data_wire(profile_), ack_wire_)) {
    for (std::uint32_t id = 0; id < topology_.ports(); ++id)
      if (topology_.port_owner(id) < topology_.hosts) nics_[topology_.port_owner(id)].port = id;
    for (const traffic::Flow& flow : flows) senders_.push_back({.flow = flow});
  }

  std::vector<Time> run() {
    if (!senders_.empty()) schedule(senders_[0].flow.start, Kind::inject, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      happen(event);
    }
    std::vector<Time> out;
    for (const Sender& s : senders_) {
      if (s.finish == Time::max()) throw std::runtime_error("a flow did not end: a packet was lost");
      out.push_back(s.finish - s.flow.start);
    }
    return out;
  }

 private:
  enum class Kind { transmitted, arrival, inject, timer, wake };
  struct Event {
    Time time;
    std::uint32_t rank = 0;
    std::uint32_t entity = 0;
    std::uint64_t order = 0;
    Kind kind = Kind::wake;
    std::uint32_t index = 0;
    std::uint32_t packet = kNone;

    friend bool operator<(const Event& a, const Event& b) {  // the later is the lesser: for std::priority_queue
      return std::tie(a.time, a.rank, a.entity, a.order) > std::tie(b.time, b.rank, b.entity, b.order);
    }
  };

  bool at_switch(std::uint32_t port) const { return topology_.port_owner(port) >= topology_.hosts; }

  std::uint64_t schedule(Time time, Kind kind, std::uint32_t index, std::uint32_t packet = kNone) {
    Event e{.time = time, .order = ++order_, .kind = kind, .index = index, .packet = packet};
    // departures from switches, arrivals, starts and timers of hosts, what hosts send
    const bool by_host = kind == Kind::wake || (kind == Kind::transmitted && !at_switch(index));
    e.rank = by_host ? 3 : kind == Kind::transmitted ? 0 : kind == Kind::arrival ? 1 : 2;
    e.entity = kind == Kind::transmitted && by_host ? topology_.port_owner(index) : index;
    events_.push(e);
    return order_;
  }

  void happen(const Event& event) {
    switch (event.kind) {
      case Kind::transmitted:
        ports_[event.index].busy = false;
        if (at_switch(event.index))
          depart(event.index);
        else
          serve(topology_.port_owner(event.index));
        break;
      case Kind::arrival: arrive(event.index, event.packet); break;
      case Kind::inject: inject(event.index); break;
      case Kind::timer: timer(event.index); break;
      case Kind::wake:
        if (nics_[event.index].wake_order != event.order) break;
        nics_[event.index].wake = Time::max();
        serve(event.index);
    }
  }

  void inject(std::uint32_t sender) {
    std::uint32_t next = sender;
    for (; next < senders_.size() && senders_[next].flow.start == now_; ++next) start(next);
    if (next < senders_.size()) schedule(senders_[next].flow.start, Kind::inject, next);
  }

  void start(std::uint32_t id) {
    Sender& s = senders_[id];
    const std::uint32_t h = s.flow.src;
    Nic& nic = nics_[h];
    s.facts = {.line_rate = rate(nic.port),
               .network_rtt = network_rtt_,
               .payload = model_.transport.payload,
               .size = s.flow.size,
               .start = now_,
               .telemetry = model_.int_format()};
    s.next_send = now_;
    s.state.resize(algorithm_.state_size / sizeof(std::max_align_t) + 1);
    algorithm_.start(s.state.data(), profile_.params.get(), s.facts, s.control);
    arm(id);
    if (nic.free_slots.empty()) {
      s.slot = nic.slots++;
    } else {
      s.slot = nic.free_slots.back();
      nic.free_slots.pop_back();
    }
    consider(nic, id);
    wake_at(h, now_);
  }

  void arm(std::uint32_t id) {
    Sender& s = senders_[id];
    if (s.control.timer >= s.armed) return;
    s.armed = s.control.timer;
    schedule(s.armed, Kind::timer, id);
  }

  void timer(std::uint32_t id) {
    Sender& s = senders_[id];
    Nic& nic = nics_[s.flow.src];
    if (!s.done() && s.armed == now_) {
      s.armed = Time::max();
      if (s.control.timer <= now_) {
        s.control.timer = cc::kNoTimer;
        algorithm_.on_timer(s.state.data(), profile_.params.get(), s.facts, now_, s.control);
        repace(s);
      }
      arm(id);
      consider(nic, id);
    }
    wake_at(s.flow.src, now_);
  }

  void repace(Sender& s) const {
    if (s.control.repace) s.next_send = s.last_sent + duration(s.last_wire, s.control.rate);
  }

  Rate rate(std::uint32_t port) const { return topology_.links[port / 2].rate; }
  Time duration(Bytes size, Rate r) const { return transmission_time(size, r); }

  // ---- links and switches

  void transmit(std::uint32_t port, std::uint32_t packet) {
    ports_[port].busy = true;
    const Time end = now_ + duration(packets_[packet].wire, rate(port));
    schedule(end, Kind::transmitted, port);
    schedule(end + topology_.links[port / 2].delay, Kind::arrival, port, packet);
  }

  void depart(std::uint32_t port) {
    Port& p = ports_[port];
    if (p.busy || p.queue.empty()) return;
    const std::uint32_t id = p.queue.front();
    p.queue.pop_front();
    Packet& packet = packets_[id];
    p.queued -= packet.wire;
    if (!packet.ack && model_.ecn.enabled) packet.marked |= marks(port);
    if (!packet.ack && profile_.reads_telemetry()) {
      const HopTelemetry exact{now_.ps, p.sent.count, static_cast<std::int32_t>(p.queued.count),
                               static_cast<std::uint32_t>(rate(port).bits_per_second / 1'000'000)};
      packet.telemetry.hop.at(packet.hops++) = model_.int_format().quantise(exact);
    }
    p.sent += packet.wire;
    ++p.packets;
    transmit(port, id);
  }

  // RED, with Weir's draws.
  bool marks(std::uint32_t port) const {
    const double scale =
        static_cast<double>(rate(port).bits_per_second) / static_cast<double>(model_.ecn.at_rate.bits_per_second);
    const double least = static_cast<double>(model_.ecn.k_min.count) * scale;
    const double most = static_cast<double>(model_.ecn.k_max.count) * scale;
    const auto queue = static_cast<double>(ports_[port].queued.count);
    if (queue <= least) return false;
    if (queue > most) return true;
    const RandomStream random(model_.seed, port, Purpose::ecn_mark);
    return random.uniform(ports_[port].packets) < model_.ecn.p_max * ((queue - least) / (most - least));
  }

  void arrive(std::uint32_t port, std::uint32_t id) {
    const std::uint32_t node = topology_.port_peer(port);
    if (node >= topology_.hosts) {
      const std::uint32_t out = next_hop(node, packets_[id]);
      ports_[out].queue.push_back(id);
      ports_[out].queued += packets_[id].wire;
      depart(out);
    } else if (packets_[id].ack) {
      acknowledge(node, id);
    } else {
      receive(node, id);
    }
  }

  std::uint32_t next_hop(std::uint32_t node, const Packet& packet) const {
    const traffic::Flow& flow = senders_[packet.sender].flow;
    const std::uint32_t dst = packet.ack ? flow.src : flow.dst;
    return model_.routing.egress(node - topology_.hosts, dst, packet.entropy);
  }

  // ---- hosts

  void receive(std::uint32_t host, std::uint32_t id) {
    Packet& packet = packets_[id];
    Sender& s = senders_[packet.sender];
    if (packet.marked && profile_.receiver.cnp && now_ >= s.next_cnp) {
      s.next_cnp = now_ + profile_.receiver.cnp_interval;
      packet.cnp = true;
    }
    packet.ack = true;
    packet.seq += packet.payload.count;
    packet.wire = ack_wire_;
    packet.entropy = mix32(packet.entropy + 1);
    put_on_wire(nics_[host].port, id);
  }

  void acknowledge(std::uint32_t host, std::uint32_t id) {
    const Packet& packet = packets_[id];
    Sender& s = senders_[packet.sender];
    s.una = std::max(s.una, packet.seq);
    if (s.done()) s.finish = now_;
    if (packet.cnp && !s.done()) {
      algorithm_.on_cnp(s.state.data(), profile_.params.get(), s.facts, now_, s.control);
      repace(s);
    }
    if (!s.done()) {
      const cc::Ack ack{.now = now_,
                        .rtt = now_ - packet.sent,
                        .seq = {packet.seq},
                        .snd_nxt = {s.nxt},
                        .in_flight = {s.nxt - s.una},
                        .ecn = packet.marked,
                        .hops = packet.hops,
                        .telemetry = profile_.reads_telemetry() ? &packet.telemetry : nullptr};
      algorithm_.on_ack(s.state.data(), profile_.params.get(), s.facts, ack, s.control);
      repace(s);
    }
    free_packets_.push_back(id);
    Nic& nic = nics_[host];
    if (s.done()) {
      nic.free_slots.push_back(s.slot);
    } else {
      arm(packet.sender);
      consider(nic, packet.sender);
    }
    serve(host);
  }

  std::uint32_t next_packet(Sender& s, std::uint32_t id) {
    std::uint32_t place = static_cast<std::uint32_t>(packets_.size());
    if (free_packets_.empty()) {
      packets_.emplace_back();
    } else {
      place = free_packets_.back();
      free_packets_.pop_back();
    }
    Packet& packet = packets_[place];
    packet = {.sender = id, .seq = s.nxt, .sent = now_};
    packet.payload = std::min(model_.transport.payload, s.flow.size - Bytes{s.nxt});
    packet.wire = packet.payload + data_header_;
    packet.entropy = net::flow_entropy(s.flow.src, s.flow.dst, s.flow.sport, s.flow.dport);
    s.nxt += packet.payload.count;
    s.last_wire = packet.wire;
    s.last_sent = now_;
    s.next_send = now_ + duration(packet.wire, s.control.rate);
    if (algorithm_.on_send != nullptr)
      algorithm_.on_send(s.state.data(), profile_.params.get(), s.facts,
                         {.now = now_, .seq = {packet.seq}, .wire = packet.wire, .in_flight = {s.nxt - s.una}},
                         s.control);
    return place;
  }

  void wake_at(std::uint32_t host, Time time) {
    Nic& nic = nics_[host];
    nic.wake = time;
    nic.wake_order = time == Time::max() ? 0 : schedule(time, Kind::wake, host);
  }

  // Weir's way, as docs/architecture.md tells it: a flow that may send waits for its turn, a paced one for its time.
  void consider(Nic& nic, std::uint32_t id) {
    Sender& s = senders_[id];
    if (s.ready || !s.sendable()) return;
    if (s.next_send <= now_) {
      s.ready = true;
      s.pacing_entry = Time::max();
      nic.ready.push_back(id);
    } else if (s.next_send < s.pacing_entry) {
      s.pacing_entry = s.next_send;
      nic.paced.emplace(s.next_send, s.slot, id);
    }
  }

  void put_on_wire(std::uint32_t port, std::uint32_t packet) {
    Port& p = ports_[port];
    p.free_at = std::max(p.free_at, now_) + duration(packets_[packet].wire, rate(port));
    schedule(p.free_at + topology_.links[port / 2].delay, Kind::arrival, port, packet);
  }

  void serve(std::uint32_t host) {
    Nic& nic = nics_[host];
    Port& p = ports_[nic.port];
    while (!nic.paced.empty() && std::get<Time>(*nic.paced.begin()) <= now_) {
      const auto [time, slot, id] = *nic.paced.begin();
      nic.paced.erase(nic.paced.begin());
      if (senders_[id].done() || senders_[id].pacing_entry != time) continue;
      senders_[id].pacing_entry = Time::max();
      consider(nic, id);
    }
    while (p.free_at <= now_ && !nic.ready.empty()) {
      const std::uint32_t id = nic.ready.front();
      nic.ready.pop_front();
      Sender& s = senders_[id];
      s.ready = false;
      if (s.done()) continue;
      if (s.sendable() && s.next_send <= now_) put_on_wire(nic.port, next_packet(s, id));
      consider(nic, id);
    }
    Time next = Time::max();
    if (!nic.ready.empty())
      next = std::max(now_, p.free_at);
    else if (!nic.paced.empty())
      next = std::max(std::get<Time>(*nic.paced.begin()), p.free_at);
    if (next != nic.wake) wake_at(host, next);
  }

  const engine::Model& model_;
  const host::Profile& profile_;
  const cc::Algorithm& algorithm_;
  const net::Topology& topology_;
  std::vector<Port> ports_;
  std::vector<Nic> nics_;
  std::vector<Sender> senders_;
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_packets_;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  Time now_;
  const Bytes data_header_;
  const Bytes ack_wire_;
  const Time network_rtt_;
};

}  // namespace

std::vector<Time> completion_times(const engine::Model& model, const std::vector<traffic::Flow>& flows) {
  return Network(model, flows).run();
}

}  // namespace weir::validation
