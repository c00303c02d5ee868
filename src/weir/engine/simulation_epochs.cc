// When a run goes on, and how far before somebody looks at it.
#include <algorithm>

#include "weir/engine/crew.h"
#include "weir/engine/simulation.h"

namespace weir::engine {
std::optional<Time> Simulation::next_work(Time until) const {
  auto start = traffic_.peek();
  if (start) start = *start - left_out();
  const Time other = std::min(next_fault(), crew_->totals().watching > 0 ? next_poll_ : Time::max());
  if (!start && other == Time::max()) return std::nullopt;
  Time next = std::min(until - left_out(), start.value_or(Time::max())) / grid_ * grid_;
  for (const auto& s : samplers_) next = std::min(next, s.next - left_out());
  return std::min(next, other);
}

Time Simulation::next_fault() const {
  const auto& [links, changes, pauses] = model_.faults;
  const Time change = changes_done_ < changes.size() ? changes[changes_done_].time : Time::max();
  const Time pause = pauses_done_ < pauses.size() ? pauses[pauses_done_].start : Time::max();
  return std::min(change, pause);
}

Time Simulation::next_look() const { return (now_ / look_ + 1) * look_; }

// With no event pending. A run that cannot go on is noticed where it is looked at.
bool Simulation::skip_idle_time(Time until) {
  const bool is_looked_at = now_.ps % look_.ps == 0;
  const Time next = next_work(until).value_or(until - left_out());
  now_ = std::max(now_, is_looked_at ? next : std::min(next, next_look()));
  crew_->skip_to(now_);
  return is_looked_at || now_.ps % look_.ps != 0;
}

// Of the next epoch, or of several that are taken as one. Its flows are in batch_ then.
Time Simulation::draw_epoch(Time until) {
  const Time ahead = left_out();
  const Time first = (now_ / grid_ + 1) * grid_;
  Time end = std::min({until - ahead, (now_ / grid_ + epochs_at_once_) * grid_, next_fault(), next_poll_});
  for (const auto& s : samplers_) end = std::min(end, s.next - ahead);
  if (epochs_at_once_ > 1) end = std::min(end, next_look());

  // A flow whose start has been handed over counts as started at its start, so `ended` needs
  // those that wait at their hosts: they all start before `end`.
  traffic_.pull_until(end + ahead, batch_);
  traffic_dry_ = !traffic_.peek().has_value();
  if (!traffic_dry_ || end <= first) return end;
  // The run may end soon, and does at the end of an epoch: not before the last flow has started, however, nor before
  // all that is left of some flow has left its host.
  Time last = first;
  if (!batch_.empty()) last = std::max(last, (batch_.back().start / grid_ + 1) * grid_);
  if (last < end) last = std::max(last, some_flow_lasts_until() / grid_ * grid_);
  return std::min(end, last);
}

Time Simulation::some_flow_lasts_until() {
  if (now_ < next_survey_) return lasts_until_;
  next_survey_ = now_ + epochs_at_once_ / 2 * grid_;
  lasts_until_ = now_;
  crew_->for_each_active([this](std::uint32_t, const host::Flow& flow) {
    // Half as long as it takes, whatever a model rounds.
    const Time least = transmission_time(Bytes{flow.size() - flow.snd_max}, flow.facts.line_rate) / 2;
    lasts_until_ = std::max(lasts_until_, now_ + least);
  });
  return lasts_until_;
}

}  // namespace weir::engine
