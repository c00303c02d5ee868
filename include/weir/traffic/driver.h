// Driver: decides, while a run goes on, which messages hosts send, such as those of a program whose messages wait for
// each other, or of a collective. For authors of traffic.
//
// Each call is about one host and comes in that host's own turn, in the picosecond of what has happened. Calls about
// different hosts may come at once, on several threads, and not in the order of time. So a driver must keep its state
// of each host apart, and must use neither the state of another host nor anything outside the run. Then results do not
// depend on the number of threads or ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/archive.h"
#include "weir/base/random.h"
#include "weir/base/units.h"
#include "weir/traffic/scale_up.h"

namespace weir::traffic {

// The id of a message for which the run is to choose one: (src + 1) << 32, plus the number of such messages that its
// sender has sent so far.
inline constexpr std::uint64_t kAnyId = ~std::uint64_t{0};
// The same for a message that is to be no row of the results: its id gets kUnlisted added. All ids from kUnlisted on
// are of such messages.
inline constexpr std::uint64_t kAnyUnlistedId = kAnyId - 1;
inline constexpr std::uint64_t kUnlisted = std::uint64_t{1} << 63;
constexpr bool is_listed(std::uint64_t id) { return id < kUnlisted; }
// The 32 bits that stand for the id where random streams are numbered.
constexpr std::uint32_t stream_of(std::uint64_t id) {
  const auto high = static_cast<std::uint32_t>((id & ~kUnlisted) >> 32);
  return static_cast<std::uint32_t>(id) ^ (high == 0 ? 0 : mix32(high));
}

// Stands for no host (Desk::did).
inline constexpr std::uint32_t kNobody = ~std::uint32_t{0};

// What one host sends to another. In results it is a flow.
struct Message {
  std::uint64_t id = kAnyId;
  std::uint64_t word = 0;  // any value of the driver's, which it gets back at both ends
  Bytes size;              // payload, 1 B to kMaxFlowSize
  Time started;            // when its first bit might be sent
  std::uint32_t src = 0;
  std::uint32_t dst = 0;      // another host
  std::uint16_t tag = 0;      // as of a Flow
  std::uint16_t profile = 0;  // as of a Flow
  // Both ports are for the ECMP hash. If the scenario has connections (transport.connections), messages of the same
  // hosts, ports and profile are of one connection.
  std::uint16_t sport = 0;
  std::uint16_t dport = 0;
};

// What a driver can do for one host during one call.
class Desk {
 public:
  virtual ~Desk() = default;

  virtual std::uint32_t host() const = 0;
  virtual Time now() const = 0;

  // Sends a message from this host, now; `src` and `started` are set here. Several leave in the order of their calls.
  // Throws InputError if there is no such other host or profile, or the size is out of range.
  virtual void send(Message message) = 0;
  // Calls woken() for this host at `at`, which must not be before now(). Calls of one instant come in order of `word`.
  virtual void wake(Time at, std::uint32_t word) = 0;
  // Calls posted() for another host at `at`, but no sooner than `lag()` from now. No packet carries this. It may only
  // be called if Driver::posts() is true.
  virtual void post(std::uint32_t host, std::uint64_t word, Time at = {}) = 0;
  // The least time that a post takes: one epoch, or the delay of the shortest link if no link joins switches; at most
  // 10 us (docs/guides/collectives.md).
  virtual Time lag() const = 0;
  // Carries a message to another host of this server by the switch of Driver::scale_up(), without packets. All messages
  // on that switch share the rates of the hosts' links to and from it max-min fairly, those of other drivers, too, if
  // their switch is the same. When all bytes have arrived, brought() is called at that host and carried() at this one.
  // `src` and `started` are set here; `dst` and `size` are used, and all other members come back as they are. Half of
  // the latency passes before the switch and half behind it, each at least `lag()`. Throws InputError as send() does,
  // and if the host is of another server.
  virtual void move(Message message) = 0;
  // The time until which the way out of this host's scale-up link is taken by messages that leave one after the other
  // (traffic/servers.h, carry()). All drivers share it.
  virtual Time& scale_up_free() = 0;
  // States that this host has spent the time from `begin`, which must not be after now(), until now on the activity
  // with this index in Driver::activities(). `waited_for` is the host that was last to begin what this one waited for;
  // itself or kNobody = it waited for no other host, or that is not known. A traced run records it as an event
  // (net::EventKind::did); otherwise the call does nothing.
  virtual void did(std::uint32_t /*activity*/, Time /*begin*/, std::uint32_t /*waited_for*/ = kNobody) {}
  // States that so many of the driver's tasks are done. When all are, the run no longer waits for the driver.
  virtual void done(std::uint64_t tasks = 1) = 0;
};

// Sums over messages that belong together, whether or not they are rows of the results.
struct MessageSums {
  std::uint16_t tag = 0;
  std::uint64_t messages = 0;
  std::uint64_t rows = 0;        // messages that are rows of the results
  std::uint64_t at_once = 0;     // estimate: how many are on their way at the same time
  std::uint64_t unfinished = 0;  // messages that have not been acknowledged
  Bytes payload;                 // of all messages
  Bytes buffer;                  // of each host, of a collective operation; 0 = it is none
  double bus_factor = 0;         // bus bandwidth over buffer / time; 0 = it has none
  Time least;                    // the least time that hosts compute, if Driver::unhindered() gives no better bound
  Time start = Time::max();      // of the first message
  Time received;                 // when the last message was received, of those that have been
  Time acknowledged;             // when the last message was acknowledged, of those that have been
};
class Driver {
 public:
  virtual ~Driver() = default;

