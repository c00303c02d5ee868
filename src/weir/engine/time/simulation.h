// Simulation: a run of a model and its traffic, in which threads advance partitions of the network.
//
// Time advances in epochs on a fixed grid that depends on the topology (the shortest link between switches) and on
// drivers that move messages by scale-up switches (engine/model/epochs.h). An epoch ends earlier where a sampler is due
// or a fault begins. Between epochs, on one thread, links go down and up, hosts stall, flows are handed to their hosts,
// finished flows are reported and samplers look at the network. The same scenario and seed give the same results
// whatever the number of threads.
//
// A simulation has no globals: any number may live in one process, and one can be stepped, looked at and stepped again.
// Several processes may simulate one network together (engine/parallel/ranks.h): each has all of this object, but
// advances only some of the partitions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/archive.h"
#include "weir/engine/endings/cut_off.h"
#include "weir/engine/endings/deadlock.h"
#include "weir/engine/engine.h"
#include "weir/engine/model/model.h"
#include "weir/engine/model/network.h"
#include "weir/engine/model/program_driver.h"
#include "weir/engine/parallel/exchange.h"
#include "weir/engine/parallel/phase_log.h"
#include "weir/engine/parallel/run_options.h"
#include "weir/engine/time/gathered_observation.h"
#include "weir/engine/time/local_observation.h"
#include "weir/engine/time/samplers.h"
#include "weir/engine/trace/trace_stream.h"
#include "weir/traffic/traffic.h"

namespace weir::engine {

class Partitions;
class MessageSkipper;
class SteadyFlowSkipper;

class Simulation final : public Engine {
 public:
  // The model and the traffic must outlive the simulation.
  Simulation(const Model& model, traffic::Traffic& traffic, const RunOptions& options);
  ~Simulation() override;

  void every(Time interval, std::function<void(Time)> call) override;

  void trace(net::TraceFilter filter, net::TraceVisit visit,
             net::Telling telling = net::Telling::between_epochs) override;
  void after_trace(std::function<void()> call) override;
  void on_phase_times(PhaseTimesVisit visit) override;
  void decide(host::Policy policy) override;
  void decide(host::BatchPolicy policy) override;
  std::uint64_t inject(traffic::Flow flow) override;
  void drive(std::unique_ptr<traffic::Driver> driver) override;
  bool advance(Time until = Time::max()) override;
  void save(Saver& a) override;
  void load(Loader& a) override;
  void after_fork() override;
  std::uint32_t partitions() const override;
  const Stall* stall() const override { return stall_ ? &*stall_ : nullptr; }

  Time now() const override { return now_ + skipped_time(); }
  Time epoch() const override { return grid_; }
  const traffic::Program& program() const override { return traffic_.program(); }
  std::span<const NodeTimes> node_times() const override {
    return program_driver_ == nullptr ? std::span<const NodeTimes>() : program_driver_->times();
  }
  std::vector<DriverReport> driver_reports() const override;
  const traffic::Driver* driver(std::uint32_t number) const override {
    return number < drivers_.size() ? drivers_[number].get() : nullptr;
  }
  std::optional<FastForwardReport> fast_forward() const override;
  // The delay with which a host is told of an event at another host (news_lag()).
  Time lag() const;
  bool ended() const;
  std::uint32_t threads() const override;
  Counters counters() const override;
  std::optional<Regime> regime() const override;
  const Model& model() const override { return model_; }

  // The state of a port between epochs, with all departures before now() settled. If there are several ranks, only the
  // one that owns the port has it.
  const net::Port& port(std::uint32_t id);
  std::uint32_t queued_bytes(std::uint32_t id) override;
  bool for_each_queued(std::uint32_t id, const VisitQueued& visit) override;
  PortFigures port_figures(std::uint32_t id) override;
  const net::SwitchState& switch_state(std::uint32_t s) const;
  SwitchFigures switch_figures(std::uint32_t s) const override;
  std::vector<std::uint32_t> path(const host::FlowRecord&) const override;
  void for_each_active(const std::function<void(const host::FlowView&)>& visit) const override;
  std::optional<OneWayReport> one_way_report(const host::FlowView& flow) const override;

  // An invariant of the network that should hold between epochs and does not (engine/endings/invariants.h); "" = none.
  std::string broken_invariant() const;

  // An active flow of this process with all its state, and its On-Ramp; null if it has none.
  const host::Flow& flow(const host::FlowView& flow) const;
  const cc::OnRamp* on_ramp(const host::FlowView& flow) const;

  // The amounts that this rank has exchanged with the others.
  ExchangeCounts exchanged() const;

