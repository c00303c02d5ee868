#include "weir/learn/replay.h"

#include <algorithm>

namespace weir::learn {

std::size_t ReplayMemory::add(std::span<TrajectoryStore* const> stores) {
  std::size_t added = 0;
  for (const TrajectoryStore* store : stores)
    for (std::uint32_t flow = 0; flow < store->flows(); ++flow) {
      const auto& sequence = store->sequence(flow);
      for (std::size_t i = 0; i < sequence.steps.size(); ++i, ++added) {
        const Step& step = sequence.steps[i];
        // a complete decision has another one behind it, which may be open
        const Step& next = i + 1 < sequence.steps.size() ? sequence.steps[i + 1] : *sequence.open;
        Transition t{.reward = step.outcome.reward, .output = step.decision.output};
        std::copy_n(step.decision.inputs.begin(), kRawInputs, t.before.begin());
        std::copy_n(next.decision.inputs.begin(), kRawInputs, t.after.begin());
        if (kept_.size() < most_)
          kept_.push_back(t);
        else
          kept_[next_] = t;
        next_ = (next_ + 1) % most_;
      }
    }
  return added;
}

void ReplayMemory::sample(std::span<Transition> batch, Draws& draws) const {
  for (Transition& t : batch) t = kept_[draws.below(kept_.size())];
}

void gather_inputs(std::span<const Transition> batch, std::array<float, kRawInputs> Transition::*which,
                   std::vector<double>& out) {
  out.clear();
  for (const Transition& t : batch) out.insert(out.end(), (t.*which).begin(), (t.*which).end());
}

}  // namespace weir::learn
