// The functions that are called at regular intervals of a run (Engine::every).
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/units.h"

namespace weir::engine {

class Samplers {
 public:
  // `call` is due at `first`, and at each interval from then on. Throws InputError unless the interval is above 0.
  void add(Time interval, Time first, std::function<void(Time)> call) {
    if (interval <= Time{}) throw InputError("an interval of samples is above 0");
    samplers_.push_back({interval, first, std::move(call)});
  }

  // When the next one is due; Time::max() if there is none.
  Time next() const {
    Time out = Time::max();
    for (const Sampler& s : samplers_) out = std::min(out, s.next);
    return out;
  }

  // Calls the samplers that are due, in the order in which they were added.
  void call_due(Time now) {
    for (Sampler& s : samplers_)
      if (s.next <= now) {
        s.call(now);
        s.next = now + s.interval;
      }
  }

  // Archives when each sampler is due. On loading, one that the saved run did not have is due at the next multiple of
  // its interval.
  template <class A>
  void archive(A& a, const Time& now) {
    struct Due {
      Time interval;
      Time next;
    };
    std::vector<Due> due;
    for (const Sampler& s : samplers_) due.push_back({s.interval, s.next});
    a.values(due);
    if constexpr (A::kLoads)
      for (std::size_t i = 0; i < samplers_.size(); ++i) {
        Sampler& s = samplers_[i];
        const bool is_known = i < due.size() && due[i].interval == s.interval;
        s.next = is_known ? due[i].next : (now + s.interval - Time{1}) / s.interval * s.interval;
      }
  }

 private:
  struct Sampler {
    Time interval;
    Time next;
    std::function<void(Time)> call;
  };
  std::vector<Sampler> samplers_;
};

}  // namespace weir::engine
