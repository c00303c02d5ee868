// Drivers (weir/traffic/driver.h) of a partition's hosts: the messages that they send, what they are told, and when.
//
// All that a driver asks for stands in its host's queue of timers, under a slot that no flow has, and happens when the
// host's NIC comes to it, in the same picosecond. So a driver may be called in the midst of what happens to a flow.
//
// A message is a flow of its own, or the next bytes of its connection (transport.connections). Its receiver is told of
// it before its first packet can arrive. A message that is skipped (engine/skip/message_skipper.h) sends no packet: the
// instants at which both ends are told are known at its start.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "weir/engine/model/scale_up_switch.h"
#include "weir/engine/partition/mailbox.h"
#include "weir/host/connections.h"
#include "weir/host/flow.h"
#include "weir/host/host.h"
#include "weir/host/message_queue.h"
#include "weir/sim/partition_part.h"
#include "weir/traffic/driver.h"

namespace weir::engine {

template <class P>
class Drivers : public sim::PartitionPart<Drivers, P> {
 public:
  // Called before the first event. The driver must outlive this. Posts of other hosts reach it `lag` later at the
  // earliest; if there are several partitions, `lag` is at least as long as the longest epoch.
  void add(traffic::Driver& driver, Time lag);
  // How many tasks have been done by this partition's hosts, for all drivers together.
  std::uint64_t tasks_done() const { return tasks_done_; }

  // Called when a timer of host h is due whose slot is a driver's (host::is_of_driver).
  void on_timer(std::uint32_t h, const host::TimedSlot& due, Time now);
  // Called when the flow of a message has ended.
  void end_flow(std::uint32_t h, const host::Flow& flow, Time now);
  // Called when feedback has come for a connection's flow.
  void on_feedback(std::uint32_t h, host::Flow& flow, Time now);
  // Called when all bytes of the flow below `r.expected` have arrived, and with them the end of a message.
  void receive(std::uint32_t src, std::uint32_t slot, host::Receiver& r, Time now);

  // The messages that a flow of host h has to send.
  host::Outgoing& outgoing(std::uint32_t h, std::uint32_t slot) {
    auto& of_host = of_host_[h].outgoing;
    if (slot >= of_host.size()) of_host.resize(slot + std::size_t{1});
    return of_host[slot];
  }

  // Called between epochs: the messages of a connection of this partition that are not acknowledged, in order.
  std::span<const host::QueuedMessage> messages_of(std::uint32_t h, const host::Flow& flow) const {
    return of_host_[h].outgoing[flow.slot].messages.all();
  }
  // Called between epochs: the end of the message of this flow that its receiver, a host of this partition, waits for;
  // nothing if it waits for none.
  std::optional<std::int64_t> expected_end(std::uint32_t src, const host::Flow& flow) const;

  // Archives between epochs, once all has been handed over.
  template <class A>
  void archive(A& a);

  // Moves what hosts of other partitions have to know into the mailboxes, by partition.
  void hand_over(std::vector<Mailbox>& outboxes);
  // Takes over what hosts of another partition have told this one's hosts.
  void take_over(const Mailbox& inbox);

 private:
  using Base = sim::PartitionPart<Drivers, P>;
  using Base::counters;
  using Base::model;
  using Base::network;
  using Base::nics;
  using Base::receivers;
  using Base::senders;
  using Base::shared;
  using Base::tracer;

  // The state of a host.
  struct OfHost {
    std::vector<host::QueuedMessage> to_send;  // messages to be sent at this instant
    std::vector<Notice> notices;               // a heap: the first is due first
    std::vector<host::Outgoing> outgoing;      // by slot of the flow
    std::unordered_map<host::Connections::Key, std::uint32_t, host::Connections::Hash> connections;  // slots of flows
    std::uint32_t sent = 0;                                                                          // messages
    Time scale_up_free;                   // traffic::Desk::scale_up_free()
    std::vector<ScaleUpSwitch> switches;  // of its server, if it is the server's first host
  };

  // What a driver can do for one host, during one call.
  class HostDesk final : public traffic::Desk {
   public:
    explicit HostDesk(Drivers& all) : all_(all) {}
    HostDesk& of(std::uint32_t driver, std::uint32_t host, Time now) {
      driver_ = driver;
      host_ = host;
      now_ = now;
      return *this;
    }

    std::uint32_t host() const override { return host_; }
    Time now() const override { return now_; }
    void send(traffic::Message message) override;
    void wake(Time at, std::uint32_t word) override;
    void post(std::uint32_t host, std::uint64_t word, Time at) override;
    Time lag() const override { return all_.lag_; }
    void move(traffic::Message message) override;
    Time& scale_up_free() override { return all_.of_host_[host_].scale_up_free; }
    void did(std::uint32_t activity, Time begin, std::uint32_t waited_for) override;
    void done(std::uint64_t tasks) override { all_.tasks_done_ += tasks; }

   private:
    Drivers& all_;
    std::uint32_t driver_ = 0;
    std::uint32_t host_ = 0;
    Time now_;
  };

  // The desk of host h for this driver, which is valid until the next call.
  traffic::Desk& desk(std::uint32_t driver, std::uint32_t h, Time now) { return desk_.of(driver, h, now); }
  void set_timer(std::uint32_t h, Time at, std::uint32_t slot, std::uint32_t word);
  void begin(std::uint32_t h, host::QueuedMessage& message, Time now);
  host::Flow& flow_of(std::uint32_t h, host::QueuedMessage& message, Time now);
  bool skip(host::QueuedMessage& message, Time now);
  // Called when the message is acknowledged.
  void end(std::uint32_t h, const host::QueuedMessage& message, std::uint32_t entropy, Time now);
  void tell_sent(std::uint32_t driver, std::uint32_t h, const traffic::Message& message, Time now);
  void tell_received(std::uint32_t driver, std::uint32_t h, const traffic::Message& message, Time now);
  void expect(const Expected& expected);
  void tell(const Notice& notice);
  void on_notice(std::uint32_t h, const Notice& notice, Time now);
  host::MessageQueue& incoming(std::uint32_t src, std::uint32_t slot);
  // A message begins to cross the switch of the server whose first host is `home`.
  void begin_move(std::uint32_t home, const Notice& notice, Time now);
  void share_switch(std::uint32_t home, const Notice& notice, Time now);
  void tell_to_share(std::uint32_t home, std::uint32_t driver, std::uint64_t shared, Time at);

  std::vector<traffic::Driver*> drivers_;
  std::vector<traffic::ScaleUp> scale_ups_;                // by driver; a group of 1 = it moves nothing
  std::vector<OfHost> of_host_;                            // by host; empty without drivers
  std::vector<std::vector<host::MessageQueue>> incoming_;  // by sender, then slot: messages that receivers wait for
  std::vector<Expected> expected_;                         // for other partitions
  std::vector<Notice> notices_;                            // for other partitions
  Time lag_;
  std::uint64_t tasks_done_ = 0;
  HostDesk desk_{*this};
};

}  // namespace weir::engine
