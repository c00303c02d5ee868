// The messages of a collective from one host to one port of another host. At most `slots` of them are under way at
// once. They begin in the order of their turns, as NCCL's kernels work through a list of steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "weir/base/units.h"

namespace weir::traffic {

// A message to rank `to`; `word` is delivered to its receiver.
struct LaneMessage {
  // The turn behind all messages added to this lane before.
  static constexpr std::uint64_t kAnyTurn = ~std::uint64_t{0};

  std::uint32_t to = 0;
  std::uint32_t peer = 0;  // index among the sender's peers, each of which has a port of its own
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
  // Takes a slot and returns the message whose turn it is, or nothing if it is not there or no slot is free.
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
  // How many messages have begun; these have the turns below this number.
  std::uint64_t begun() const { return begun_; }
  // Counts turns from 0 again; only when all messages have begun.
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
  std::vector<LaneMessage> waiting_;  // a heap by turn
};

}  // namespace weir::traffic
