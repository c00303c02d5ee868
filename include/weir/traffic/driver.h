// Driver: what decides, while a run goes on, which messages hosts send: a program whose messages wait for each other, a
// collective, one's own. For authors of traffic.
//
// Each call is about one host and comes in that host's own turn, in the picosecond of what has happened. Calls about
// different hosts may come at once, on several threads, and not in the order of time. So a driver keeps apart what
// it knows of each host, and looks at nothing that belongs to another one, nor at anything outside the run. Then
// results do not depend on the number of threads or ranks.
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

// Of a message whose id the run chooses: (src + 1) << 32, plus how many such messages its sender has sent before.
inline constexpr std::uint64_t kAnyId = ~std::uint64_t{0};
// The same, and the message is no row of the results: ids from kUnlisted on.
inline constexpr std::uint64_t kAnyUnlistedId = kAnyId - 1;
inline constexpr std::uint64_t kUnlisted = std::uint64_t{1} << 63;
constexpr bool is_listed(std::uint64_t id) { return id < kUnlisted; }
// What stands for the id in the numbers of random streams, which have 32 bits.
constexpr std::uint32_t stream_of(std::uint64_t id) {
  const auto high = static_cast<std::uint32_t>((id & ~kUnlisted) >> 32);
  return static_cast<std::uint32_t>(id) ^ (high == 0 ? 0 : mix32(high));
}

// No host (Desk::did).
inline constexpr std::uint32_t kNobody = ~std::uint32_t{0};

// What a host sends to another one. In results it is a flow.
struct Message {
  std::uint64_t id = kAnyId;
  std::uint64_t word = 0;  // for the driver, which gets it back at both ends
  Bytes size;              // payload, 1 B to kMaxFlowSize
  Time started;            // when its first bit might be sent
  std::uint32_t src = 0;
  std::uint32_t dst = 0;      // another host
  std::uint16_t tag = 0;      // as of a Flow
  std::uint16_t profile = 0;  // as of a Flow
  std::uint16_t sport = 0;    // both ports, for the ECMP hash. Messages of equal hosts, ports and profile are of one
  std::uint16_t dport = 0;    // connection, if the scenario has connections (transport.connections)
};

// What a driver can do for one host, during one call.
class Desk {
 public:
  virtual ~Desk() = default;

  virtual std::uint32_t host() const = 0;
  virtual Time now() const = 0;

  // Sends a message from this host, now; `src` and `started` are set here. Several leave in the order of their calls.
  // Throws InputError if there is no such other host or profile, or the size is out of range.
  virtual void send(Message message) = 0;
  // Calls woken() for this host at `at`, which is not before now(). Those of one instant come in order of `word`.
  virtual void wake(Time at, std::uint32_t word) = 0;
  // Calls posted() for another host, at `at` or, if that is later, `lag()` from now: no packet carries it. Only if
  // Driver::posts().
  virtual void post(std::uint32_t host, std::uint64_t word, Time at = {}) = 0;
  // One epoch, at most 10 us (docs/guides/collectives.md).
  virtual Time lag() const = 0;
  // Carries a message to another host of this server by the switch of Driver::scale_up(), without packets. It shares
  // the rates of the hosts' links to and from that switch with all that is under way there, of other drivers too if
  // their switch is alike, max-min fairly. When all of it is there brought() is called at that host and carried() at
  // this one. `src` and `started` are set here; all else comes back as it is, and only `dst` and `size` mean anything
  // here. Half of the latency is ahead of the switch and half behind it, each `lag()` at least. Throws InputError as
  // send() does, and if the host is of another server.
  virtual void move(Message message) = 0;
  // Until when the way out of this host's scale-up link is taken by messages that leave one after the other
  // (traffic/servers.h, carry()): one time for all drivers, whoever sent them.
  virtual Time& scale_up_free() = 0;
  // This host has spent the time from `begin`, which is not after now(), until now on what has this place in
  // Driver::activities(). `waited_for`: the host that was last to begin what it waited for; itself or kNobody = it
  // waited for no other, or that is not known. Runs that are looked into keep it (net::EventKind::did); else the call
  // does nothing.
  virtual void did(std::uint32_t /*activity*/, Time /*begin*/, std::uint32_t /*waited_for*/ = kNobody) {}
  // So many of the driver's tasks are done. When all are, the run waits for it no more.
  virtual void done(std::uint64_t tasks = 1) = 0;
};

