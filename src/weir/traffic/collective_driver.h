// The common part of all drivers of collective operations: membership, messages by the network or by scale-up links,
// delays between steps, slots, and sums. Memory grows with the hosts, not with the messages.
//
// Slots that receivers free (SlotsFreedBy::receiver) are NCCL's: a message takes a slot of its receiver's buffer, and
// the receiver frees the slot when it has handed the content on: as soon as all messages that carry it on have begun
// (each of which needs a slot itself), or at once if it goes no farther. The sender learns this by a small message, as
// NCCL clears it to send by a write into its memory (ncclIbPostFifo); within a server by a post, after the latency of
// the scale-up links. So a late or slow rank holds back the ranks before it. Chunks::turn_in_ring() shows why there is
// no deadlock.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "weir/traffic/chunks.h"
#include "weir/traffic/collectives.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/lane.h"
#include "weir/traffic/stragglers.h"
#include "weir/traffic/traffic.h"

namespace weir::traffic {

class CollectiveDriver : public Driver, protected Chunks {
 public:
  using Chunks::is_credit;
  using Chunks::kWordBits;
  using Chunks::kWordMask;

  std::uint64_t tasks() const final { return messages_; }
  bool posts() const final { return scale_up_.is_there(); }
  void begin(Desk& desk) final;
  void received(Desk& desk, const Message& message) final;
  void sent(Desk& desk, const Message& message) final;
  // A message from the same server has arrived.
  void posted(Desk& desk, std::uint32_t from, std::uint64_t word) final;
  std::optional<ScaleUp> scale_up() const final { return shares_ ? std::optional(scale_up_) : std::nullopt; }
  void brought(Desk& desk, const Message& message) final;
  void carried(Desk& desk, const Message& message) final;
  // Time to send the first messages, or a message whose delay is over.
  void woken(Desk& desk, std::uint32_t word) final;

  std::optional<MessageSums> sums() const final;
  void add(std::uint32_t host, MessageSums& sums) const final;
  bool each_pair(const VisitMessage& visit) const final;
  bool takes_part(std::uint32_t host) const final { return who_.rank(host) != kNone; }
  std::unique_ptr<Driver> unhindered() const final;
  void unhinder();

  void archive(Saver& a, std::uint32_t host) final;
  void archive(Loader& a, std::uint32_t host) final;

  // For one of several calls (traffic/calls_driver.h): begins the operation anew for this host, and says whether the
  // host's part is over, which is when it has received all its messages and all that it has sent have been
  // acknowledged.
  void enter(Desk& desk);
  bool is_over(std::uint32_t host) const;
  // Whether the host has sent this message on for another GPU of its server (PXN). Such a message may come at any time,
  // whichever call the host is in.
  static bool is_passed_on(const Message& message) { return message.dport == kPassedOnPort; }
  // Forwards such a message, which has come to this host by the scale-up links.
  void pass_on(Desk& desk, Message message) const;
  // A receiver has freed a slot; is_credit() holds for the word. Such a message may come at any time, too.
  void take_credit(Desk& desk, std::uint64_t word);
  void note_what_has_gone() { notes_gone_ = true; }

  // Destination port of messages that another host has passed on (PXN).
  static constexpr std::uint16_t kPassedOnPort = kDestinationPort + 1;
  // Destination port of messages that free slots. They model NCCL's ncclIbSendFifo, an entry of 64 B.
  static constexpr std::uint16_t kCreditPort = kDestinationPort + 2;
  static constexpr Bytes kCreditSize{64};

 protected:
  static constexpr std::uint32_t kNone = Members::kNone;

  using Send = LaneMessage;
  using VisitSend = std::function<void(const Send&)>;

  // `messages` is their number in the whole operation.
  CollectiveDriver(const Collective& collective, const Context& context, Communicator who, std::uint64_t messages);
  CollectiveDriver(const CollectiveDriver&) = default;

  std::uint32_t ranks() const { return who_.ranks(); }
  std::uint32_t host(std::uint32_t rank) const { return who_.host(rank); }
  // send() sends at once, send_later() after the time that the rank takes for a step.
  void send(Desk& desk, std::uint32_t rank, const Send& message);
  void send_later(Desk& desk, std::uint32_t rank, const Send& message);

  // The rank has handed on what has come from this one, to which the rank is this peer.
  void free_slot_at(Desk& desk, std::uint32_t rank, std::uint32_t from, std::uint32_t peer) const;