 private:
  template <class A>
  void archive(A& a);
  void reroute();
  void load_drivers();
  void add_driver(std::unique_ptr<traffic::Driver> driver);
  // Whether the run has done all that it was asked for.
  bool is_done() const;
  // The functions up to skip_idle_time() are in simulation_epochs.cc.

  // The start of the epoch in which something happens next, be it an event or something from outside, or an earlier
  // instant between epochs at which the run has to stop; nothing if nothing will ever happen.
  std::optional<Time> next_work(Time until) const;
  Time next_fault() const;
  Time next_look() const;
  // Advances the clock to where something happens next. Returns false if the run has to be searched for a stall first.
  bool skip_idle_time(Time until);
  Time draw_epoch(Time until);
  // An instant before which some flow of this process does not end.
  Time some_flow_lasts_until();
  void apply_faults();
  void poll_watchdog();
  // Tells readers the events that have been recorded and come before `end`, unless these are few and may wait.
  void tell_trace(Time end);
  void tell_all_of_trace(Time end);
  // The time by which the run's clock is ahead of now_, the packets' clock (engine/skip/steady_flow_skipper.h).
  Time skipped_time() const;
  // The instant, on the run's clock, before which nothing comes from outside.
  Time next_from_outside() const;
  std::int64_t epochs_at_once() const { return takes_epochs_singly() || !stream_.may_wait() ? 1 : epochs_at_once_; }
  // Whether the run ends when the drivers' tasks are done, whatever other flows there are.
  bool ends_with_drivers() const { return options_.until_program && tasks_ > 0; }
  bool has_begun() const { return now_ != Time{} || checked_; }
  bool advance_to(Time until);
  void check_decided() const;
  void answer_questions();
  // The network at which the searches for stalls look if there are several ranks: a copy with the state of all ranks.
  struct Whole;
  std::unique_ptr<Whole> gather_whole();
  void gather_nodes();
  bool is_paused_anywhere() const;
  std::optional<Stall> find_stall(bool idle);
  Deadlock find_deadlock();
  std::optional<Obstacles> find_cut_off();
  // The observation, for a question about this port. Throws std::out_of_range if there is no such port.
  Observation& at(std::uint32_t id) const;

  const Model& model_;
  traffic::Traffic& traffic_;
  RunOptions options_;
  Network network_;
  Time grid_;
  Time look_;       // the run is searched for a stall at the multiples of this, which is a multiple of the grid
  Time next_poll_;  // of the PFC watchdog; Time::max(): there is none
  Time now_;        // the packets' clock
  std::int64_t epochs_at_once_ = 1;  // how many may be taken as one, unless somebody asks for single ones
  Time lasts_until_;                 // result of the last some_flow_lasts_until(), valid until next_survey_
  Time next_survey_;
  bool traffic_dry_ = false;
  std::size_t pauses_done_ = 0;             // how many of model.faults.pauses have begun
  LinksOverTime links_;                     // which links are down
  LinksOverTime known_links_;               // which links routes know to be down
  std::unique_ptr<net::Routing> rerouted_;  // the routing while some link is known to be down
  DeadlockSearch deadlock_search_;
  CutOffSearch cut_off_search_;
  std::optional<Stall> stall_;
  Samplers samplers_;             // on the run's clock
  net::TraceFilter filter_;       // what any of the readers of the trace wants
  bool checked_ = false;          // it has been checked that somebody decides, if flows may ask
  bool broken_ = false;           // an exception has left advance(), or advance() is running
  bool decided_at_once_ = false;  // a Policy answers flows that ask, in the same event
  host::BatchPolicy decide_;      // instead of that: answers them at the end of an epoch; may be empty
  std::vector<host::Question> questions_;
  std::vector<cc::Control> answers_;
  std::vector<traffic::Flow> batch_;
  std::vector<host::FlowRecord> finished_;
  TraceStream::Recorded recorded_;
  TraceStream stream_;
  PhaseLog phases_;
  std::unique_ptr<Partitions> partitions_;
  std::vector<std::unique_ptr<traffic::Driver>> drivers_;
  std::vector<UnhinderedDriver> unhindered_;                // by driver
  std::uint64_t tasks_ = 0;                                 // of all drivers
  ProgramDriver* program_driver_ = nullptr;                 // one of the drivers; null: the traffic has no program
  std::unique_ptr<MessageSkipper> message_skipper_;         // null: no message is skipped
  std::unique_ptr<SteadyFlowSkipper> steady_flow_skipper_;  // null: no time is left out
  std::unique_ptr<LocalObservation> own_;                   // of this process
  std::unique_ptr<GatheredObservation> gathered_;           // null: there is one rank
  Observation* seen_ = nullptr;                             // gathered_, or own_ if there is one rank
};

}  // namespace weir::engine
