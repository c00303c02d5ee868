#include "hosts/queue/receiving.h"

#include <algorithm>

namespace weir::hosts {

bool Receiving::answers(const Segment& segment, std::int64_t now) {
  ++packets_;
  bytes_ += segment.length;
  auto found = flows_.find(segment.flow);
  const bool is_new = found == flows_.end();
  if (is_new) {
    if (flows_.size() >= most_flows_) return false;
    found = flows_.emplace(segment.flow, State{}).first;
  }
  State& flow = found->second;
  const bool first = is_new || now - flow.last >= settings_.burst_gap;
  flow.last = now;
  flow.packets += segment.packets;
  flow.bytes += segment.length;
  const bool enough = (settings_.packets != 0 && flow.packets >= settings_.packets) ||
                      (settings_.bytes != 0 && flow.bytes >= settings_.bytes);
  if (!first && !enough && !segment.ends) return false;
  if (!take(now)) {
    ++limited_;
    return false;
  }
  flow.packets = 0;
  flow.bytes = 0;
  return true;
}

// One OR-ACK of what the host may send.
bool Receiving::take(std::int64_t now) {
  constexpr std::int64_t kOne = 1'000'000'000;
  const std::int64_t rate = settings_.per_second;
  const std::int64_t most = std::max(rate * (kOne / 10), kOne);
  const std::int64_t since = std::clamp<std::int64_t>(now - filled_, 0, kOne);
  reserve_ = begun_ ? std::min(most, reserve_ + since * rate) : most;
  begun_ = true;
  filled_ = std::max(filled_, now);
  if (reserve_ < kOne) return false;
  reserve_ -= kOne;
  return true;
}

void Receiving::sweep(std::int64_t now) {
  std::erase_if(flows_, [now](const auto& entry) { return now - entry.second.last > kIdle; });
}

}  // namespace weir::hosts
