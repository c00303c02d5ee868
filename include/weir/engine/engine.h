// Engine: the interface by which probes, the command and programs that embed Weir observe and steer a run. It is the
// same for Weir's own simulation and for the replicas of other simulators. Its functions steer the run, show it
// (Observation) and save it (Checkpointing). No function of it is called for each packet.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weir/engine/checkpointing.h"
#include "weir/engine/counters.h"
#include "weir/engine/fast_forward_report.h"
#include "weir/engine/network_view.h"
#include "weir/engine/observation.h"
#include "weir/engine/phase_time.h"
#include "weir/engine/regime.h"
#include "weir/engine/stall.h"
#include "weir/host/decisions.h"
#include "weir/host/flow_view.h"
#include "weir/net/trace.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {
class Program;
}

namespace weir::engine {

// When the events of one node of a program (a message or a computation) happened; Time::max() = not yet.
struct NodeTimes {
  Time started = Time::max();
  Time sent = Time::max();
  Time received = Time::max();
};

// How long hosts have spent on one activity (traffic::Driver::activities): the sum over all hosts, and the host that
// has spent the most.
struct ActivityTimes {
  std::string name;
  Time total;
  Time longest;
  std::uint32_t host = 0;
};

// A driver whose messages wait for nothing but what they depend on (traffic::Driver::unhindered).
struct UnhinderedDriver {
  std::shared_ptr<const traffic::Driver> driver;  // null = there is no such copy
  bool shares_ways_in = false;                    // scale-up messages to one GPU share its way in
};
UnhinderedDriver unhindered(const traffic::Driver& driver);

// What a driver reports of its messages and its hosts (traffic::Driver::sums, times_of).
struct DriverReport {
  traffic::MessageSums sums;
  UnhinderedDriver unhindered;
  std::vector<bool> takes_part;  // by host
  std::vector<ActivityTimes> activities;
  std::uint32_t hosts = 0;  // number of hosts whose activities are known

  // Adds what the driver says of a host.
  void add(const traffic::Driver& driver, std::uint32_t host);
  // Adds a report of the same driver about other hosts.
  void merge(const DriverReport& other);
};
// A report to which no host has been added; nothing if the driver reports nothing (traffic::Driver::sums).
std::optional<DriverReport> empty_report(const traffic::Driver& driver, const UnhinderedDriver& unhindered,
                                         std::uint32_t hosts);

// When the calls of Engine::on_finish() come.
enum class FinishCalls : std::uint8_t { after_each_epoch, later };

class Engine : public Observation, public Checkpointing {
 public:
  // Calls `call` for each flow that ends, in order of (finish, id), after the epoch in which it ends: now() is the end
  // of that epoch, and the engine shows the run at that instant. With FinishCalls::later a call may come up to 32
  // epochs later; how many depends on the number of threads, and so does what the engine shows. A run is faster if all
  // of its calls may come later. Several functions may be given; each is called.
  void on_finish(std::function<void(const host::FlowRecord&)> call, FinishCalls when = FinishCalls::after_each_epoch) {
    on_finish_.push_back(std::move(call));
    if (when == FinishCalls::after_each_epoch) takes_epochs_singly_ = true;
  }
  // Calls `call` at now(), now() + interval, now() + 2 * interval, ..., with all events before that instant done and
  // none at it. The call comes when advance() goes on from that instant.
  virtual void every(Time interval, std::function<void(Time)> call) = 0;

  // Calls `visit` with the events that the filter takes, in order (net/trace.h), after each epoch that has any. It may
  // only be called before the first advance(), and if the scenario has a probe that asks for single events, such as
  // probes.packets, or an algorithm with Needs::decisions. Otherwise it throws std::logic_error.
  virtual void trace(net::TraceFilter filter, net::TraceVisit visit,
                     net::Telling telling = net::Telling::between_epochs);

  // Calls `call` once the readers of the trace have been told all events before now(), on the thread on which they are
  // told, and before they are told any further event; at once if they have been told already. It is for readers that
  // are told beside the run, and have to know what the run tells between epochs.
  virtual void after_trace(std::function<void()> call) { call(); }  // NOLINT(performance-unnecessary-value-param)

  // Sets the function that answers when flows ask for decisions (host/decisions.h): a Policy answers at once, a
  // BatchPolicy at the end of each epoch. Throws std::logic_error if the other one has been set, or if trace() may not
  // be called.
  virtual void decide(host::Policy policy);
  virtual void decide(host::BatchPolicy policy);

