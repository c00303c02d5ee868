#include "weir/engine/parallel/thread_trials.h"

#include <algorithm>

namespace weir::engine {

void ThreadTrials::add(std::uint64_t work, std::int64_t ns) {
  now_.work += static_cast<double>(work);
  now_.ns += static_cast<double>(ns);
  done_[way_] += static_cast<double>(work);
  if (now_.ns >= static_cast<double>(span_)) end_of_span();
}

// Ends a span: after one of the chosen way, a trial of the other way follows; after a trial, a way is chosen.
void ThreadTrials::end_of_span() {
  Pace& pace = paces_[way_];
  pace.work = kMemory * pace.work + now_.work;
  pace.ns = kMemory * pace.ns + now_.ns;
  const double took = now_.ns;
  now_ = {};
  if (way_ == chosen_) {
    way_ = chosen_ == kTogether ? kAlone : kTogether;
    span_ = kTrial;
    return;
  }
  const auto& [together, alone] = paces_;
  const Way better = alone.work * together.ns > kClear * together.work * alone.ns ? kAlone : kTogether;
  trials_ = better == chosen_ ? std::min(2 * trials_, kMostTrials) : kFirstTrials;
  way_ = chosen_ = better;
  // The time until the next trial grows with the time that this one took.
  span_ = trials_ * std::max(kTrial, static_cast<std::int64_t>(took));
}

double ThreadTrials::share_alone() const {
  const double all = done_[kTogether] + done_[kAlone];
  return all > 0 ? done_[kAlone] / all : 0;
}

}  // namespace weir::engine
