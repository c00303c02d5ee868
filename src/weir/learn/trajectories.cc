#include "weir/learn/trajectories.h"

#include <utility>

namespace weir::learn {

std::uint32_t TrajectoryStore::open() {
  sequences_.emplace_back();
  return static_cast<std::uint32_t>(sequences_.size() - 1);
}

void TrajectoryStore::record(std::uint32_t flow, const Outcome& outcome, const Decision& decision) {
  Sequence& s = sequences_[flow];
  if (s.open) {
    s.open->outcome = outcome;
    s.steps.push_back(*s.open);
    ++steps_;
    if (s.steps.size() > most_) {
      s.steps.pop_front();
      --steps_;
    }
  }
  s.open = Step{.number = s.decided++, .decision = decision, .outcome = {}};
}

std::size_t TrajectoryStore::flows_with(std::size_t count) const {
  std::size_t out = 0;
  for (const Sequence& s : sequences_) out += s.steps.size() >= count;
  return out;
}

std::optional<TrajectoryStore::Slice> TrajectoryStore::sample(std::size_t length, Draws& draws) const {
  const std::size_t enough = flows_with(length);
  if (length == 0 || enough == 0) return std::nullopt;
  std::uint64_t chosen = draws.below(enough);
  for (std::uint32_t flow = 0; flow < sequences_.size(); ++flow) {
    const std::size_t size = sequences_[flow].steps.size();
    if (size < length) continue;
    if (chosen-- == 0) return Slice{flow, static_cast<std::size_t>(draws.below(size - length + 1)), length};
  }
  return std::nullopt;
}

void TrajectoryStore::clear() {
  for (Sequence& s : sequences_) s.steps.clear();
  steps_ = 0;
}

}  // namespace weir::learn
