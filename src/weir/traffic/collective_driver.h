// What drivers of collective operations have in common: who takes part, messages that go by the network or by scale-up
// links, delays between steps, and sums. Memory follows the hosts, not the messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "weir/traffic/collectives.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/traffic.h"

namespace weir::traffic {

class CollectiveDriver : public Driver {
 public:
  // Words of messages have so many bits: 20 for a chunk, 22 for a step.
  static constexpr std::uint32_t kWordBits = 42;

  std::uint64_t tasks() const final { return messages_; }
  bool posts() const final { return scale_up_.is_there(); }
  void begin(Desk& desk) final;
  void received(Desk& desk, const Message& message) final;
  void sent(Desk& desk, const Message& message) final;
  // A message of the same server has come.
  void posted(Desk& desk, std::uint32_t from, std::uint64_t word) final;
  std::optional<ScaleUp> scale_up() const final { return shares_ ? std::optional(scale_up_) : std::nullopt; }
  void brought(Desk& desk, const Message& message) final;
  void carried(Desk& desk, const Message& message) final;
  // The first messages are to be sent, or one that has waited for its delay.
  void woken(Desk& desk, std::uint32_t word) final;

  std::optional<MessageSums> sums() const final;
  void add(std::uint32_t host, MessageSums& sums) const final;
  bool each_pair(const VisitMessage& visit) const final;
  bool takes_part(std::uint32_t host) const final { return who_.rank(host) != kNone; }
  std::unique_ptr<Driver> unhindered() const final;
  void unhinder();

  void archive(Saver& a, std::uint32_t host) final;
  void archive(Loader& a, std::uint32_t host) final;

  // As one of several calls (traffic/calls_driver.h), which begins for a host when that host comes to it, anew each
  // time: all that the host does before it is over, which is when it has received all and all that it has sent is
  // there.
  void enter(Desk& desk);
  bool is_over(std::uint32_t host) const;
  // A message that this host has sent on for another one of its server, and not one of its own: it may come whatever
  // the host does.
  static bool is_passed_on(const Message& message) { return message.dport == kPassedOnPort; }
  // Such a message has come to this host by the scale-up links.
  void pass_on(Desk& desk, Message message) const;
  void note_what_has_gone() { notes_gone_ = true; }

  // Of messages that another host has passed on (PXN).
  static constexpr std::uint16_t kPassedOnPort = kDestinationPort + 1;

 protected:
  static constexpr std::uint32_t kNone = Members::kNone;

  // A message: from whom to whom, by rank, how much, and what its receiver is to know.
  struct Send {
    std::uint32_t to = 0;
    std::uint32_t peer = 0;  // which of its peers that is: messages to each have ports of their own
    Bytes size;
    std::uint64_t word = 0;  // below 2^kWordBits
  };
  // What a word says: of which chunk and step it is.
  static constexpr std::uint32_t kStepBits = 22;
  static constexpr std::uint64_t word_of(std::uint32_t chunk, std::uint32_t step) {
    return std::uint64_t{chunk} << kStepBits | step;
  }
  static constexpr std::uint32_t chunk_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> kStepBits); }
  static constexpr std::uint32_t step_of(std::uint64_t word) {
    return static_cast<std::uint32_t>(word) & ((1u << kStepBits) - 1);
  }

  using VisitSend = std::function<void(const Send&)>;

  // `messages` in all.
  CollectiveDriver(const Collective& collective, const Context& context, Communicator who, std::uint64_t messages);
  CollectiveDriver(const CollectiveDriver&) = default;

  std::uint32_t ranks() const { return who_.ranks(); }
  std::uint32_t host(std::uint32_t rank) const { return who_.host(rank); }
  const Collective& collective() const { return collective_; }
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
  // Sends at once, or `step_delay` from now.
  void send(Desk& desk, std::uint32_t rank, const Send& message);
  void send_later(Desk& desk, std::uint32_t rank, const Send& message);

 private:
  // The rank sends what waits for nothing.
  virtual void start(Desk& desk, std::uint32_t rank) = 0;
  // The rank has received this: it sends what has waited for it.
  virtual void go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) = 0;
  // What it has sent is there. Called only after note_what_has_gone().
  virtual void gone(Desk&, std::uint32_t /*rank*/) {}
  // How many messages the rank receives and sends.
  virtual std::uint64_t moves(std::uint32_t rank) const = 0;
  // What all ranks send, and what bandwidths are told of (MessageSums).
  virtual Bytes payload() const = 0;
  virtual Bytes buffer() const { return collective_.size; }
  // How many messages there are of which each waits for the one before.
  virtual std::uint64_t longest() const = 0;
  // Calls visit() with a message of this rank to each other one that it sends to beyond its server.
  virtual void each_peer(std::uint32_t rank, const VisitSend& visit) const = 0;
  // What else is known of a rank; it begins anew.
  virtual void reset_rank(std::uint32_t /*rank*/) {}
  virtual void archive_rank(Saver&, std::uint32_t /*rank*/) {}
  virtual void archive_rank(Loader&, std::uint32_t /*rank*/) {}

  // Messages by the network from one host to another one's port, of which only so many are under way.
  struct Lane {
    std::uint32_t busy = 0;
    std::uint32_t first = 0;  // of those that wait
    std::vector<Send> waiting;
  };

  struct Rank {
    Time received;
    Time acknowledged;
    std::uint64_t done = 0;
    std::uint64_t moved = 0;          // received, and sent and gone
    std::vector<Send> waiting;        // by number of the wake-up that they wait for
    std::vector<std::uint32_t> free;  // numbers
    std::map<std::uint64_t, Lane> lanes;
  };

  template <class A>
  void archive_both(A& a, std::uint32_t host);
  void arrive(Desk& desk, std::uint64_t word);
  void end(Desk& desk);
  static std::uint64_t lane_of(const Message& m) { return std::uint64_t{m.dst} << 16 | m.sport; }
  // Who sends a message for its host: another one of its server, if the receiver is on that one's rail (PXN).
  std::uint32_t by_whom(const Message& m) const { return collective_.pxn ? by_rail(scale_up_, m.src, m.dst) : m.src; }
  void send_by_rail(Desk& desk, Message message) const;
  // A message has left its slot.
  void free_slot(Desk& desk, std::uint32_t rank, const Message& message);
  // A message that the rank has sent is there.
  void leave(Desk& desk, std::uint32_t rank);
  Message message(std::uint32_t rank, const Send& send) const;
  bool is_near(const Message& m) const { return scale_up_.is_there() && scale_up_.joins(m.src, m.dst); }

  Collective collective_;
  const ScaleUp scale_up_;
  bool shares_;             // its links by Desk::move()
  const std::uint64_t id_;  // of messages: kAnyId or kAnyUnlistedId
  const Labels labels_;
  const std::uint32_t first_port_;
  const Communicator who_;
  bool notes_gone_ = false;
  std::uint64_t messages_ = 0;
  std::vector<Rank> of_rank_;
};

}  // namespace weir::traffic
