// Trace events: what happens to single packets, ports and flows, for packet traces, captures and exact distributions.
//
// Probes and programs read them by engine::Engine::trace(). A traced run records events in each partition of the
// network and hands them over between epochs, on one thread, in an order that depends on the scenario alone. A run
// that nobody traces pays nothing for it.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "weir/base/telemetry.h"
#include "weir/base/units.h"
#include "weir/net/packet_view.h"

namespace weir::net {

// The kind of an event.
// Events of packets: `arrived` at the far end of the port's link, or `lost` on the link; `accepted` by the port;
// `left`, when its transmission begins; `marked` (ECN) as it left; `trimmed` (and then accepted) or `dropped`, when
// there was no room for it.
// Events of ports: `paused` and `resumed` by PFC, for the traffic class of `packet`.
// Events of flows: `started`; `ended`, when all bytes are acknowledged; `told_loss`, when the sender tells its
// algorithm of lost bytes; `controlled`, when its algorithm or a decision has changed the window or the rate;
// `waiting`, when the reason for which its next packet waits has changed (only for readers that ask for it). A message
// of a connection (transport.connections) is told as a flow of its own, though its packets have the slot and the
// generation of the connection; an acknowledgement belongs to the message of the last byte that it acknowledges.
// Events of hosts: `did`, when a driver says on what the host has spent its time until now (traffic::Desk::did; only
// for readers that ask for it).
// Events of packets on the wire, for captures; pause and resume frames have these, too: `sent`, when its transmission
// begins, with the mark and the telemetry that the port gives it; `received` whole by this port.
enum class EventKind : std::uint8_t {
  arrived,
  lost,
  accepted,
  left,
  marked,
  trimmed,
  dropped,
  paused,
  resumed,
  started,
  ended,
  told_loss,
  controlled,
  waiting,
  sent,
  received,
  did
};
inline constexpr unsigned kEventKinds = 17;

// A set of kinds.
using EventKinds = std::uint32_t;
constexpr EventKinds kind_bit(EventKind kind) { return static_cast<EventKinds>(1u << static_cast<unsigned>(kind)); }
// The kinds of events of packets on the wire; all others but `waiting` and `did`; those of flows.
inline constexpr EventKinds kOnWire = kind_bit(EventKind::sent) | kind_bit(EventKind::received);
inline constexpr EventKinds kNotOnWire =
    (1u << kEventKinds) - 1 - kOnWire - kind_bit(EventKind::waiting) - kind_bit(EventKind::did);
inline constexpr EventKinds kOfFlows = kind_bit(EventKind::started) | kind_bit(EventKind::ended) |
                                       kind_bit(EventKind::told_loss) | kind_bit(EventKind::controlled) |
                                       kind_bit(EventKind::waiting);

// The name of a kind: "arrived", "lost", ...
std::string_view name_of(EventKind);
// The first two kinds happen at the far end of a port's link, all others at the port, the flow's sender or the host.
constexpr bool is_at_far_end(EventKind kind) { return kind <= EventKind::lost; }
constexpr bool is_of_flow(EventKind kind) { return kind >= EventKind::started && kind <= EventKind::waiting; }
constexpr bool is_of_port(EventKind kind) { return kind == EventKind::paused || kind == EventKind::resumed; }

inline constexpr std::uint64_t kNoFlow = ~std::uint64_t{0};

// The cause of an event. Of `waiting`, what the next packet of a flow waits for: its turn at the NIC; the window, or
// data that may be sent; the algorithm's pacing; On-Ramp. Of `told_loss`, how the loss was found: the receiver has told
// of it, or a timeout.
enum class Cause : std::uint8_t { none, turn, window, pacing, on_ramp, told, timeout };
// The name of a cause: "turn", "window", ...; "" for none.
std::string_view name_of(Cause);

// The selective part of an acknowledgement, in numbers of packets: which of the 64 from `first` on have arrived.
struct SackFacts {
  std::int64_t trigger = -1;  // the packet that is acknowledged; -1 = there is no selective part
  std::int64_t first = 0;
  std::uint64_t arrived = 0;
  std::uint32_t entropy = 0;  // path selector of the packet that is acknowledged
  std::uint32_t made_us = 0;  // when the receiver made the acknowledgement, in microseconds
};

struct TraceEvent {
  Time time;
  EventKind kind = EventKind::arrived;
  Cause cause = Cause::none;   // waiting, told_loss
  std::uint16_t int_head = 0;  // sent, received: how its INT field begins on the wire, with nHop and pathID (HPCC 4.1)
  std::uint32_t port = 0;      // where it happens; for flows, the sender's NIC; for `did`, the host's
  std::uint64_t flow = kNoFlow;  // id; kNoFlow for a pause, `sent`, `received`, and a packet that has outlived its flow
  std::uint32_t src = 0;         // the flow's sender; did: the host
  std::uint32_t queued = 0;      // accepted, left, marked, trimmed, dropped: bytes that wait at the port afterwards;
                                 // did: the activity
  PacketView packet;             // as it is then. Of flows, only dst, slot, generation and profile are set, and seq for
                                 // `started`: the first byte, which is above 0 for a message of a connection, since
                                 // `sent` and `received` count the bytes of the connection. An answer whose flow is not
                                 // known has seq 0, for the flow's receiver may have forgotten it. did: slot is the
                                 // driver's number, dst the host that was waited for
  Time not_before;               // waiting for pacing or On-Ramp: until then; did: since then
  Bytes window;                  // controlled: the window; told_loss: how many bytes are lost
  Rate rate;                     // controlled: the pacing rate; 0 = none
  Bytes first;                   // told_loss: the first lost byte; started: the flow's size
};
static_assert(sizeof(TraceEvent) == 128);

// An event `sent` or `received`, with those parts of the headers on the wire that a PacketView does not have.
struct WireEvent : TraceEvent {
  SackFacts sack;
  std::array<std::uint64_t, kMaxWireHops> int_hop{};  // INT hops
};

// The whole of an event that is `sent` or `received`.
inline const WireEvent& on_wire(const TraceEvent& event) {
  assert((kOnWire & kind_bit(event.kind)) != 0);
  return static_cast<const WireEvent&>(event);
}

// Which events are handed over: those of these kinds at these ports in [from, until). Events of flows pass whatever
// their port, and are recorded at any time.
struct TraceFilter {
  std::vector<bool> ports;  // by port; empty: all
  Time from;
  Time until = Time::max();  // exclusive
  EventKinds kinds = kNotOnWire;
  // Whether arrivals of packets at switches are told. In the same instant the packet is accepted, trimmed or dropped,
  // which is told as well, so most readers need arrivals at hosts alone.
  bool arrivals_at_switches = true;
  // Whether the reader ignores events of other kinds by itself. It may then be told of events that other readers have
  // asked for, which is quicker.
  bool passes_over_others = false;