  // A rank's neighbours in a tree, and which peers they are.
  struct Branches {
    std::uint32_t parent = kNone;
    std::uint32_t up = 0;       // the parent to a child, of all ranks of the tree
    std::uint32_t down_to = 0;  // this rank to its parent
    std::uint32_t children = 0;
    std::array<std::uint32_t, 3> child{};
    std::array<std::uint32_t, 3> down{};  // each child to this rank
  };
  // A message to the parent, or one of those to the children, has begun with this turn. The slots are free of what it
  // hands on.
  void free_branches(Desk& desk, std::uint32_t rank, const Branches& at, bool goes_down, std::uint64_t turn) const;

 private:
  // The rank sends what waits for nothing.
  virtual void start(Desk& desk, std::uint32_t rank) = 0;
  // The rank has received this: it sends what has waited for it.
  virtual void go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) = 0;
  // This message has begun: slots may be free of what the rank hands on by it. Called only if receivers free them.
  virtual void begun(Desk&, std::uint32_t /*rank*/, const Send&) {}
  // What it has sent is there. Called only after note_what_has_gone().
  virtual void gone(Desk&, std::uint32_t /*rank*/) {}
  // How many messages the rank receives and sends.
  virtual std::uint64_t moves(std::uint32_t rank) const = 0;
  // What all ranks send, and what bandwidths are told of (MessageSums).
  virtual Bytes payload() const = 0;
  virtual Bytes buffer() const { return collective().size; }
  // How many messages there are of which each waits for the one before.
  virtual std::uint64_t longest() const = 0;
  // Calls visit() with a message of this rank to each other one that it sends to beyond its server.
  virtual void each_peer(std::uint32_t rank, const VisitSend& visit) const = 0;
  // What else is known of a rank; it begins anew.
  virtual void reset_rank(std::uint32_t /*rank*/) {}
  virtual void archive_rank(Saver&, std::uint32_t /*rank*/) {}
  virtual void archive_rank(Loader&, std::uint32_t /*rank*/) {}

  struct Rank {
    Time received;
    Time acknowledged;
    std::uint64_t done = 0;
    std::uint64_t moved = 0;              // received, and sent and gone
    std::vector<Send> waiting;            // by number of the wake-up that they wait for
    std::vector<std::uint32_t> free;      // numbers
    std::map<std::uint64_t, Lane> lanes;  // by where they go
  };

  template <class A>
  void archive_both(A& a, std::uint32_t host);
  void arrive(Desk& desk, std::uint64_t word);
  void end(Desk& desk);
  static std::uint64_t lane_of(const Message& m) { return std::uint64_t{m.dst} << 16 | m.sport; }
  // Who sends a message for its host: another one of its server, if the receiver is on that one's rail (PXN).
  std::uint32_t by_whom(const Message& m) const { return collective().pxn ? by_rail(scale_up_, m.src, m.dst) : m.src; }
  void send_by_rail(Desk& desk, Message message) const;
  // Whether this message takes a slot: within a server only if its receiver frees that.
  bool takes_slot(const Send& s, bool is_near) const {
    return is_near ? receivers_free() && s.turn != LaneMessage::kAnyTurn : collective().slots > 0;
  }
  void begin_message(Desk& desk, std::uint32_t rank, const Send& s, const Message& m);
  // What has waited for the lane begins, as far as there are slots.
  void begin_waiting(Desk& desk, std::uint32_t rank, Lane& lane);
  // A message has left its slot.
  void free_slot(Desk& desk, std::uint32_t rank, const Message& message);
  // A message that the rank has sent is there.
  void leave(Desk& desk, std::uint32_t rank);
  Message message(std::uint32_t rank, const Send& send) const;
  bool is_near(const Message& m) const { return scale_up_.is_there() && scale_up_.joins(m.src, m.dst); }

  const ScaleUp scale_up_;
  bool shares_;             // its links by Desk::move()
  const std::uint64_t id_;  // of messages: kAnyId or kAnyUnlistedId
  const Labels labels_;
  const std::uint32_t first_port_;
  const Communicator who_;
  const Stragglers stragglers_;
  bool notes_gone_ = false;
  std::uint64_t messages_ = 0;
  std::vector<Rank> of_rank_;
};

}  // namespace weir::traffic