  // How many tasks there are for all hosts together.
  virtual std::uint64_t tasks() const = 0;
  // Whether it calls Desk::post() or Desk::move().
  virtual bool posts() const { return false; }
  // The scale-up network by which Desk::move() carries messages; nothing = the driver does not call move(). If the run
  // knows the driver from the start, its epochs are no longer than half of the latency, or than 50 ns if that is more.
  virtual std::optional<ScaleUp> scale_up() const { return std::nullopt; }

  // Called for each host, at time 0.
  virtual void begin(Desk&) = 0;
  // Called at the receiver when the last byte has arrived.
  virtual void received(Desk&, const Message&) {}
  // Called at the sender when the last byte has been acknowledged.
  virtual void sent(Desk&, const Message&) {}
  // Called as Desk::wake(), post() and move() have asked for: brought() at the receiver, carried() at the sender.
  virtual void woken(Desk&, std::uint32_t) {}
  virtual void posted(Desk&, std::uint32_t /*from*/, std::uint64_t /*word*/) {}
  virtual void brought(Desk&, const Message&) {}
  virtual void carried(Desk&, const Message&) {}

  // Those members of the sums over its messages that do not depend on the run; nothing = the driver does not tell.
  virtual std::optional<MessageSums> sums() const { return std::nullopt; }
  // Adds to these sums what has happened at this host.
  virtual void add(std::uint32_t /*host*/, MessageSums&) const {}
  // Calls visit() with one message of each pair of hosts of which one sends to the other over the network, until it
  // returns false. Returns true if it never did. A driver that does not know its pairs of hosts does not call it.
  using VisitMessage = std::function<bool(const Message&)>;
  virtual bool each_pair(const VisitMessage&) const { return true; }
  // Whether a host sends or receives anything, as far as the driver knows.
  virtual bool takes_part(std::uint32_t /*host*/) const { return true; }
  // The names of the activities on which hosts spend time, and the time that a host has spent on each so far; no times
  // = the host takes no part.
  virtual std::vector<std::string> activities() const { return {}; }
  virtual std::vector<Time> times_of(std::uint32_t /*host*/) const { return {}; }

  // A copy of a driver that has not begun, from which a lower bound of the time of its messages is computed
  // (src/weir/engine/endings/completion.h): when it is told of something sooner, it must send no message later than
  // otherwise. So no message of the copy waits for slots, and all messages within a server go by Desk::move(). Null =
  // there is no such copy.
  virtual std::unique_ptr<Driver> unhindered() const { return nullptr; }
  // A copy in the present state.
  virtual std::unique_ptr<Driver> clone() const = 0;
  // Save and load the driver's state of a host, between epochs (checkpoints).
  virtual void archive(Saver&, std::uint32_t host) = 0;
  virtual void archive(Loader&, std::uint32_t host) = 0;
};

}  // namespace weir::traffic
