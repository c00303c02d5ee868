// What changes in a run of the replica of uet-htsim, and all that happens in it: links and switches (uet_switches.cc,
// uet_routing.cc), NICs (uet_hosts.cc) and the two ends of flows (uet_senders.cc, uet_receivers.cc). What only some
// options ask for stands apart: receiver credit (uet_credit.cc), SLEEK (uet_sleek.cc), and connections that are kept
// for messages (uet_messages.cc). Times are picoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weir/cc/nscc.h"
#include "weir/engine/counters.h"
#include "weir/engine/model/model.h"
#include "weir/host/flow_view.h"
#include "weir/replica/event_queue.h"
#include "weir/replica/packet_pool.h"
#include "weir/replica/uet_connections.h"
#include "weir/replica/uet_credit.h"
#include "weir/replica/uet_messages.h"
#include "weir/replica/uet_params.h"
#include "weir/replica/uet_paths.h"
#include "weir/replica/uet_random.h"
#include "weir/replica/uet_sleek.h"

namespace weir::replica::uet {

inline constexpr std::uint32_t kHeader = 64;  // bytes; also an acknowledgement and any other control packet

enum class PacketKind : std::uint8_t { data, request, ack, nack, pull };
inline bool to_receiver(PacketKind kind) { return kind == PacketKind::data || kind == PacketKind::request; }

// Of events; the index is a flow, a host, a port or a switch.
enum Kind : std::uint32_t { kStart, kTimer, kNic, kServed, kArrived, kCross, kMessages, kPacer, kRate, kProbe };

struct Packet {
  std::uint32_t next = kNone;  // in its queue
  std::uint32_t previous = kNone;
  std::int64_t due = 0;  // when it leaves the link or the switch
  std::uint32_t flow = 0;
  std::uint32_t size = 0;
  std::uint32_t egress = 0;  // the port that the switch has chosen
  std::uint32_t seq = 0;     // data: its number; acknowledgements: of the packet that they are for
  std::uint16_t entropy = 0;
  PacketKind kind = PacketKind::data;
  bool header = false;         // goes to the queue of headers
  bool marked = false;         // acknowledgements: the packet was
  bool resent = false;         // acknowledgements: the packet was
  bool ack_requested = false;  // data
  bool request = false;        // acknowledgements: of a request to send
  bool trimmed_last = false;   // by the last switch
  bool probe = false;          // data: without content, with a number of its own; acknowledgements: of one
  std::uint32_t pull = 0;      // data and requests: the sender's target; pulls: all that is granted; in quanta
  // acknowledgements
  std::uint32_t expected = 0;  // all packets before it have arrived
  std::uint32_t base = 0;      // the packet of the bitmap's lowest bit
  std::uint64_t bitmap = 0;
  std::int64_t received = 0;       // bytes of the flow
  std::uint32_t out_of_order = 0;  // packets that have come beyond the expected one
};

// A link's queue, its transmitter and its wire.
struct Port {
  enum class Serving : std::uint8_t { nothing, headers, data };

  std::int64_t ps_per_byte = 0;
  std::int64_t delay = 0;
  std::int64_t buffer = 0;  // of a switch: for data; headers have twice as much
  std::int64_t k_min = 0;   // marks begin above it
  std::int64_t k_max = 0;
  std::uint32_t owner = 0;
  std::uint32_t peer = 0;
  bool at_switch = false;
  bool to_switch = false;
  Serving serving = Serving::nothing;
  PacketQueue headers;
  PacketQueue data;
  std::int64_t header_bytes = 0;
  std::int64_t data_bytes = 0;
  std::uint32_t share_place = 0;  // in the cycle in which headers and data share the link
  PacketQueue wire;
  // adaptive routing: what switches believe of the queue
  std::int64_t looked_at = 0;
  std::uint8_t level = 0;

