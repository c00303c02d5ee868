#include "weir/replica/uet_network.h"

#include <algorithm>
#include <utility>

namespace weir::replica::uet {
Network::Network(const engine::Model& model, const UetParams& params, UetConnections connections)
    : model_(model),
      topology_(model.topology),
      params_(params),
      nscc_(*static_cast<const cc::Nscc::Params*>(model.profiles.front().params.get())),
      mtu_(model.transport.payload.count + model.transport.header.count),
      mss_(model.transport.payload.count),
      random_(model.seed),
      ports_(topology_.ports()),
      switches_(topology_.switches),
      nics_(topology_.hosts),
      triggers_(std::move(connections.triggers)),
      triggered_(triggers_.size()),
      calls_(triggers_.size()) {
  set_up_ports();
  set_up_switches();
  slow_down_links();
  set_up_hosts();
  for (const UetConnection& connection : connections.rows) add_flow(connection, !connections.messages.empty());
  add_messages(connections.messages);
}

void Network::run_until(std::int64_t end) {
  Event event;
  while (events_.take(end, event)) {
    ++counters_.events;
    happen(event);
    start_triggered();
  }
}

void Network::happen(const Event& event) {
  switch (event.kind) {
    case kServed: served(event.index); break;
    case kArrived: arrived(event.index); break;
    case kCross: cross(event.index); break;
    case kNic: serve(event.index); break;
    case kTimer:
      if (event.data == flows_[event.index].sender.timer_number) wake(event.index);
      break;
    case kProbe:
      if (event.data == flows_[event.index].sender.sleek.timer_number) wake(event.index);
      break;
    case kStart: start(event.index); break;
    case kMessages: start_messages(event.index); break;
    case kPacer: pace(event.index); break;
    case kRate: adapt_rate(event.index); break;
  }
}

// Two timers of a flow, of which both may be due now.
void Network::wake(std::uint32_t flow) {
  const Sender& s = flows_[flow].sender;
  if (s.timer && s.timeout == now()) timed_out(flow);
  if (s.sleek.timer && s.sleek.due == now()) send_probe(flow);
}

}  // namespace weir::replica::uet
