#include "weir/claims/watch.h"

#include <algorithm>

#include <fmt/format.h>

#include "weir/claims/evaluator.h"
#include "weir/probe/port_choice.h"

namespace weir::claims {

Watch::Watch(const ClaimFile& file, const std::string& port, const std::vector<std::string>& overrides)
    : Watch(load_claim_scenario(file, overrides), port) {}

Watch::Watch(const scenario::Scenario& scenario, const std::string& port)
    : mirrored_hosts_(scenario.mirrored_hosts),
      run_(scenario::build(scenario)),
      port_(probe::choose_ports(run_.model->topology,
                                scenario::mirrored_ports(port, run_.model->topology, mirrored_hosts_))
                .at(0)) {
  run_.simulation->on_finish(
      [this](const host::FlowRecord& r) {
        finished_.push_back(r);
        finished_.back().src = as_written(r.src);
        finished_.back().dst = as_written(r.dst);
      },
      engine::FinishCalls::later);
}

void Watch::record(Time step, Time until, const Look& look) {
  step_ = step;
  for (Time now; now <= until; now += step) {
    engine::advance_unstalled(*run_.simulation, now);
    samples_.push_back({now, run_.simulation->queued_bytes(port_),
                        static_cast<std::int64_t>(run_.simulation->port_figures(port_).sent_bytes)});
    if (!look) continue;
    run_.simulation->for_each_active([&](const host::FlowView& f) {
      if (mirrored_hosts_ == 0) return look(now, f);
      host::FlowView told = f;
      told.src = as_written(f.src);
      told.dst = as_written(f.dst);
      look(now, told);
    });
  }
}

const Watch::Sample& Watch::at(Time time) const {
  const auto place = static_cast<std::size_t>(time / step_);
  require(time >= Time{} && place < samples_.size(),
          fmt::format("the port was recorded from 0 to {}, and what it had sent at {} is asked for",
                      samples_.empty() ? "0 us" : format_value(samples_.back().time), format_value(time)));
  return samples_[place];
}

Time Watch::finish_of(std::uint32_t src) const {
  const auto flow =
      std::find_if(finished_.begin(), finished_.end(), [src](const host::FlowRecord& r) { return r.src == src; });
  require(flow != finished_.end(), fmt::format("the flow of host {} has not ended", src));
  return flow->finish;
}

Rate Watch::rate() const { return run_.model->topology.links[port_ / 2].rate; }

double Watch::share(Rate r) const {
  return static_cast<double>(r.bits_per_second) / static_cast<double>(rate().bits_per_second);
}

const Watch::Sample& Watch::peak() const {
  require(!samples_.empty(), "nothing has been recorded");
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
