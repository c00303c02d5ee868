// The sending ends of the flows of a partition's hosts: their starts and ends, their packets, and what comes back.
//
// With go-back-N a NACK or a timeout makes the sender start again at the first unacknowledged byte. With selective
// recovery (IRN, SACK) it keeps a scoreboard, and sends again what is lost before anything new. A sender that hears
// nothing for its retransmission timeout sends again, so that a flow ends whatever is lost.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/prefetch.h"
#include "weir/base/telemetry.h"
#include "weir/host/decisions.h"
#include "weir/host/flow.h"
#include "weir/host/flow_pool.h"
#include "weir/host/host.h"
#include "weir/host/message_queue.h"
#include "weir/host/transport.h"
#include "weir/net/trace.h"
#include "weir/sim/partition_part.h"

namespace weir::host {

template <class P>
class Senders : public sim::PartitionPart<Senders, P> {
 public:
  // Reads the profiles of the model.
  template <class Model>
  explicit Senders(const Model& m);

  // Starts a flow. With a message the flow carries it, and becomes a connection if the scenario has these; sets the end
  // of the message.
  [[gnu::noinline]] Flow& start_flow(std::uint32_t h, const traffic::Flow& start, Time now,
                                     QueuedMessage* message = nullptr);
  // Adds a message to those of a connection, and sets its place there.
  [[gnu::noinline]] void append(std::uint32_t h, Flow& flow, QueuedMessage& message, Time now);
  // Records an event of a connection's message.
  void trace_message(net::EventKind kind, const Host& host, const Flow& flow, const QueuedMessage& message, Time now);
  // Notes that the last message of a connection has been acknowledged: the connection rests until the next one.
  void rest() { --active_; }
  // Sends the flow's next packet. Call only if it may be sent (Flow::sendable, due) and the NIC is free.
  void transmit(std::uint32_t h, Flow& flow, std::uint32_t port, Time now);
  // Handles a packet that has arrived at host h for the sending end of a flow.
  void receive_feedback(std::uint32_t h, const net::Packet& packet, Time now);
  // Handles the flow's timer, which is due.
  [[gnu::noinline]] void on_timer(Host& host, Flow& flow, Time now);
  // Does what the flow's Control says after a call of its algorithm: asks for a decision, and adapts the running pacing
  // gap to the new rate, if the algorithm wants that.
  void apply_control(const Host& host, Flow& flow, Time now);
  // Follows a decision that has come for a flow of host h, if the flow is still there; before all else at `now`.
  [[gnu::noinline]] void take_decision(std::uint32_t h, const Question& question, const cc::Control& control, Time now);

  // How many flows are active.
  std::uint32_t active() const { return active_; }
  // Prefetches what a packet or an acknowledgement of this flow will touch, if the flow is there.
  void prefetch(const Host& host, std::uint32_t slot, std::uint32_t generation) const {
    const Flow* const flow = host.find(slot, generation);
    if (flow == nullptr) return;
    prefetch_object(flow);
    prefetch_line(flow + 1);
  }

  // Tells the tracer what the flow's next packet waits for. Does nothing if there is no tracer.
  void trace_waiting(const Host& host, const Flow& flow, Time now);

  // Flows that ended since the last call of clear(), in order of their end.
  std::vector<FlowRecord>& finished() { return finished_; }

  // Archives the active flows of a host of this partition. A host that is loaded has none before.
  template <class A>
  void archive_flows(A& a, Host& host) {
    a.each(host.flows, [&](Flow*& flow) {
      bool active = flow != nullptr;
      a.value(active);
      if (!active) return;
      std::uint16_t profile = A::kLoads ? std::uint16_t{0} : flow->profile;
      a.value(profile);
      const std::size_t state = model().profiles.at(profile).algorithm->state_size;
      if constexpr (A::kLoads) {
        flow = flows_.take(profile, state);
        ++active_;
      }
      static_assert(std::is_trivially_copyable_v<Flow>);
      a.bytes(flow, sizeof(Flow) + state);
    });
  }

 private:
  using Packet = net::Packet;
  using Base = sim::PartitionPart<Senders, P>;
  using Base::counters;
  using Base::decisions;
  using Base::drivers;
  using Base::links;
  using Base::model;
  using Base::network;
  using Base::nics;
  using Base::packets;
  using Base::shared;
  using Base::tracer;

  // Tells the tracer what happens to a flow; for a loss, how many bytes are lost and the first of them. Does nothing if
  // there is no tracer.
  void trace(net::EventKind kind, const Host& host, const Flow& flow, Time now, Bytes first = {}, Bytes lost = {},
             net::Cause cause = net::Cause::none);

