#include "weir/replica/plain_engine.h"

#include <algorithm>

namespace weir::replica {
namespace {

using namespace literals;

constexpr Time kEpoch = 10_us;

}  // namespace

void PlainEngine::every(Time interval, std::function<void(Time)> call) {
  samplers_.push_back({interval, now_, std::move(call)});
}

Time PlainEngine::epoch() const { return kEpoch; }

bool PlainEngine::advance(Time until) {
  until = std::min(until, stop_);
  while (now_ < until && !ended()) {
    for (auto& s : samplers_)
      if (s.next <= now_) {
        s.call(now_);
        s.next = now_ + s.interval;
      }
    Time end = std::min(until, (now_ / kEpoch + 1) * kEpoch);
    for (const auto& s : samplers_) end = std::min(end, s.next);
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