  std::uint64_t sent = 0;  // bytes
  std::uint64_t marked = 0;
};

// What a switch knows of a flow under adaptive routing by flowlets.
struct Flowlet {
  std::uint32_t hop = 0;  // as an index of the flow's hops
  std::int64_t last = 0;  // when a packet took it
};

struct Switch {
  std::int64_t latency = 0;
  bool edge = false;  // has hosts
  std::uint32_t salt = 0;
  PacketQueue inside;
  std::uint32_t next_hop = 0;  // round robin
  std::uint64_t drops = 0;
  std::unordered_map<std::uint32_t, Flowlet> flowlets;  // by flow
  std::vector<std::uint32_t> up;                        // ports
  std::vector<std::uint32_t> down;
  std::uint32_t all_up = kNone;        // an edge switch's hops for all that is above it
  std::vector<std::uint32_t> hops_to;  // by host: which of hops_
};

struct Nic {
  std::uint32_t port = 0;
  bool busy = false;
  std::deque<std::uint32_t> waiting;  // flows; the same one may stand there twice
  PacketQueue control;
  std::uint32_t share_place = 0;  // in the cycle in which control packets and data share the NIC
};

// One packet as its sender sees it.
struct Sent {
  std::int64_t at = 0;
  std::uint32_t size = 0;
  std::int32_t resent = -1;  // how often
  bool outstanding = false;
  // of connections that are kept for messages
  bool acknowledged = false;
  std::uint32_t message = 0;  // that it is a piece of
};

struct Sender {
  Sender(const UetParams& params, bool one_path, Random& random) : paths(params, one_path, random) {}

  cc::FlowFacts facts;
  std::optional<cc::Nscc> nscc;
  cc::Control control;
  Paths paths;
  Messages messages;
  Credit credit;
  Sleek sleek;
  std::int64_t backlog = 0;  // not sent yet, with headers
  std::int64_t in_flight = 0;
  std::int64_t received = 0;  // as the receiver says
  std::uint32_t next_seq = 0;
  std::uint32_t requests = 0;  // to send; they have numbers too
  std::deque<Sent> sent;       // from packet first_sent on
  std::uint32_t first_sent = 0;
  std::deque<std::pair<std::int64_t, std::uint32_t>> times;  // of packets sent; some are not outstanding any more
  std::map<std::uint32_t, std::uint32_t> lost;               // packets to be sent again, and their sizes
  std::int64_t lost_bytes = 0;                               // of these
  bool waits_for_nic = false;
  bool timer = false;
  std::int64_t timeout = 0;    // when
  std::int64_t timer_for = 0;  // the packets sent then
  std::uint32_t timer_number = 0;
  std::int64_t last_request = 0;
};

struct Receiver {
  Grants grants;
  std::uint32_t expected = 0;
  std::vector<std::uint64_t> arrived;  // a bit for each packet beyond
  std::uint32_t out_of_order = 0;
  std::uint16_t unacknowledged = 0;  // bytes accepted since the last acknowledgement; wraps at 65,536
  std::int64_t bytes = 0;
  std::int64_t payload = 0;
  bool ack_requested = false;
};

struct Flow {
  UetConnection connection;
  std::uint64_t id = 0;
  Sender sender;
  Receiver receiver;
  std::uint32_t retransmitted = 0;
  std::int64_t start = -1;  // -1: not yet
  bool finished = false;
};

// An acknowledgement at the sender, for those who watch.
struct Acknowledged {
  Time now;
  std::uint32_t flow = 0;  // its number
  Time rtt;                // 0: no valid sample
  Time average_delay;
  bool marked = false;
  std::uint16_t entropy = 0;
  std::uint32_t expected = 0;
  std::uint32_t packet = 0;
  Bytes window;  // after it
};

// Without queues: both ways, a packet and its acknowledgement transmitted by so many links of one rate each.
Time unloaded_round_trip(Time way, std::int64_t mtu, unsigned links, Rate rate);
// The fixed timeout, with such a buffer at each port and hosts' links of this rate.
Time least_timeout(Bytes buffer, Rate rate);

class Network {
 public:
  // The model must outlive this.
  Network(const engine::Model& model, const UetParams& params, UetConnections connections);

  // All events before `end`.
  void run_until(std::int64_t end);
  bool idle() const { return events_.empty(); }

  const std::vector<Port>& ports() const { return ports_; }
  const std::vector<Switch>& switches() const { return switches_; }
  const std::deque<Flow>& flows() const { return flows_; }
  const engine::Counters& counters() const { return counters_; }
  // Flows that have ended since the caller last cleared it.
  std::vector<host::FlowRecord>& finished() { return finished_; }
  static host::FlowRecord record_of(const Flow& flow, Time finish);
  void watch(std::function<void(const Acknowledged&)> call) { watch_ = std::move(call); }
  Time network_rtt() const { return base_rtt(tiers_); }

 private:
  void schedule(std::int64_t time, const Event& event) { events_.schedule(time, event); }
  void happen(const Event& event);
  void wake(std::uint32_t flow);

