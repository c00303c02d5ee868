// The mail between the partitions of a run, of which a rank holds what its own partitions send or get.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "weir/engine/parallel/ranks.h"
#include "weir/engine/partition/mailbox.h"

namespace weir::engine {

// What is written in one epoch is taken over in the next, while that one's mail is written: so there are two sets.
class Mailboxes {
 public:
  Mailboxes(std::uint32_t partitions, const Share& own) : partitions_(partitions), own_(own) {
    for (auto& set : sets_)
      for (std::uint32_t from = 0; from < partitions; ++from)
        set.emplace_back(own.has(from) ? partitions : own.count());
  }

  // An epoch begins: at() is from now on what it writes.
  void begin_epoch() { current_ ^= 1; }
  // Of the present epoch, or the last one. At least one of the two partitions is this rank's.
  Mailbox& at(std::uint32_t from, std::uint32_t to) { return sets_[current_][from][place_of(from, to)]; }
  // Of the epoch before.
  const Mailbox& before(std::uint32_t from, std::uint32_t to) const {
    return sets_[current_ ^ 1][from][place_of(from, to)];
  }
  // By receiver: of the present epoch, all that this rank's partition `from` sends.
  std::vector<Mailbox>& sent_by(std::uint32_t from) { return sets_[current_][from]; }

  // What partitions of other ranks have sent has been received, or is not wanted any more.
  void clear_received() {
    for (std::uint32_t from = 0; from < partitions_; ++from)
      if (!own_.has(from))
        for (Mailbox& box : sets_[current_][from]) box.clear();
  }
  // Those with mail of this rank's partitions.
  std::uint32_t waiting() const {
    std::uint32_t out = 0;
    for (std::uint32_t from = own_.first; from < own_.end; ++from)
      for (const Mailbox& box : sets_[current_][from]) out += box.empty() ? 0 : 1;
    return out;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& boxes : sets_[current_])
      for (const Mailbox& box : boxes) visit(box);
  }

  // Each rank saves what its partitions have sent, and loads all that it holds out of what the ranks have saved.
  template <class A>
  void save(A& a) {
    for (std::uint32_t from = own_.first; from < own_.end; ++from)
      for (Mailbox& box : sets_[current_][from]) box.archive(a);
  }
  template <class A>
  void load(A& a) {
    for (std::uint32_t from = 0; from < partitions_; ++from)
      for (std::uint32_t to = 0; to < partitions_; ++to) {
        Mailbox foreign;
        Mailbox& box = own_.has(from) || own_.has(to) ? at(from, to) : foreign;
        box.archive(a);
      }
  }

 private:
  std::size_t place_of(std::uint32_t from, std::uint32_t to) const { return own_.has(from) ? to : to - own_.first; }

  const std::uint32_t partitions_;  // of all ranks
  const Share own_;
  // Two sets; by sender, then receiver, which of another rank's partition are only those of this rank.
  std::array<std::vector<std::vector<Mailbox>>, 2> sets_;
  std::uint32_t current_ = 0;
};

}  // namespace weir::engine
