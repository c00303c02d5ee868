#include "weir/traffic/incast.h"

#include <fmt/format.h>

#include <algorithm>

#include "weir/traffic/arrivals.h"
#include "weir/traffic/checks.h"
#include "weir/traffic/hosts.h"

namespace weir::traffic {

Incast::Incast(const Params& params, const Context& context)
    : params_(params),
      receiver_(parse_host(params.receiver, "receiver", context)),
      senders_(parse_hosts(params.senders, "senders", context)) {
  check_size(params.size);
  if (const auto self = std::find(senders_.begin(), senders_.end(), receiver_); self != senders_.end()) {
    if (params.senders != "all")
      throw InputError("senders", fmt::format("'{}' has the receiver, host {}, in it", params.senders, receiver_));
    senders_.erase(self);
  }
  if (senders_.empty())
    throw InputError("senders", fmt::format("host {} has no other host to receive from", receiver_));
  if (params.fan_in > senders_.size())
    throw InputError("fan_in", fmt::format("{} is out of range; there are {} senders", params.fan_in, senders_.size()));
  if (params.fan_in > 0) senders_.resize(params.fan_in);
  if (params.stagger_every < 1) throw InputError("stagger_every", "0 is out of range; valid is at least 1");

  if (params.spread > Time{} && params.stagger > Time{})
    throw InputError("spread", "it excludes stagger: write one of them");
  flows_ = params.flows > 0 ? params.flows : static_cast<std::uint32_t>(senders_.size());

  const auto steps = static_cast<std::int64_t>((flows_ - 1) / params.stagger_every);
  std::int64_t last = 0;
  if (__builtin_mul_overflow(steps, params.stagger.ps, &last) || __builtin_add_overflow(last, params.start.ps, &last))
    throw InputError("stagger", fmt::format("{} puts the last flow beyond the end of time, {}",
                                            format_value(params.stagger), format_value(Time::max())));
  if (params.spread == Time{}) return;
  if (params.start > Time::max() - params.spread)
    throw InputError("spread", fmt::format("{} puts flows beyond the end of time, {}", format_value(params.spread),
                                           format_value(Time::max())));
  const RandomStream starts = context.stream(Purpose::incast_arrival);
  for (std::uint32_t flow = 0; flow < flows_; ++flow)
    begins_.push_back({params.start + Time{static_cast<std::int64_t>(
                                          starts.below(flow, static_cast<std::uint64_t>(params.spread.ps)))},
                       flow});
  std::stable_sort(begins_.begin(), begins_.end(), [](const Begin& a, const Begin& b) { return a.start < b.start; });
}

std::optional<Flow> Incast::next() {
  if (sent_ == flows_) return std::nullopt;
  Flow flow;
  std::uint32_t number = sent_++;
  if (begins_.empty()) {
    flow.start = params_.start + params_.stagger * static_cast<std::int64_t>(number / params_.stagger_every);
  } else {
    flow.start = begins_[number].start;
    number = begins_[number].flow;
  }
  flow.src = senders_[number % senders_.size()];
  flow.dst = receiver_;
  flow.size = params_.size;
  return flow;
}

PoissonIncast::PoissonIncast(const Params& params, const Context& context)
    : params_(params),
      arrivals_(context.stream(Purpose::incast_arrival)),
      members_(context.stream(Purpose::incast_members)),
      hosts_(parse_hosts(params.hosts, "hosts", context)),
      time_(params.start) {
  check_size(params.size);
  check_load(params.load);
  check_window(params.start, params.stop);
  if (params.fan_in < 1 || params.fan_in >= hosts_.size())
    throw InputError("fan_in",
                     fmt::format("{} is out of range; valid is 1 to {}, one less than the hosts that take part",
                                 params.fan_in, hosts_.size() - 1));
  std::sort(hosts_.begin(), hosts_.end());
  double capacity = 0;
  for (const auto host : hosts_) capacity += static_cast<double>(context.host_rates[host].bits_per_second);
  mean_gap_ps_ = traffic::mean_gap_ps(static_cast<double>(params.size.count) * params.fan_in, params.load, capacity);
  check_mean_gap(mean_gap_ps_);
  senders_.reserve(params.fan_in);
  chosen_in_.resize(hosts_.size() - 1);
}

std::optional<Flow> PoissonIncast::next() {
  if (sent_ == senders_.size() && !start_next_event()) return std::nullopt;
  Flow flow;
  flow.start = time_;
  flow.src = hosts_[senders_[sent_++]];
  flow.dst = hosts_[receiver_];
  flow.size = params_.size;
  return flow;
}

bool PoissonIncast::start_next_event() {
  const auto time = next_arrival(time_, params_.stop, arrivals_, events_, mean_gap_ps_);
  if (!time) return false;
  time_ = *time;

  std::uint64_t draw = events_ * (params_.fan_in + std::uint64_t{1});
  ++events_;
  receiver_ = static_cast<std::uint32_t>(members_.below(draw++, hosts_.size()));

  // a random subset of the others (Floyd, in Bentley's Programming Pearls, CACM 30(9), 1987)
  const auto others = static_cast<std::uint32_t>(hosts_.size() - 1);
  senders_.clear();
  sent_ = 0;
  for (std::uint32_t last = others - params_.fan_in; last < others; ++last) {
    auto pick = static_cast<std::uint32_t>(members_.below(draw++, last + std::uint64_t{1}));
    if (chosen_in_[pick] == events_) pick = last;
    chosen_in_[pick] = events_;
    senders_.push_back(pick < receiver_ ? pick : pick + 1);
  }
  std::sort(senders_.begin(), senders_.end());
  return true;
}

}  // namespace weir::traffic
