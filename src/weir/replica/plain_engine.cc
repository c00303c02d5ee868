#include "weir/replica/plain_engine.h"

#include <algorithm>

namespace weir::replica {
namespace {

using namespace literals;

constexpr Time kEpoch = 10_us;

}  // namespace

void PlainEngine::every(Time interval, std::function<void(Time)> call) {
  samplers_.add(interval, now_, std::move(call));
}

Time PlainEngine::epoch() const { return kEpoch; }

bool PlainEngine::advance(Time until) {
  until = std::min(until, stop_);
  while (now_ < until && !ended()) {
    samplers_.call_due(now_);
    const Time end = std::min({until, (now_ / kEpoch + 1) * kEpoch, samplers_.next()});
    run_until(end);
    now_ = end;
    report();
  }
  return ended();
}

void PlainEngine::report() {
  auto& records = finished();
  std::sort(records.begin(), records.end(),
            [](const auto& a, const auto& b) { return a.finish != b.finish ? a.finish < b.finish : a.id < b.id; });
  tell_finished(records);
  records.clear();
}

}  // namespace weir::replica
