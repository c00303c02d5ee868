// The chunks of a collective: what messages say of them, by which channel each goes, and in which order.
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
  // What frees a slot has a chunk that none is, and says by which rank and which peer of its sender that is.
  static constexpr std::uint64_t credit_word(std::uint32_t rank, std::uint32_t peer) {
    return word_of(kMaxChunks + peer, rank);
  }
  static constexpr bool is_credit(std::uint64_t word) { return chunk_of(word & kWordMask) >= kMaxChunks; }

  explicit Chunks(const Collective& collective)
      : collective_(collective), receivers_free_(collective.receivers_free_slots()) {}

  const Collective& collective() const { return collective_; }
  // From now on there are no slots.
  void remove_slots() {
    collective_.slots = 0;
    receivers_free_ = false;
  }

  // By which channel a chunk goes, and where a rank is in its ring, which goes round each server from another rank on.
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

  // Whether messages have turns, and receivers free their slots.
  bool receivers_free() const { return receivers_free_; }
  // The turn of a chunk on a lane by which each chunk of its channel goes once. Lanes of trees and chains are in no
  // circle, so one slot is enough: the first chunk that is not there everywhere waits for no other.
  std::uint64_t turn_of(std::uint32_t chunk) const {
    return receivers_free() ? chunk / collective_.channels : LaneMessage::kAnyTurn;
  }
  // The turn of a chunk in this step of so many of a ring.
  //
  // In each lane of a ring, groups of chunks follow each other, of which none has more than half as many as there are
  // slots, as NCCL has two slices under way with four: all chunks of a group in the first step, all of them in the
  // second, and so on. So nobody waits for ever. Take the first turn that has not begun on all lanes, and a lane on
  // which it has not: what has come before it is there or on its way, as its turn is an earlier one. The slots of this
  // lane hold what the next rank has not handed on, which it does by turns that are not before this one: those of fewer
  // chunks than there are slots. With as many chunks as slots, all ranks could have filled all of them, and none could
  // go on; with one less, all would wait for that one to be told of.
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
