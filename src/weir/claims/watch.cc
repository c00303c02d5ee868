#include "weir/claims/watch.h"

#include <algorithm>

#include <fmt/format.h>

#include "weir/claims/evaluator.h"
#include "weir/probe/port_choice.h"

namespace weir::claims {

Watch::Watch(const ClaimFile& file, const std::string& ports, const std::vector<std::string>& overrides)
    : Watch(load_claim_scenario(file, overrides), ports) {}

Watch::Watch(const scenario::Scenario& scenario, const std::string& ports)
    : mirrored_hosts_(scenario.mirrored_hosts),
      run_(scenario::build(scenario)),
      ports_(chosen(ports)),
      of_ports_(ports_.size()) {
  run_.simulation->on_finish(
      [this](const host::FlowRecord& r) {
        finished_.push_back(r);
        finished_.back().src = as_written(r.src);
        finished_.back().dst = as_written(r.dst);
      },
      engine::FinishCalls::later);
}

std::vector<std::uint32_t> Watch::chosen(const std::string& ports) const {
  const net::Topology& topology = run_.model->topology;
  if (!ports.starts_with("->"))
    return probe::choose_ports(topology, scenario::mirrored_ports(ports, topology, mirrored_hosts_));
  const std::uint32_t host = as_written(static_cast<std::uint32_t>(std::stoul(ports.substr(2))));
  std::vector<std::uint32_t> out;
  for (std::uint32_t l = 0; l < topology.links.size(); ++l)
    if (topology.links[l].a == host || topology.links[l].b == host)
      out.push_back(2 * l + (topology.links[l].a == host ? 1 : 0));
  return out;
}

void Watch::record(Time step, Time until, const Look& look) {
  step_ = step;
  for (Time now; now <= until; now += step) {
    engine::advance_unstalled(*run_.simulation, now);
    for (std::size_t p = 0; p < ports_.size(); ++p)
      of_ports_[p].push_back({now, run_.simulation->queued_bytes(ports_[p]),
                              static_cast<std::int64_t>(run_.simulation->port_figures(ports_[p]).sent_bytes)});
    if (!look) continue;
    run_.simulation->for_each_active([&](const host::FlowView& f) {
      if (mirrored_hosts_ == 0) return look(now, f);
      host::FlowView told = f;
      told.src = as_written(f.src);
      told.dst = as_written(f.dst);
      look(now, told);
    });
  }
  const auto sent = [&](std::size_t p) { return of_ports_[p].empty() ? 0 : of_ports_[p].back().sent; };
  for (std::size_t p = 1; p < ports_.size(); ++p)
    if (sent(p) > sent(busiest_)) busiest_ = p;
}

const Watch::Sample& Watch::at(Time time) const {
  const auto place = static_cast<std::size_t>(time / step_);
  require(time >= Time{} && place < samples().size(),
          fmt::format("the port was recorded from 0 to {}, and what it had sent at {} is asked for",
                      samples().empty() ? "0 us" : format_value(samples().back().time), format_value(time)));
  return samples()[place];
}

Time Watch::finish_of(std::uint32_t src) const {
  const auto flow =
      std::find_if(finished_.begin(), finished_.end(), [src](const host::FlowRecord& r) { return r.src == src; });
  require(flow != finished_.end(), fmt::format("the flow of host {} has not ended", src));
  return flow->finish;
}

Rate Watch::rate() const { return run_.model->topology.links[ports_.at(busiest_) / 2].rate; }

double Watch::share(Rate r) const {
  return static_cast<double>(r.bits_per_second) / static_cast<double>(rate().bits_per_second);
}

const Watch::Sample& Watch::peak() const {
  require(!samples().empty(), "nothing has been recorded");
  return *std::max_element(samples().begin(), samples().end(),
                           [](const Sample& a, const Sample& b) { return a.queue < b.queue; });
}

Time Watch::drained(Bytes bytes, Time from) const {
  const auto sample = std::find_if(samples().begin(), samples().end(),
                                   [&](const Sample& s) { return s.time > from && s.queue < bytes.count; });
  return sample == samples().end() ? Time::max() : sample->time;
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
