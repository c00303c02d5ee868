#include "weir/claims/watch.h"

#include <algorithm>

#include "weir/claims/claim_scenario.h"
#include "weir/probe/port_choice.h"

namespace weir::claims {

Watch::Watch(const std::string& file, const std::string& port, const std::vector<std::string>& overrides)
    : run_(scenario::build(load_claim_scenario(file, overrides))),
      port_(probe::choose_ports(run_.model->topology, port).at(0)) {
  run_.simulation->on_finish([this](const host::FlowRecord& r) { finished_.push_back(r); }, engine::FinishCalls::later);
}

void Watch::record(Time step, Time until, const Look& look) {
  step_ = step;
  for (Time now; now <= until; now += step) {
    engine::advance_unstalled(*run_.simulation, now);
    samples_.push_back({now, run_.simulation->queued_bytes(port_),
                        static_cast<std::int64_t>(run_.simulation->port_figures(port_).sent_bytes)});
    if (look) run_.simulation->for_each_active([&](const host::FlowView& f) { look(now, f); });
  }
}

Time Watch::finish_of(std::uint32_t src) const {
  const auto flow =
      std::find_if(finished_.begin(), finished_.end(), [src](const host::FlowRecord& r) { return r.src == src; });
  return flow == finished_.end() ? Time::max() : flow->finish;
}

Rate Watch::rate() const { return run_.model->topology.links[port_ / 2].rate; }

double Watch::share(Rate r) const {
  return static_cast<double>(r.bits_per_second) / static_cast<double>(rate().bits_per_second);
}

const Watch::Sample& Watch::peak() const {
  return *std::max_element(samples_.begin(), samples_.end(),
                           [](const Sample& a, const Sample& b) { return a.queue < b.queue; });
}

Time Watch::drained(Bytes bytes, Time from) const {
  const auto sample = std::find_if(samples_.begin(), samples_.end(),
                                   [&](const Sample& s) { return s.time > from && s.queue < bytes.count; });
  return sample == samples_.end() ? Time::max() : sample->time;
}

double Watch::utilisation(Time from, Time to) const {
  const auto sent = static_cast<double>(at(to).sent - at(from).sent);
  return sent / (rate().bytes_per_second() * (to - from).seconds());
}

double Watch::least_utilisation(Time bin, Time from, Time to) const {
  double least = utilisation(from, from + bin);
  for (Time t = from; t + bin <= to; t += bin) least = std::min(least, utilisation(t, t + bin));
  return least;
}

}  // namespace weir::claims