  // Calls `visit` after each epoch, or after several that are taken as one, with the wall time that each of its phases
  // took (engine/phase_time.h). It may be called once, before the first advance(). Otherwise, or if this engine does
  // not measure phases, it throws std::logic_error.
  virtual void on_phase_times(PhaseTimesVisit visit);

  // Adds a flow to those of the traffic; it starts at flow.start, which must not be before now(). Call it between calls
  // of advance(). A run whose flows had all ended then goes on. `sport` and `dport` are chosen here if they are 0.
  // Returns the flow's id, which is 2^31 for the first such flow, and counts up. Throws InputError if there is no such
  // host or profile, or if the size or the start is not valid; std::logic_error if this engine takes no flows.
  virtual std::uint64_t inject(traffic::Flow flow);

  // Lets the driver send messages (weir/traffic/driver.h), beside the traffic, and waits for its tasks. Call it before
  // the first advance(). Throws InputError if there are too many drivers; std::logic_error if the run has begun, skips
  // messages, or is of an engine that takes no drivers.
  virtual void drive(std::unique_ptr<traffic::Driver> driver);

  // Runs until `until` or until the run ends, and returns whether it has ended: because all flows have ended and the
  // traffic has no more, because its stop time is reached, or because it cannot go on (stall()).
  virtual bool advance(Time until = Time::max()) = 0;
  // The same, but an engine whose events may take long, however close they are in simulated time, may stop between two
  // instants before `until` after so many seconds of wall time.
  virtual bool advance_for(double /*wall_s*/, Time until) { return advance(until); }
  // Why the run cannot go on although flows are left; null if it can, or has ended in another way.
  virtual const Stall* stall() const { return nullptr; }

  virtual Time now() const = 0;
  // The length of an epoch. Epochs end at its multiples, so a call of advance() that stops at one changes nothing.
  // Several may be taken as one.
  virtual Time epoch() const = 0;
  virtual std::uint32_t threads() const = 0;
  virtual Counters counters() const = 0;
  // How the run is carried out; nothing if this engine has only one way.
  virtual std::optional<Regime> regime() const { return std::nullopt; }
  NetworkView network() const { return NetworkView(model()); }

  // The ports by which the flow's packets leave while no link is down, from its host's port to that of the last switch.
  // It is empty if the flow's packets may take several paths, or if this engine cannot tell.
  virtual std::vector<std::uint32_t> path(const host::FlowRecord&) const { return {}; }

  // The messages that wait for each other; an empty program without such traffic.
  virtual const traffic::Program& program() const;
  // When the events of the program's nodes happened, by node.
  virtual std::span<const NodeTimes> node_times() const { return {}; }
  // What drivers report of their messages. With several ranks the call is collective: each rank must make it.
  virtual std::vector<DriverReport> driver_reports() const { return {}; }
  // The driver with this number, which `did` events name; null if there is none. It knows nothing of hosts of other
  // ranks.
  virtual const traffic::Driver* driver(std::uint32_t /*number*/) const { return nullptr; }
  // What has been skipped; nothing if the scenario does not ask for that.
  virtual std::optional<FastForwardReport> fast_forward() const { return std::nullopt; }

  // A hash of the state of all ports and of the switches' counters, which is equal for equal runs.
  std::uint64_t state_digest();

 protected:
  virtual const Model& model() const = 0;
  void tell_finished(std::span<const host::FlowRecord> records) const {
    for (const auto& record : records)
      for (const auto& call : on_finish_) call(record);
  }
  // Whether some function of on_finish() must be called after each epoch.
  bool takes_epochs_singly() const { return takes_epochs_singly_; }
  // These throw std::logic_error, which says why the call is refused.
  [[noreturn]] static void refuse_trace();
  [[noreturn]] static void refuse_phase_times();
  [[noreturn]] static void refuse_decide();
  [[noreturn]] static void refuse_drive();
  // A stall that is found at now(), with the flows that are left.
  Stall stall_of(Stall::Kind kind) const;

 private:
  friend const Model& model_of(const Engine& engine) { return engine.model(); }

  std::vector<std::function<void(const host::FlowRecord&)>> on_finish_;
  bool takes_epochs_singly_ = false;
};

// Calls advance(), and throws std::runtime_error with to_text(stall) if the run has stalled.
bool advance_unstalled(Engine&, Time until = Time::max());

}  // namespace weir::engine
