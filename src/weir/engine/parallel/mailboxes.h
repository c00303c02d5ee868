// The mail between the partitions of a run. A rank has the mail that its own partitions send or get.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "weir/engine/parallel/ranks.h"
#include "weir/engine/partition/mailbox.h"

namespace weir::engine {

// Mail that is written in one epoch is taken over in the next, while the mail of that epoch is written: so there are
// two sets of mailboxes.
class Mailboxes {
 public:
  Mailboxes(std::uint32_t partitions, const Share& own) : partitions_(partitions), own_(own) {
    for (auto& set : sets_)
      for (std::uint32_t from = 0; from < partitions; ++from)
        set.emplace_back(own.has(from) ? partitions : own.count());
  }

  // Called when an epoch begins, whose mail at() returns from then on.
  void begin_epoch() { current_ ^= 1; }
  // The mail of the present epoch or, between epochs, of the last one. At least one of the two partitions must be this
  // rank's.
  Mailbox& at(std::uint32_t from, std::uint32_t to) { return sets_[current_][from][place_of(from, to)]; }
  // The mail of the epoch before that.
  const Mailbox& before(std::uint32_t from, std::uint32_t to) const {
    return sets_[current_ ^ 1][from][place_of(from, to)];
  }
  // The mail of the present epoch that this rank's partition `from` sends, by receiver.
  std::vector<Mailbox>& sent_by(std::uint32_t from) { return sets_[current_][from]; }

  // Clears the mail that partitions of other ranks have sent.
  void clear_received() {
    for (std::uint32_t from = 0; from < partitions_; ++from)
      if (!own_.has(from))
        for (Mailbox& box : sets_[current_][from]) box.clear();
  }
  // The number of mailboxes with mail that this rank's partitions have sent.
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

  // save() saves what this rank's partitions have sent; load() reads what all ranks have saved, one after the other,
  // and keeps the mail that its own partitions send or get.
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
  // Two sets of mailboxes, by sender, then by receiver; for senders of other ranks, receivers are only those of this
  // rank.
  std::array<std::vector<std::vector<Mailbox>>, 2> sets_;
  std::uint32_t current_ = 0;
};

}  // namespace weir::engine