  // senders-inl.h
  Time application_time(std::uint64_t flow) const;
  [[gnu::noinline]] std::uint32_t connect(Host& host, const traffic::Flow& flow, bool is_message);
  [[gnu::noinline]] void board_on_ramp(Host& host, Flow& flow, const cc::OnRamp::Params& params);
  // Asks for a decision if the algorithm wants one. Does nothing if there is no tracer.
  void request_decision(const Host& host, Flow& flow, Time now);
  // Adapts the running pacing gap to the algorithm's new rate, if the algorithm wants that.
  static void repace(Flow& flow);
  static void pace(Flow& flow, std::uint32_t wire, Time now);
  [[gnu::cold]] void send_probe(std::uint32_t port, Flow& flow, const Packet& behind, Time now);
  [[gnu::noinline]] void receive_notice(Host& host, Flow& flow, const Packet& packet, Time now);
  std::int64_t unsolicited(const Flow& flow) const;
  std::uint32_t entropy_of_next(std::uint32_t h, Host& host, const Flow& flow, std::uint32_t connection, Time now);
  [[gnu::noinline]] void allow(Host& host, Flow& flow, std::int64_t end);
  bool waits_for_credit(const Flow& flow) const;
  [[gnu::cold]] void receive_echo(const Host& host, Flow& flow, const Packet& packet, Time now);
  Bytes span_of(Bytes message) const;
  [[gnu::noinline]] void resume(std::uint32_t h, Flow& flow, Time now);
  [[gnu::noinline]] std::int64_t begin_packet(std::uint32_t h, Flow& flow, Packet& packet, std::int64_t span);
  [[gnu::noinline]] std::int64_t pass_gaps(const Host& host, Flow& flow, std::int64_t from, std::int64_t sent);
  [[gnu::noinline]] void finish_flow(std::uint32_t h, Flow& flow, Time now);
  bool asks(const Flow& flow, const Packet& packet) const;
  void start_scoreboard(Host& host, Flow& flow, const RecoveryParams& recovery, Bytes gap);
  [[gnu::always_inline]] void tell_sent(Host& host, Flow& flow, const Packet& packet, bool again, Time now);
  void show_on_ramp(Host& host, const Flow& flow, const Packet& packet, bool again, Time now);
  void update_on_ramp_hold(Host& host, Flow& flow);
  bool early(const Flow& flow) const;
  [[gnu::noinline]] void board_stack(Host& host, Flow& flow, Time now);
  [[gnu::noinline]] void hand_down(Host& host, Flow& flow, Time now, bool one_beyond = false);
  void commit(Host& host, Flow& flow, HostStack& queue);
  bool paces(const Flow& flow) const;
  Time under_way(Host& host, const Flow& flow, const Packet& ack);
  [[gnu::noinline]] void leave_stack(Host& host, Flow& flow, const Packet& packet, bool again, Time now);
  [[gnu::noinline]] void notify_congestion(const Host& host, Flow& flow, Time now);

  // feedback-inl.h
  void acknowledge(Host& host, Flow& flow, const Packet& packet, Time now);
  // What an acknowledgement tells the flow.
  struct Told {
    std::int64_t progress = 0;  // bytes that have arrived in order
    std::int64_t acked = 0;     // bytes that have arrived
    std::int64_t trigger = 0;   // of the packet that it answers
    std::uint32_t entropy = 0;
    Time held;
  };
  [[gnu::always_inline]] Told take_ack(Host& host, Flow& flow, const Packet& packet, Scoreboard::Findings& found,
                                       Time now);
  [[gnu::noinline]] void receive_or_ack(Host& host, Flow& flow, const Packet& packet, Time now);
  bool app_limited(Host& host, const Flow& flow) const;
  [[gnu::noinline]] void on_packet_left(Host& host, Flow& flow, const Packet& packet, Time now);
  [[gnu::noinline]] void fill_rate_sample(Host& host, const Flow& flow, const Packet& packet, cc::Ack& ack);

  // losses-inl.h
  Time timeout(const Flow& flow) const;
  void watch_for_timeout(Flow& flow, std::int64_t payload, Time now) const;
  std::int64_t few_bytes(const RecoveryParams& recovery) const {
    return recovery.rto_low_packets * model().transport.payload.count;
  }
  [[gnu::noinline]] void time_out(Host& host, Flow& flow, Time now);
  [[gnu::noinline]] void set_tcp_timer(Host& host, Flow& flow, Time now);
  [[gnu::noinline]] void on_tcp_ack(Host& host, Flow& flow, const Packet& packet, bool progress, Time now);
  [[gnu::noinline]] void on_tcp_send(Host& host, Flow& flow, bool again, Time now);
  [[gnu::noinline]] void probe_tail(Host& host, Flow& flow, Time now);
  [[gnu::noinline]] void end_reordering(Host& host, Flow& flow, Time now);
  [[gnu::noinline]] void wait_for_reordering(Host& host, Flow& flow, Time now);
  Time at_tick(const Host& host, const Flow& flow, Time wait, Time now) const;
  [[gnu::noinline]] void receive_trim_notice(Host& host, Flow& flow, const Packet& packet, Time now);
  void note_scoreboard(Host& host, Flow& flow, const Scoreboard& board);
  [[gnu::noinline]] void find_losses(Host& host, Flow& flow, const Scoreboard::Findings& found, Time now);
  [[gnu::noinline]] void report_loss(Host& host, Flow& flow, cc::Loss::Kind kind, Bytes first, Bytes lost,
                                     Bytes in_flight, Time now, Bytes in_a_row = {});
  [[gnu::noinline]] void go_back(Host& host, Flow& flow, cc::Loss::Kind kind, Time now);

  const IntFormat int_format_;
  std::uint32_t active_ = 0;
  std::vector<std::uint16_t> data_header_;  // by profile: wire bytes beyond the payload
  std::vector<Time> thresholds_;            // by profile: T of On-Ramp
  FlowPool flows_;
  std::vector<FlowRecord> finished_;
};

}  // namespace weir::host