// What is known of messages that belong together, be they rows of the results or not.
struct MessageSums {
  std::uint16_t tag = 0;
  std::uint64_t messages = 0;
  std::uint64_t rows = 0;        // of messages, those that are rows of the results
  std::uint64_t at_once = 0;     // estimate: how many are on their way at the same time
  std::uint64_t unfinished = 0;  // not acknowledged
  Bytes payload;                 // of all
  Bytes buffer;                  // of each host, and by how much bus bandwidth exceeds buffer / time; 0 = that means
  double bus_factor = 0;         // nothing for these
  Time least;                    // what hosts compute at least, if more is not known (Driver::unhindered)
  Time start = Time::max();      // of the first
  Time received;                 // the last that has been received was, and the last that has been acknowledged
  Time acknowledged;
};
class Driver {
 public:
  virtual ~Driver() = default;

  // How many tasks there are for all hosts together.
  virtual std::uint64_t tasks() const = 0;
  // Whether it calls Desk::post() or Desk::move().
  virtual bool posts() const { return false; }
  // By what Desk::move() carries messages; nothing = it is not called. Epochs of a run that knows of its driver from
  // the start are at most half as long as the latency, but 50 ns at least.
  virtual std::optional<ScaleUp> scale_up() const { return std::nullopt; }

  // Called for each host, at time 0.
  virtual void begin(Desk&) = 0;
  // At the receiver: the last byte has come.
  virtual void received(Desk&, const Message&) {}
  // At the sender: the acknowledgement of the last byte has come.
  virtual void sent(Desk&, const Message&) {}
  virtual void woken(Desk&, std::uint32_t) {}
  virtual void posted(Desk&, std::uint32_t /*from*/, std::uint64_t /*word*/) {}
  virtual void brought(Desk&, const Message&) {}
  virtual void carried(Desk&, const Message&) {}

  // Of messages that belong together: all that does not depend on the run; nothing = the driver does not tell.
  virtual std::optional<MessageSums> sums() const { return std::nullopt; }
  // Adds what has happened at this host to them.
  virtual void add(std::uint32_t /*host*/, MessageSums&) const {}
  // Calls visit() with a message of each two hosts of which one sends to the other by the network, until it returns
  // false. Returns whether it never did. A driver that does not know them calls it with none.
  using VisitMessage = std::function<bool(const Message&)>;
  virtual bool each_pair(const VisitMessage&) const { return true; }
  // Whether a host sends or receives anything, as far as the driver knows.
  virtual bool takes_part(std::uint32_t /*host*/) const { return true; }
  // By what a host spends its time, by name, and how much of it so far; nothing = it takes no part.
  virtual std::vector<std::string> activities() const { return {}; }
  virtual std::vector<Time> times_of(std::uint32_t /*host*/) const { return {}; }

  // A copy of a driver that has not begun, by which the least time is found that its messages can take
  // (src/weir/engine/endings/completion.h): the sooner it is told of what has happened, the sooner it sends, and no
  // message later. So none waits for slots, and all of a server go by Desk::move(). Nothing = there is no such copy.
  virtual std::unique_ptr<Driver> unhindered() const { return nullptr; }
  // A copy, in the state that it is in.
  virtual std::unique_ptr<Driver> clone() const = 0;
  // Saves and loads what it knows of a host, between epochs (checkpoints).
  virtual void archive(Saver&, std::uint32_t host) = 0;
  virtual void archive(Loader&, std::uint32_t host) = 0;
};

}  // namespace weir::traffic
