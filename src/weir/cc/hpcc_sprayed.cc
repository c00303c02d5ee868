#include "weir/cc/hpcc_sprayed.h"

#include <algorithm>

namespace weir::cc {

void HpccSprayed::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  if (const auto signal = measure(p, facts, ack)) react(p, facts, ack, *signal, control);
}

std::optional<CongestionSignal> HpccSprayed::measure(const Params& p, const FlowFacts& facts, const Ack& ack) {
  if (ack.telemetry == nullptr || ack.hops == 0) return {};
  if (acks_++ == 0) {
    hpcc_.start_over(ack);
    compared_at_ = ack.now;
  }
  std::optional<CongestionSignal> signal;
  Place* place = place_of(facts.telemetry, ack);
  if (place == nullptr) {
    place = free_place();
    if (place == nullptr) return {};
    place->is_compared = false;
  } else if (place->links.continue_with(facts.telemetry, ack)) {
    signal = hpcc_.measure_inflight(p, facts.telemetry, place->links, ack);
    if (p.ewma)
      signal->weight = std::min(signal->weight, hpcc_.weight_of(static_cast<double>((ack.now - compared_at_).ps)));
    compared_at_ = ack.now;
    compared_ = acks_;
    place->is_compared = true;
  }
  place->links.remember(facts.telemetry, ack);
  place->used = acks_;
  return signal;
}

HpccSprayed::Place* HpccSprayed::place_of(const IntFormat& format, const Ack& ack) {
  const auto found =
      std::find_if(places_.begin(), places_.end(), [&](const Place& p) { return p.links.is_of_path_of(format, ack); });
  return found == places_.end() ? nullptr : &*found;
}

// The one that was written longest ago, of those that may go to another path.
HpccSprayed::Place* HpccSprayed::free_place() {
  const bool any = acks_ - compared_ > kPatience;
  Place* oldest = nullptr;
  for (Place& p : places_)
    if ((any || p.is_compared) && (oldest == nullptr || acks_ - p.used > acks_ - oldest->used)) oldest = &p;
  return oldest;
}

}  // namespace weir::cc