  // uet_switches.cc
  void set_up_ports();
  void set_up_switches();
  void slow_down_links();
  void slow_down(std::uint32_t port);
  void enqueue(std::uint32_t port, std::uint32_t packet);
  void enqueue_data(Port& port, std::uint32_t packet);
  void enqueue_header(Port& port, std::uint32_t packet);
  std::uint32_t pop_data(Port& port);
  void discard(Port& port, std::uint32_t packet);
  void begin_service(std::uint32_t port);
  void served(std::uint32_t port);
  bool marks(const Port& port);
  void travel(std::uint32_t port, std::uint32_t packet);
  void arrived(std::uint32_t port);
  void enter(std::uint32_t node, std::uint32_t packet);
  void cross(std::uint32_t sw);
  void drop(const Port& port, std::uint32_t packet);
  // uet_routing.cc
  std::uint32_t choose(Switch& s, const Packet& packet, std::vector<std::uint32_t>& hops);
  std::size_t hashed_hop(const Switch& s, const Packet& packet, const std::vector<std::uint32_t>& hops) const;
  std::uint32_t next_in_turn(Switch& s, std::vector<std::uint32_t>& hops, std::uint32_t rounds);
  std::uint8_t compare_loads(const std::vector<std::uint32_t>& hops);
  std::uint32_t any_of_least();
  std::uint32_t least_loaded(const std::vector<std::uint32_t>& hops);
  std::uint32_t flowlet_hop(Switch& s, std::uint32_t flow, const std::vector<std::uint32_t>& hops);
  std::size_t instead_of_worst(std::size_t hashed, const std::vector<std::uint32_t>& hops);
  std::uint8_t level_of(Port& port) const;
  std::uint8_t queue_level(Port& port) const;
  void permute(std::vector<std::uint32_t>& hops);
  std::vector<std::uint32_t>& hops_to(std::uint32_t sw, std::uint32_t host);
  bool covers(std::uint32_t node, std::uint32_t host) const;

