#include "weir/replica/ns3_network.h"

#include <algorithm>

#include "weir/replica/ns3_numbers.h"

namespace weir::replica {
namespace {

constexpr std::int64_t kAckHeader = 46;
constexpr std::int64_t kMinFrame = 60;

}  // namespace

Ns3Network::Ns3Network(const engine::Model& model, const Ns3Params& params, traffic::Traffic& traffic)
    : model_(model),
      topology_(model.topology),
      params_(params),
      traffic_(traffic),
      control_(make_control(model, params_, events_)),
      routes_(model.routing, model.transport.payload.count),
      numbers_(ns3_numbers(params_.switches, topology_)),
      int_format_{static_cast<std::uint32_t>(model.transport.int_multiplier)},
      stamps_(model.profiles.front().reads_telemetry()),
      data_header_(static_cast<std::uint32_t>(model.transport.header.count + control_->int_bytes())),
      ack_wire_(static_cast<std::uint32_t>(std::max(kMinFrame, kAckHeader + control_->int_bytes()))),
      ports_(topology_.ports()),
      ingresses_(topology_.ports()),
      switches_(topology_.switches),
      nics_(topology_.hosts),
      next_flow_(traffic.next()) {
  set_up_ports();
  set_up_buffers();
  if (next_flow_) schedule(next_flow_->start.ps / 1000, {kInject});
  if (params_.link_down_at > Time{}) schedule(params_.link_down_at.ps / 1000, {kLinkDown});
}

void Ns3Network::run_until(std::int64_t end) {
  Event event;
  while (events_.take(end, event)) {
    if (event.kind < kUpdateAlpha) --lively_;
    ++counters_.events;
    happen(event);
  }
}

void Ns3Network::schedule(std::int64_t time, const Event& event) {
  ++lively_;
  events_.schedule(time, event);
}

void Ns3Network::happen(const Event& event) {
  switch (event.kind) {
    case kTransmitted:
      ports_[event.index].busy = false;
      if (ports_[event.index].at_switch)
        depart(event.index);
      else
        serve(ports_[event.index].owner);
      break;
    case kArrival: arrive(event.index, event.data); break;
    case kInject: inject(); break;
    case kInstall: schedule(now(), {kStart, event.index}); break;
    case kStart: start(event.index); break;
    case kWake: wake(event.index, event.data); break;
    case kLinkDown: take_link_down(); break;
    default: on_timer(event);
  }
}

host::FlowRecord Ns3Network::record_of(const SimFlow& f, Time finish) const {
  return {.id = f.flow.id,
          .src = f.flow.src,
          .dst = f.flow.dst,
          .size = f.flow.size,
          .start = {f.start * 1000},
          .finish = finish,
          .retransmitted = f.retransmitted,
          .profile = f.flow.profile,
          .tag = f.flow.tag};
}

}  // namespace weir::replica
