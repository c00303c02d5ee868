// Messages of a collective from one host to another one's port. At most `slots` of them are under way at once. They
// begin in a fixed order, as NCCL's kernels work through a list of steps: that of their turns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "weir/base/units.h"

namespace weir::traffic {

// A message: to whom, by rank, how much, and what its receiver is to know.
struct LaneMessage {
  // Behind all that have asked for this lane before.
  static constexpr std::uint64_t kAnyTurn = ~std::uint64_t{0};

  std::uint32_t to = 0;
  std::uint32_t peer = 0;  // which of its sender's peers that is: messages to each have ports of their own
  Bytes size;
  std::uint64_t word = 0;  // below 2^42
  std::uint64_t turn = kAnyTurn;
};

class Lane {
 public:
  void add(LaneMessage message) {
    if (message.turn == LaneMessage::kAnyTurn) message.turn = begun_ + waiting_.size();
    waiting_.push_back(message);
    std::push_heap(waiting_.begin(), waiting_.end(), is_later);
  }
  // The next one, if it is there and one of the slots is free for it, which it takes.
  std::optional<LaneMessage> begin_next(std::uint32_t slots) {
    if (busy_ >= slots || waiting_.empty() || waiting_.front().turn != begun_) return std::nullopt;
    std::pop_heap(waiting_.begin(), waiting_.end(), is_later);
    const LaneMessage message = waiting_.back();
    waiting_.pop_back();
    ++busy_;
    ++begun_;
    return message;
  }
  void free_slot() { --busy_; }
  // How many have begun: those whose turns are less.
  std::uint64_t begun() const { return begun_; }
  // Turns are counted from 0 again, when all have begun.
  void restart() { begun_ = 0; }

  template <class A>
  void archive(A& a) {
    a.value(busy_);
    a.value(begun_);
    a.values(waiting_);
  }

 private:
  static bool is_later(const LaneMessage& a, const LaneMessage& b) { return a.turn > b.turn; }

  std::uint32_t busy_ = 0;
  std::uint64_t begun_ = 0;
  std::vector<LaneMessage> waiting_;  // a heap
};

}  // namespace weir::traffic
