// The chunks of a collective: how the word of a message encodes them, their channels, and their order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/traffic/collectives.h"
#include "weir/traffic/lane.h"

namespace weir::traffic {

class Chunks {
 public:
  // Bits of a message's word: 20 for a chunk, 22 for a step.
  static constexpr std::uint32_t kWordBits = 42;
  static constexpr std::uint64_t kWordMask = (std::uint64_t{1} << kWordBits) - 1;
  static constexpr std::uint32_t kStepBits = 22;
  static constexpr std::uint64_t word_of(std::uint32_t chunk, std::uint32_t step) {
    return std::uint64_t{chunk} << kStepBits | step;
  }
  static constexpr std::uint32_t chunk_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> kStepBits); }
  static constexpr std::uint32_t step_of(std::uint64_t word) {
    return static_cast<std::uint32_t>(word) & ((1u << kStepBits) - 1);
  }
  // The word of a message that frees a slot: a chunk number that no chunk has, the rank that frees it, and the index of
  // that rank among the sender's peers.
  static constexpr std::uint64_t credit_word(std::uint32_t rank, std::uint32_t peer) {
    return word_of(kMaxChunks + peer, rank);
  }
  static constexpr bool is_credit(std::uint64_t word) { return chunk_of(word & kWordMask) >= kMaxChunks; }

  explicit Chunks(const Collective& collective)
      : collective_(collective), receivers_free_(collective.receivers_free_slots()) {}

  const Collective& collective() const { return collective_; }
  // Makes the number of messages under way unlimited.
  void remove_slots() {
    collective_.slots = 0;
    receivers_free_ = false;
  }

  // The channel of a chunk, and the position of a rank in its ring: each channel visits the GPUs of a server in another
  // rotation.
  std::uint32_t channel_of(std::uint32_t chunk) const { return chunk % collective_.channels; }
  std::uint32_t index_of(std::uint32_t rank, std::uint32_t chunk) const {
    const std::uint32_t group = collective_.group;
    return rank - rank % group + (rank + group - channel_of(chunk) % group) % group;
  }
  std::uint32_t rank_at(std::uint32_t index, std::uint32_t chunk) const {
    const std::uint32_t group = collective_.group;
    return index - index % group + (index + channel_of(chunk)) % group;
  }
  // How many chunks a rank begins with.
  std::uint32_t first_chunks() const {
    return collective_.active_chunks == 0 ? collective_.chunks
                                          : std::min(collective_.active_chunks, collective_.chunks);
  }

  // Whether receivers free slots, so that messages have turns.
  bool receivers_free() const { return receivers_free_; }
  // The turn of a chunk on a lane that each chunk of its channel uses once. Lanes of trees and chains form no cycle, so
  // one slot is enough to avoid a deadlock: the first chunk that is not yet everywhere waits for no other chunk.
  std::uint64_t turn_of(std::uint32_t chunk) const {
    return receivers_free() ? chunk / collective_.channels : LaneMessage::kAnyTurn;
  }
  // The turn of a chunk in step `step` of the `steps` of a ring.
  //
  // Each lane of a ring works through groups of chunks: all chunks of a group in the first step, then all of them in
  // the second, and so on. A group has at most half as many chunks as there are slots, as NCCL has two slices under way
  // with four slots. This excludes deadlock. Take the first turn that has not begun on all lanes, and a lane on which
  // it has not: the message that it waits for has an earlier turn, so it is there or on its way. The slots of the lane
  // hold only messages that the next rank hands on by this turn or later ones; these are of fewer chunks than there are
  // slots. With as many chunks as slots, all ranks could fill all their slots and none could go on; with one chunk
  // less, all would wait for the notice that frees one slot.
  std::uint64_t turn_in_ring(std::uint32_t chunk, std::uint32_t step, std::uint32_t steps) const {
    if (!receivers_free()) return LaneMessage::kAnyTurn;
    const std::uint32_t channels = collective_.channels;
    const std::uint32_t all = (collective_.chunks - channel_of(chunk) + channels - 1) / channels;
    const std::uint32_t most = std::min(collective_.slots / 2, std::max(1u, first_chunks() / channels));
    const std::uint32_t place = chunk / channels % most;
    const std::uint32_t first = chunk / channels - place;
    return std::uint64_t{first} * steps + std::uint64_t{step} * std::min(most, all - first) + place;
  }

 private:
  Collective collective_;
  bool receivers_free_;
};

}  // namespace weir::traffic
