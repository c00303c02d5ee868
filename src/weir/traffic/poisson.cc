#include "weir/traffic/poisson.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "weir/traffic/arrivals.h"
#include "weir/traffic/checks.h"
#include "weir/traffic/hosts.h"

namespace weir::traffic {

Poisson::Poisson(const Params& params, const Context& context)
    : context_(context),
      sizes_(SizeDistribution::from_text(params.sizes, "sizes", context.folder)),
      load_(params.load),
      mean_size_(sizes_.mean()),
      stop_(params.stop),
      receivers_(parse_hosts(params.to, "to", context)) {
  check_load(params.load);
  check_window(params.start, params.stop);
  std::vector<std::uint32_t> place(context.hosts(), kNowhere);
  for (std::uint32_t i = 0; i < receivers_.size(); ++i) place[receivers_[i]] = i;

  auto hosts = parse_hosts(params.hosts, "hosts", context);
  std::sort(hosts.begin(), hosts.end());
  senders_.reserve(hosts.size());
  heap_.reserve(hosts.size());
  for (const auto host : hosts) {
    if (receivers_.size() == 1 && receivers_.front() == host)
      throw InputError("to", fmt::format("host {} has no other host to send to; add receivers", host));
    senders_.push_back({host, place[host], 0});
    check_mean_gap(mean_gap_ps(host));
    push_next(static_cast<std::uint32_t>(senders_.size() - 1), params.start);
  }
}

std::optional<Flow> Poisson::next() {
  if (heap_.empty()) return std::nullopt;
  std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
  const Arrival arrival = heap_.back();
  heap_.pop_back();

  Sender& sender = senders_[arrival.sender];
  Flow flow;
  flow.start = arrival.time;
  flow.src = sender.host;
  flow.dst = draw_destination(sender);
  flow.size = sizes_.quantile(context_.stream(Purpose::flow_size, sender.host).uniform(sender.drawn));
  ++sender.drawn;
  push_next(arrival.sender, arrival.time);
  return flow;
}

double Poisson::mean_gap_ps(std::uint32_t host) const {
  return traffic::mean_gap_ps(mean_size_, load_, static_cast<double>(context_.host_rates[host].bits_per_second));
}

void Poisson::push_next(std::uint32_t sender, Time last) {
  const Sender& s = senders_[sender];
  const auto time =
      next_arrival(last, stop_, context_.stream(Purpose::flow_arrival, s.host), s.drawn, mean_gap_ps(s.host));
  if (!time) return;
  heap_.push_back({*time, sender});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
}

std::uint32_t Poisson::draw_destination(const Sender& sender) const {
  const bool skip_self = sender.self != kNowhere;
  auto i = context_.stream(Purpose::flow_destination, sender.host).below(sender.drawn, receivers_.size() - skip_self);
  if (skip_self && i >= sender.self) ++i;
  return receivers_[i];
}

}  // namespace weir::traffic
