// The instants up to which a run advances in one step: the end of an epoch, of several that are taken as one, or of a
// time in which nothing happens.
#include <algorithm>
#include <cassert>

#include "weir/engine/parallel/partitions.h"
#include "weir/engine/time/simulation.h"

namespace weir::engine {
namespace {

// At most once in so many epochs, all flows are searched for one that surely lasts.
constexpr std::int64_t kSurvey = 4;

// A lower bound of the time in which so much payload leaves its host: half of the time that its link takes, whatever is
// rounded.
Time least_time(Bytes payload, Rate link) { return transmission_time(payload, link) / 2; }

}  // namespace

std::optional<Time> Simulation::next_work(Time until) const {
  auto start = traffic_.peek();
  if (start) start = *start - skipped_time();
  const Totals& totals = partitions_->totals();
  const Time event = totals.pending == 0 ? Time::max() : partitions_->earliest();
  const bool is_polled = totals.pending > 0 || totals.watching > 0;
  const Time other = std::min(next_fault(), is_polled ? next_poll_ : Time::max());
  if (!start && event == Time::max() && other == Time::max()) return std::nullopt;
  Time next = std::min({until - skipped_time(), start.value_or(Time::max()), event}) / grid_ * grid_;
  return std::min({next, samplers_.next() - skipped_time(), other});
}

Time Simulation::next_fault() const {
  const std::vector<HostPauseRow>& pauses = model_.faults.pauses;
  const Time pause = pauses_done_ < pauses.size() ? pauses[pauses_done_].start : Time::max();
  return std::min({links_.next(), known_links_.next(), pause});
}

Time Simulation::next_look() const { return (now_ / look_ + 1) * look_; }

// A run that cannot go on is noticed at an instant at which it is searched for a stall; until something happens, it
// need not be searched again. Samplers are called all the same. If messages are skipped or time is left out, no epoch
// is skipped here while events are pending.
bool Simulation::skip_idle_time(Time until) {
  const bool is_idle = partitions_->totals().pending == 0;
  if (!is_idle && (message_skipper_ || steady_flow_skipper_)) return true;
  const bool is_looked_at = now_.ps % look_.ps == 0;
  Time next = next_work(until).value_or(until - skipped_time());
  if (!is_looked_at) next = std::min(next, next_look());
  now_ = std::max(now_, std::min(next, samplers_.next() - skipped_time()));
  if (is_idle)
    partitions_->skip_to(now_);
  else
    tell_trace(now_);  // what has left its queue meanwhile
  return is_looked_at || now_.ps % look_.ps != 0;
}

// Draws the flows of the next epoch, or of several that are taken as one, into batch_. Returns where it ends.
Time Simulation::draw_epoch(Time until) {
  const Time ahead = skipped_time();
  const Time first = (now_ / grid_ + 1) * grid_;
  const Time end = std::min({until - ahead, (now_ / grid_ + epochs_at_once()) * grid_, next_look(), next_fault(),
                             next_poll_, samplers_.next() - ahead});
  assert(end >= now_);

  // A flow whose start has been handed over counts as started at its start, so `ended` needs
  // those that wait at their hosts: they all start before `end`.
  traffic_.pull_until(end + ahead, batch_);
  traffic_dry_ = !traffic_.peek().has_value();
  if (!traffic_dry_ || end <= first) return end;
  // The run ends with the epoch in which its last flow ends. So several epochs are taken as one only as long as a flow
  // is still to start, or surely does not end.
  Time last = first;
  for (const traffic::Flow& flow : batch_) {
    const Time least = least_time(flow.size, model_.routing.rate_of_host(flow.src));
    last = std::max({last, (flow.start / grid_ + 1) * grid_, (flow.start + least) / grid_ * grid_});
  }
  if (last < end) last = std::max(last, some_flow_lasts_until() / grid_ * grid_);
  return std::min(end, last);
}

Time Simulation::some_flow_lasts_until() {
  if (now_ < next_survey_ || lasts_until_ > now_ + 2 * grid_) return lasts_until_;
  next_survey_ = now_ + kSurvey * grid_;
  partitions_->for_each_active([this](std::uint32_t src, const host::Flow& flow) {
    std::int64_t unsent = flow.size() - flow.snd_max;
    if (flow.is_connection)  // the gaps between its messages are never sent
      for (const host::QueuedMessage& message : partitions_->messages_of(src, flow))
        if (message.end > flow.snd_max) unsent -= message.gap();
    const Time least = least_time({std::max<std::int64_t>(0, unsent)}, flow.facts.line_rate);
    lasts_until_ = std::max(lasts_until_, now_ + least);
  });
  return lasts_until_;
}

}  // namespace weir::engine