  // uet_hosts.cc
  void set_up_hosts();
  Time base_rtt(unsigned tiers) const;
  unsigned tiers_of(std::uint32_t src, std::uint32_t dst) const;
  void add_flow(const UetConnection& connection, bool has_messages);
  void start(std::uint32_t flow);
  void begin(std::uint32_t flow, std::int64_t backlog);
  void call(std::uint32_t trigger);
  void start_triggered();
  void serve(std::uint32_t host);
  bool request_sending(std::uint32_t flow);
  void start_sending(std::uint32_t host, std::uint32_t size);
  void occupy(std::uint32_t host, std::uint32_t size);
  void cant_send(std::uint32_t host);
  void send_control(std::uint32_t host, std::uint32_t packet);
  void send_control_now(std::uint32_t host);
  // uet_credit.cc
  void set_up_pacers();
  void set_credit_cap(Time base_rtt);
  bool has_credit(const Sender& s) const { return !params_.receiver_cc || s.credit.bytes > 0; }
  void spend_credit(std::uint32_t flow, std::uint32_t size);
  static void stop_speculating(Sender& s);
  void receive_pull(std::uint32_t flow, const Packet& packet);
  void hear_target(std::uint32_t flow, std::uint32_t target);
  void activate(std::uint32_t flow);
  void pace(std::uint32_t host);
  void send_pull(std::uint32_t flow);
  void schedule_rate(std::uint32_t host);
  void adapt_rate(std::uint32_t host);
  void count_for_rate(const Packet& packet);
  // uet_sleek.cc
  void look_for_losses(std::uint32_t flow, const Packet& ack, double delay);
  void take_for_lost(std::uint32_t flow, std::uint32_t expected);
  void time_out_in_loss_mode(std::uint32_t flow, std::uint32_t seq, bool resent);
  void start_probe_timer(std::uint32_t flow, std::int64_t due);
  static void stop_probe_timer(Sender& s);
  void send_probe(std::uint32_t flow);
  Time probe_round_trip(const Sender& s, const Packet& ack) const;
  double react(Sender& s, const Packet& packet, const cc::Ack& ack);
  // uet_messages.cc
  std::uint32_t next_piece(const Messages& messages) const;
  void add_messages(const std::vector<UetMessage>& messages);
  void start_messages(std::uint32_t flow);
  void note_piece(Sender& s) const;
  void acknowledge_piece(Messages& messages, Sent& sent) const;
  bool messages_are_done(std::uint32_t flow) const;
  // uet_senders.cc
  std::uint32_t next_size(const Sender& s) const;
  bool fits(const Sender& s, std::int64_t size) const;
  bool may_send(const Sender& s) const;
  void send_if_permitted(std::uint32_t flow);
  void time_to_send(std::uint32_t flow);
  std::uint32_t send_packet(std::uint32_t flow);
  std::uint32_t send_new(std::uint32_t flow);
  std::uint32_t send_again(std::uint32_t flow);
  void send_request(std::uint32_t flow);
  std::uint32_t new_packet(std::uint32_t flow, PacketKind kind, std::uint32_t seq, std::uint32_t size);
  void transmit(std::uint32_t flow, std::uint32_t packet);
  static void take_from_lost(Sender& s, std::map<std::uint32_t, std::uint32_t>::iterator lost);
  void note_sent(Sender& s, std::uint32_t seq, std::uint32_t size) const;
  void queue_again(std::uint32_t flow, std::uint32_t seq, std::uint32_t size);
  static Sent* outstanding(Sender& s, std::uint32_t seq);
  void start_timer(std::uint32_t flow, std::int64_t sent_at);
  void restart_timer(std::uint32_t flow);
  static void stop_timer(Sender& s);
  static const std::pair<std::int64_t, std::uint32_t>* oldest_outstanding(Sender& s);
  void not_outstanding(std::uint32_t flow, Sent& sent);
  void timed_out(std::uint32_t flow);
  void set_base_rtt(Sender& s, Time rtt) const;
  void receive_ack(std::uint32_t flow, const Packet& packet);
  Time round_trip(Sender& s, const Packet& packet) const;
  void acknowledge_up_to(std::uint32_t flow, std::uint32_t expected);
  void acknowledge_one(std::uint32_t flow, std::uint32_t seq);
  bool take_request_mark();
  void receive_nack(std::uint32_t flow, const Packet& packet);
  bool check_finished(std::uint32_t flow, std::uint32_t expected);
  // uet_receivers.cc
  void receive(std::uint32_t host, std::uint32_t packet);
  void receive_data(std::uint32_t flow, const Packet& packet);
  void receive_trimmed(std::uint32_t flow, const Packet& packet);
  void receive_request(std::uint32_t flow, const Packet& packet);
  std::uint32_t new_answer(PacketKind kind, std::uint32_t flow, const Packet& to);
  static bool has_arrived(const Receiver& r, std::uint32_t seq);
  static bool accept(Receiver& r, std::uint32_t seq);
  static std::uint64_t bitmap(const Receiver& r, std::uint32_t base);
  void send_ack(std::uint32_t flow, const Packet& packet, bool from_packet);

  std::int64_t now() const { return events_.now(); }

  const engine::Model& model_;
  const net::Topology& topology_;
  const UetParams params_;
  const cc::Nscc::Params& nscc_;
  const std::int64_t mtu_;
  const std::int64_t mss_;
  Random random_;
  EventQueue<7, 1u << 17> events_;
  std::vector<Port> ports_;
  std::vector<Switch> switches_;
  std::vector<std::vector<std::uint32_t>> hops_;
  std::vector<std::uint32_t> least_;  // scratch: of hops that are compared, those with the least level
  std::vector<Nic> nics_;
  Rate nic_rate_;
  std::array<std::int64_t, 3> link_delay_{};  // by tier: of hosts, of edge switches up, ...
  unsigned tiers_ = 0;
  std::int64_t min_rto_ = 0;
  std::vector<Pacer> pacers_;             // by host
  std::vector<SharedRate> shared_rates_;  // by host; none without -oversubscribed_cc
  std::int64_t pull_time_ = 0;            // of a quantum at the rate of a host's link
  std::int64_t credit_cap_ = 0;
  std::deque<Flow> flows_;
  std::vector<UetTrigger> triggers_;
  std::vector<std::vector<std::uint32_t>> triggered_;  // flows, by trigger
  std::vector<std::uint32_t> calls_;                   // so far
  std::vector<std::uint32_t> pending_;                 // flows that a trigger starts now, the last one first
  PacketPool<Packet> packets_;
  std::vector<bool> request_marks_;  // of acknowledgements whose memory is free
  std::vector<host::FlowRecord> finished_;
  std::function<void(const Acknowledged&)> watch_;
  engine::Counters counters_;
};

}  // namespace weir::replica::uet
