// SLEEK (uec.cpp of uet-htsim, with -sleek).
#include "weir/replica/uet_sleek.h"

#include <algorithm>

#include "weir/replica/uet_network.h"

namespace weir::replica::uet {
namespace {

constexpr float kWindows = 1.5F;              // that much out of order is a loss
constexpr std::int64_t kLeastPackets = 5;     // and at least so much
constexpr std::int64_t kProbeRoundTrips = 3;  // until a probe, while there is more to send
constexpr std::int64_t kProbeAgain = 5;       // base round trips until the next probe

}  // namespace

// Of a packet's acknowledgement, or of a probe's: `delay` is what NSCC took for the queueing delay.
void Network::look_for_losses(std::uint32_t flow, const Packet& ack, double delay) {
  Sender& s = flows_[flow].sender;
  Sleek& sleek = s.sleek;
  stop_probe_timer(s);
  const std::int64_t rtt = s.facts.base_rtt.ps;
  const std::int64_t target = s.nscc->target().ps;
  if (ack.expected < s.next_seq || s.backlog > 0)
    start_probe_timer(flow, now() + (s.backlog == 0 ? rtt + target : kProbeRoundTrips * rtt));
  if (ack.probe && delay < static_cast<double>(target)) {
    sleek.losing = true;
    sleek.recovery = s.next_seq;
    sleek.highest_resent = ack.expected;
  }
  const auto windows = static_cast<std::int64_t>(kWindows * static_cast<float>(s.control.window.count));
  const std::int64_t bytes = std::max(std::min(windows, s.nscc->largest_window().count), kLeastPackets * mss_);
  if (ack.expected >= sleek.recovery) sleek.losing = false;
  if (ack.out_of_order < bytes / mss_ && !sleek.losing) return;
  if (!sleek.losing && s.lost.empty()) {
    sleek.losing = true;
    sleek.recovery = s.next_seq;
  }
  take_for_lost(flow, ack.expected);
  send_if_permitted(flow);
}

// A window of what the receiver lacks.
void Network::take_for_lost(std::uint32_t flow, std::uint32_t expected) {
  Sender& s = flows_[flow].sender;
  Sleek& sleek = s.sleek;
  for (std::uint32_t n = expected; n < sleek.recovery && n < expected + s.control.window.count / mss_; ++n) {
    if (n < sleek.highest_resent) continue;
    Sent* sent = outstanding(s, n);
    if (sent == nullptr) continue;
    const bool restart = sent->at == s.timer_for;
    sent->outstanding = false;
    s.in_flight -= sent->size;
    sleek.highest_resent = n + 1;
    queue_again(flow, n, sent->size);
    if (restart) restart_timer(flow);
  }
}

// In loss mode a timeout says nothing about the window. The packet stays outstanding.
void Network::time_out_in_loss_mode(std::uint32_t flow, std::uint32_t seq, bool resent) {
  Sender& s = flows_[flow].sender;
  s.times.pop_front();
  if (!resent) {
    restart_timer(flow);
    return;
  }
  s.sleek.highest_resent = seq;
  stop_timer(s);
  s.timer_for = -1;  // and no acknowledgement starts it
}

void Network::start_probe_timer(std::uint32_t flow, std::int64_t due) {
  Sleek& sleek = flows_[flow].sender.sleek;
  sleek.timer = true;
  sleek.due = due;
  schedule(due, {kProbe, flow, ++sleek.timer_number});
}

void Network::stop_probe_timer(Sender& s) {
  s.sleek.timer = false;
  ++s.sleek.timer_number;
}

// Data for the queues, without content; in the NIC it goes with control packets.
void Network::send_probe(std::uint32_t flow) {
  Flow& f = flows_[flow];
  Sleek& sleek = f.sender.sleek;
  const std::uint32_t id = new_packet(flow, PacketKind::data, ++sleek.probes, kHeader);
  packets_[id].probe = true;
  packets_[id].pull = 0;
  send_control(f.connection.src, id);
  sleek.probe_sent = now();
  start_probe_timer(flow, now() + kProbeAgain * f.sender.facts.base_rtt.ps);
}

// Of the last probe; an older one has no valid round trip.
Time Network::probe_round_trip(const Sender& s, const Packet& ack) const {
  return ack.seq == s.sleek.probes ? Time{now() - s.sleek.probe_sent} : Time{};
}

// What NSCC makes of the acknowledgement: the delay. That of a probe which was quicker than a packet is none.
double Network::react(Sender& s, const Packet& packet, const cc::Ack& ack) {
  cc::CongestionSignal delay = *s.nscc->measure(nscc_, s.facts, ack);
  if (packet.probe && ack.rtt > Time{} && ack.rtt < s.facts.base_rtt) delay.value = 0;
  s.nscc->react(nscc_, s.facts, ack, delay, s.control);
  return delay.value;
}

}  // namespace weir::replica::uet
