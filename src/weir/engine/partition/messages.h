// The messages and computations of a partition's hosts that wait for each other.
//
// What a host finds out itself (it has received a message, or the acknowledgement of one that it sent) takes effect
// there at once. What another host has to be told takes effect news_lag() later, which is no less than an epoch, and so
// does not depend on the partitions.
//
// A node that is due stands in its host's queue of timers, under a slot that no flow has. So does the end of a message
// that is skipped (engine/skip/message_skipper.h), which is known at its start: those that wait for its receipt are
// told then.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/engine/partition/mailbox.h"
#include "weir/sim/partition_part.h"
#include "weir/traffic/program.h"

namespace weir::engine {

template <class P>
class Messages : public sim::PartitionPart<Messages, P> {
 public:
  // Called before the first event: starts the messages that start by themselves. What concerns another host takes
  // effect `lag` later, at least the longest epoch if there are several partitions. The program must outlive this.
  void load(const traffic::Program& program, Time lag);
  // The number of nodes in this partition that have ended.
  std::uint64_t nodes_done() const { return nodes_done_; }

  bool is_message(std::uint64_t flow_id) const { return program_ != nullptr && flow_id < program_->size(); }
  // Runs a node that is due.
  void run_node(std::uint32_t node, Time now);
  // A message is acknowledged, or a computation has ended.
  void end_node(std::uint32_t node, Time now);
  // The receiver of the message in this slot of `src` has all of it.
  void finish_message(std::uint32_t src, std::uint32_t slot, Time now);

  // Archives between epochs, once all has been handed over.
  template <class A>
  void archive(A& a) {
    a.each(messages_, [&](auto& of_sender) { a.values(of_sender); });
    a.values(expected_);
    a.values(signals_);
    a.value(nodes_done_);
  }

  // Moves what hosts of other partitions have to know into the mailboxes, by partition.
  void hand_over(std::vector<Mailbox>& outboxes);
  // Takes what hosts of another partition have told.
  void take_over(const Mailbox& inbox);

 private:
  using Base = sim::PartitionPart<Messages, P>;
  using Base::network;
  using Base::nics;
  using Base::receivers;
  using Base::senders;
  using Base::shared;

  void make_due(std::uint32_t node, Time ready);
  void expect(const Expected& message);
  [[gnu::noinline]] bool skip(std::uint32_t node, Time now);
  [[gnu::noinline]] void end_skipped(std::uint32_t node, Time now);
  void happened(std::uint32_t node, traffic::Event event, std::uint32_t where, Time at);
  void note(std::uint32_t node, Time at);

  const traffic::Program* program_ = nullptr;
  Time lag_;
  std::vector<std::vector<std::uint32_t>> messages_;  // by sender, then slot: the node that a receiver here expects
  std::vector<Expected> expected_;                    // for other partitions
  std::vector<Signal> signals_;                       // for other partitions
  std::uint64_t nodes_done_ = 0;
};

}  // namespace weir::engine