  bool takes(std::uint32_t port, Time time) const {
    return time >= from && time < until && (ports.empty() || ports[port]);
  }
  bool takes(EventKind kind) const { return (kinds & kind_bit(kind)) != 0; }
  bool takes(EventKind kind, std::uint32_t port, Time time) const { return takes(kind) && takes(port, time); }
  bool takes(const TraceEvent& event) const {
    return takes(event.kind) && event.time >= from && event.time < until &&
           (is_of_flow(event.kind) || ports.empty() || ports[event.port]);
  }
};

// Events in order, which may be anywhere in memory.
class TraceEvents {
 public:
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = TraceEvent;
    using difference_type = std::ptrdiff_t;
    using pointer = const TraceEvent*;
    using reference = const TraceEvent&;

    iterator() = default;
    explicit iterator(const TraceEvent* const* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return *at_; }
    iterator& operator++() { return ++at_, *this; }
    iterator operator++(int) { return iterator(at_++); }  // NOLINT(cert-dcl21-cpp): as std::forward_iterator has it
    friend bool operator==(iterator, iterator) = default;

   private:
    const TraceEvent* const* at_ = nullptr;
  };

  TraceEvents() = default;
  explicit TraceEvents(std::span<const TraceEvent* const> events) : events_(events) {}

  iterator begin() const { return iterator(events_.data()); }
  iterator end() const { return iterator(events_.data() + events_.size()); }
  std::size_t size() const { return events_.size(); }
  bool empty() const { return events_.empty(); }
  const TraceEvent& front() const { return *events_.front(); }
  const TraceEvent& back() const { return *events_.back(); }

 private:
  std::span<const TraceEvent* const> events_;
};

// Receives the events of an epoch, of a part of one, or of several, in order of time. Of the events of one instant,
// arrivals at far ends and losses come first, and then all others; both groups are ordered by port, and the events of
// a port with what it has received first.
using TraceVisit = std::function<void(TraceEvents)>;

// When a reader is told: `between_epochs`, after the epoch, on the thread that advances the run; or `beside` the run,
// possibly of several epochs at once and on another thread, but before that call of advance() returns. All readers of
// a run are told on the same thread, which is another one only if all of them allow it.
enum class Telling : std::uint8_t { between_epochs, beside };

}  // namespace weir::net
