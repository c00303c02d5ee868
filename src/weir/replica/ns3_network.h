// What changes in a run of the replica, and all that happens in it: links and switches (ns3_switches.cc), NICs and the
// two ends of flows (ns3_hosts.cc). Times are whole nanoseconds, rates bits per second.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "weir/base/random.h"
#include "weir/engine/counters.h"
#include "weir/engine/model/model.h"
#include "weir/host/flow_view.h"
#include "weir/replica/ns3_control.h"
#include "weir/replica/ns3_params.h"
#include "weir/replica/ns3_routes.h"
#include "weir/replica/packet_pool.h"
#include "weir/traffic/traffic.h"

namespace weir::replica {

inline constexpr std::int64_t kNever = INT64_MAX;

enum class PacketKind : std::uint8_t { data, ack, nack, pause, resume };

struct Packet {
  std::uint32_t next = kNone;  // in its queue
  std::uint32_t flow = 0;
  std::uint32_t seq = 0;      // data: first byte; else the byte that is expected next
  std::uint32_t ingress = 0;  // the port at whose far end it entered the switch
  std::uint16_t wire = 0;
  std::uint16_t payload = 0;
  PacketKind kind = PacketKind::data;
  bool marked = false;
  std::uint8_t hops = 0;
  std::int64_t sent = 0;  // when it left the sender's queue
  std::array<Hop, kMaxHops> hop;
};

struct SimPort {
  std::int64_t rate = 0;
  std::int64_t delay = 0;
  double loss = 0;  // probability of each packet
  std::uint32_t owner = 0;
  std::uint32_t peer = 0;
  bool at_switch = false;
  bool to_switch = false;
  bool busy = false;
  bool paused = false;  // the class of data and acknowledgements
  bool up = true;
  // transmission times of full data packets and of acknowledgements
  std::int64_t data_ns = 0;
  std::int64_t ack_ns = 0;

  // of a switch's port
  PacketQueue control;  // pause and resume frames go first
  PacketQueue queue;
  std::uint64_t queued = 0;        // bytes in `queue`
  std::uint64_t queued_total = 0;  // and in `control`
  net::EcnThresholds ecn;

  std::uint64_t sent = 0;     // bytes
  std::uint64_t packets = 0;  // sent
  std::uint64_t arrived = 0;  // packets at the far end
  std::uint64_t marked = 0;
  std::uint64_t lost = 0;    // packets, on the link
  std::uint32_t pauses = 0;  // received
  std::int64_t paused_since = 0;
  std::int64_t paused_total = 0;
};

// What a switch's shared buffer knows of an ingress port (SwitchMmu). 32-bit arithmetic, as there.
struct Ingress {
  std::uint32_t bytes = 0;
  std::uint32_t headroom_used = 0;
  std::uint32_t headroom = 0;
  std::uint32_t shift = 0;  // threshold = free shared bytes >> shift
  bool paused = false;      // the far end has been told
};
struct SimSwitch {
  std::uint32_t shared = 0;  // capacity without headroom and reserves
  std::uint32_t shared_used = 0;
  std::uint64_t drops = 0;
  std::uint64_t pauses_sent = 0;
};

struct Nic {
  std::uint32_t port = 0;
  std::int64_t wake = kNever;
  std::uint32_t wake_number = 0;  // of the wake event that counts
  PacketQueue acks;
  std::vector<std::uint32_t> flows;
  std::size_t last = 0;  // the place of the one served last
};

// Both ends of a flow.
struct SimFlow {
  std::uint64_t una = 0;
  std::uint64_t nxt = 0;
  std::uint64_t size = 0;
  std::uint64_t window = 0;  // 0: none
  std::int64_t next_avail = 0;
  std::int64_t rate = 0;
  std::int64_t line_rate = 0;
  std::uint64_t full_window = 0;
  std::uint32_t last_wire = 0;
  bool finished = false;
  // the receiver's
  std::uint32_t expected = 0;
  std::uint32_t last_nack = 0;
  std::int64_t nack_timer = 0;

  traffic::Flow flow;
  std::int64_t start = 0;
  std::uint64_t first_new = 0;  // no byte from here on has been sent
  std::uint32_t retransmitted = 0;

