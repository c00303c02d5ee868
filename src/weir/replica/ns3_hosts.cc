// NICs and the two ends of flows (rdma-hw.cc, rdma-egress-queue in qbb-net-device.cc, third.cc of the artifact).
//
// Go-back-N without a timeout: a receiver that misses a packet says so, and again after a while only if more packets
// come. What is lost at a flow's end may never be sent again.
#include <algorithm>

#include "weir/replica/ns3_clock.h"
#include "weir/replica/ns3_network.h"

namespace weir::replica {

// Flows of this instant are created two events without delay later, after all that is due now.
void Ns3Network::inject() {
  for (; next_flow_ && next_flow_->start.ps / 1000 <= now(); next_flow_ = traffic_.next()) {
    SimFlow& f = flows_.emplace_back();
    f.flow = *next_flow_;
    f.size = static_cast<std::uint64_t>(f.flow.size.count);
    f.start = now();
    ++counters_.flows_started;
    schedule(now(), {kInstall, installed_++});
  }
  if (next_flow_) schedule(next_flow_->start.ps / 1000, {kInject});
}

void Ns3Network::start(std::uint32_t id) {
  SimFlow& f = flows_[id];
  Nic& nic = nics_[f.flow.src];
  const PairFacts pair = params_.global_t ? PairFacts{} : routes_.facts(f.flow.src, f.flow.dst);
  f.line_rate = ports_[nic.port].rate;
  // SetWin takes 32 bits.
  f.full_window = static_cast<std::uint32_t>(params_.global_t ? routes_.max_bdp() : pair.bdp());
  set_rate(f, f.line_rate);
  f.next_avail = now();
  control_->start(
      {.line_rate = f.line_rate, .base_rtt = params_.global_t ? routes_.max_rtt() : pair.rtt, .window = f.full_window});
  nic.flows.push_back(id);
  serve(f.flow.src);
}

void Ns3Network::set_rate(SimFlow& f, std::int64_t rate) const {
  f.rate = rate;
  if (control_->window() == Control::Window::none) return;
  f.window = f.full_window;
  if (control_->window() == Control::Window::variable)
    f.window = std::max<std::uint64_t>(
        1, f.full_window * static_cast<std::uint64_t>(rate) / static_cast<std::uint64_t>(f.line_rate));
}

// Acknowledgements first, then the next flow after the one served last.
void Ns3Network::serve(std::uint32_t host) {
  Nic& nic = nics_[host];
  SimPort& p = ports_[nic.port];
  if (p.busy) return;
  if (!nic.acks.empty() && (!p.paused || params_.ack_high_prio)) return transmit(nic.port, packets_.pop(nic.acks));
  const std::uint32_t id = choose_flow(nic);
  if (id != kNone) {
    SimFlow& f = flows_[id];
    transmit(nic.port, next_packet(f, id));
    f.next_avail = now() + transmission_ns(f.last_wire, params_.rate_bound ? f.rate : f.line_rate);
    return;
  }
  std::int64_t next = kNever;
  for (const std::uint32_t flow : nic.flows)
    if (flows_[flow].left() > 0) next = std::min(next, flows_[flow].next_avail);
  if (nic.wake == kNever && next < kNever && next > now()) wake_at(host, next);
}

// Flows that have ended are taken out of the list when the search comes across one, but the place of the one served
// last is corrected only if it is the one chosen now.
std::uint32_t Ns3Network::choose_flow(Nic& nic) {
  auto& list = nic.flows;
  const bool paused = ports_[nic.port].paused;
  std::size_t chosen = list.size();
  std::size_t ended = list.size();
  std::size_t place = nic.last;
  for (std::size_t i = 0; i < list.size(); ++i) {
    // `last` may lie beyond the end of a list that has become shorter.
    place = place + 1 < list.size() ? place + 1 : (place + 1) % list.size();
    const SimFlow& f = flows_[list[place]];
    if (!paused && f.left() > 0 && !f.window_bound()) {
      if (f.next_avail > now()) continue;
      chosen = place;
      break;
    }
    if (f.acknowledged()) ended = std::min(ended, place);
  }
  const std::uint32_t id = chosen < list.size() ? list[chosen] : kNone;
  if (ended < list.size()) {
    const auto gone = [this](std::uint32_t flow) { return flows_[flow].acknowledged(); };
    if (chosen < list.size() && chosen > ended)
      chosen -= static_cast<std::size_t>(std::count_if(list.begin() + static_cast<std::ptrdiff_t>(ended),
                                                       list.begin() + static_cast<std::ptrdiff_t>(chosen), gone));
    list.erase(std::remove_if(list.begin() + static_cast<std::ptrdiff_t>(ended), list.end(), gone), list.end());
  }
  if (id != kNone) nic.last = chosen;
  return id;
}

std::uint32_t Ns3Network::next_packet(SimFlow& f, std::uint32_t id) {
  const auto payload = std::min(f.left(), static_cast<std::uint64_t>(model_.transport.payload.count));
  const std::uint32_t place = packets_.take();
  Packet& packet = packets_[place];
  packet.flow = id;
  packet.seq = static_cast<std::uint32_t>(f.nxt);
  packet.payload = static_cast<std::uint16_t>(payload);
  packet.wire = static_cast<std::uint16_t>(payload + data_header_);
  packet.kind = PacketKind::data;
  packet.marked = false;
  packet.hops = 0;
  packet.sent = now();
  ++counters_.data_packets;
  if (f.nxt < f.first_new) {
    ++f.retransmitted;
    ++counters_.retransmitted;
  }
  f.nxt += payload;
  f.first_new = std::max(f.first_new, f.nxt);
  f.last_wire = packet.wire;
  return place;
}

void Ns3Network::wake_at(std::uint32_t host, std::int64_t time) {
  Nic& nic = nics_[host];
  nic.wake = time;
  schedule(time, {kWake, host, ++nic.wake_number});
}

void Ns3Network::wake(std::uint32_t host, std::uint32_t number) {
  if (nics_[host].wake_number != number) return;
  nics_[host].wake = kNever;
  serve(host);
}

void Ns3Network::receive(std::uint32_t host, std::uint32_t id) {
  if (packets_[id].kind == PacketKind::data)
    receive_data(host, id);
  else
    receive_ack(host, id);
}

// Whether a packet is answered, and with what.
bool Ns3Network::answers(SimFlow& f, const Packet& packet, PacketKind& kind) const {
  if (packet.seq == f.expected) {
    kind = PacketKind::ack;
    f.expected += packet.payload;
    return f.expected >= params_.ack_interval.count || f.expected % params_.chunk.count == 0;
  }
  if (packet.seq < f.expected || (now() < f.nack_timer && f.last_nack == f.expected)) return false;
  kind = PacketKind::nack;
  f.nack_timer = now() + model_.transport.nack_interval.ps / 1000;
  f.last_nack = f.expected;
  if (params_.back_to_zero) f.expected -= f.expected % static_cast<std::uint32_t>(params_.chunk.count);
  return true;
}

void Ns3Network::receive_data(std::uint32_t host, std::uint32_t id) {
  Packet& packet = packets_[id];
  SimFlow& f = flows_[packet.flow];
  counters_.marked += packet.marked;
  PacketKind kind = PacketKind::ack;
  if (!answers(f, packet, kind)) return packets_.give(id);
  counters_.nacks += kind == PacketKind::nack;
  counters_.cnps += packet.marked;
  packet.kind = kind;
  packet.seq = f.expected;
  packet.wire = static_cast<std::uint16_t>(ack_wire_);
  packets_.push(nics_[host].acks, id);
  serve(host);
}

void Ns3Network::receive_ack(std::uint32_t host, std::uint32_t id) {
  const Packet& packet = packets_[id];
  SimFlow& f = flows_[packet.flow];
  if (f.finished) return packets_.give(id);
  const auto chunk = static_cast<std::uint32_t>(params_.chunk.count);
  const std::uint32_t acknowledged = params_.back_to_zero ? packet.seq / chunk * chunk : packet.seq;
  f.una = std::max<std::uint64_t>(f.una, acknowledged);
  if (f.acknowledged()) finish(packet.flow);
  if (packet.kind == PacketKind::nack) f.nxt = f.una;
  // Even the last acknowledgement may change the rate, and a change of rate may wake its NIC.
  const Control::NewRate rate = control_->on_ack(packet.flow, {.now = now(),
                                                               .rtt = now() - packet.sent,
                                                               .seq = packet.seq,
                                                               .snd_nxt = f.nxt,
                                                               .rate = f.rate,
                                                               .marked = packet.marked,
                                                               .hops = {packet.hop.data(), packet.hops}});
  if (rate) {
    if (control_->moves_gap()) move_gap(host, f, *rate);
    set_rate(f, *rate);
  }
  packets_.give(id);
  serve(host);
}

void Ns3Network::finish(std::uint32_t id) {
  SimFlow& f = flows_[id];
  f.finished = true;
  control_->finish(id);
  ++counters_.flows_completed;
  finished_.push_back(record_of(f, {now() * 1000}));
  // The receiver forgets the flow; what still comes looks like a new one.
  f.expected = f.last_nack = 0;
  f.nack_timer = 0;
}

// The gap that is running is stretched or shortened to the new rate. The NIC's timer is only ever moved earlier.
void Ns3Network::move_gap(std::uint32_t host, SimFlow& f, std::int64_t new_rate) {
  f.next_avail += transmission_ns(f.last_wire, new_rate) - transmission_ns(f.last_wire, f.rate);
  Nic& nic = nics_[host];
  if (nic.wake != kNever && f.next_avail < nic.wake) wake_at(host, std::max(f.next_avail, now()));
}

void Ns3Network::on_timer(const Event& event) {
  SimFlow& f = flows_[event.index];
  if (const Control::NewRate rate = control_->on_timer(event, f.rate)) set_rate(f, *rate);
}

}  // namespace weir::replica