  std::uint64_t left() const { return size >= nxt ? size - nxt : 0; }
  bool acknowledged() const { return una >= size; }
  bool window_bound() const { return window != 0 && nxt - una >= window; }
};

class Ns3Network {
 public:
  // Both must outlive this.
  Ns3Network(const engine::Model& model, const Ns3Params& params, traffic::Traffic& traffic);

  // All events before `end`.
  void run_until(std::int64_t end);
  // Nothing will happen any more but timers of flows that wait in vain.
  bool idle() const { return lively_ == 0; }
  bool traffic_dry() const { return !next_flow_.has_value(); }

  const std::vector<SimPort>& ports() const { return ports_; }
  const std::vector<SimSwitch>& switches() const { return switches_; }
  const std::deque<SimFlow>& flows() const { return flows_; }
  const engine::Counters& counters() const { return counters_; }
  // Flows that have ended since the caller last cleared it.
  std::vector<host::FlowRecord>& finished() { return finished_; }
  host::FlowRecord record_of(const SimFlow& flow, Time finish) const;

 private:
  void schedule(std::int64_t time, const Event& event);
  void happen(const Event& event);

  // ns3_switches.cc
  void set_up_ports();
  void set_up_buffers();
  void transmit(std::uint32_t port, std::uint32_t packet);
  void arrive(std::uint32_t port, std::uint32_t packet);
  void forward(std::uint32_t node, std::uint32_t packet);
  std::uint32_t next_port(std::uint32_t node, const Packet& packet) const;
  bool admit(SimSwitch& s, Ingress& in, std::uint32_t wire) const;
  void release(SimSwitch& s, Ingress& in, std::uint32_t wire) const;
  std::uint32_t shared_share(const Ingress& in) const;
  std::uint32_t threshold(const SimSwitch& s, const Ingress& in) const;
  void send_control(std::uint32_t port, PacketKind kind);
  void set_paused(std::uint32_t port, bool paused);
  void depart(std::uint32_t port);
  bool marks(const SimPort& port, std::uint32_t id) const;
  void take_link_down();
  void discard_queues(SimPort& port);

  // ns3_hosts.cc
  void inject();
  void start(std::uint32_t flow);
  void serve(std::uint32_t host);
  std::uint32_t choose_flow(Nic& nic);
  std::uint32_t next_packet(SimFlow& flow, std::uint32_t id);
  void wake_at(std::uint32_t host, std::int64_t time);
  void wake(std::uint32_t host, std::uint32_t number);
  void receive(std::uint32_t host, std::uint32_t packet);
  void receive_data(std::uint32_t host, std::uint32_t packet);
  bool answers(SimFlow& flow, const Packet& packet, PacketKind& kind) const;
  void receive_ack(std::uint32_t host, std::uint32_t packet);
  void finish(std::uint32_t id);
  void set_rate(SimFlow& flow, std::int64_t rate) const;
  void move_gap(std::uint32_t host, SimFlow& flow, std::int64_t new_rate);
  void on_timer(const Event& event);

  std::int64_t now() const { return events_.now(); }

  const engine::Model& model_;
  const net::Topology& topology_;
  const Ns3Params params_;
  traffic::Traffic& traffic_;
  Ns3Events events_;
  std::unique_ptr<Control> control_;
  Ns3Routes routes_;
  const std::vector<std::uint32_t> numbers_;  // of nodes, in addresses and hashes
  const HopFormat int_format_;
  const bool stamps_;  // switches write telemetry
  const std::uint32_t data_header_;
  const std::uint32_t ack_wire_;
  std::vector<SimPort> ports_;
  std::vector<Ingress> ingresses_;  // by port at whose far end the switch is
  std::vector<SimSwitch> switches_;
  std::vector<Nic> nics_;
  std::deque<SimFlow> flows_;
  std::optional<traffic::Flow> next_flow_;
  std::uint32_t installed_ = 0;  // flows that have been read
  PacketPool<Packet> packets_;
  std::uint64_t lively_ = 0;  // pending events other than DCQCN's timers
  std::vector<host::FlowRecord> finished_;
  engine::Counters counters_;
};

}  // namespace weir::replica
