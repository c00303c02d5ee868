#include "weir/engine/time/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "weir/engine/model/epochs.h"
#include "weir/engine/parallel/partitions.h"
#include "weir/engine/skip/message_skipper.h"
#include "weir/engine/skip/steady_flow_skipper.h"

namespace weir::engine {
namespace {

using namespace literals;

// About how often a run is searched for a stall; the interval is the next larger multiple of the grid.
constexpr Time kLook = 100_us;

// Recorded events are put in order and told once there are so many: enough to be worth it, and few enough to fit a
// core's cache.
constexpr std::size_t kMuchOfTrace = 2048;

// How many epochs are taken as one, if that is possible.
constexpr std::int64_t kEpochsAtOnce = 32;

}  // namespace

Simulation::Simulation(const Model& model, traffic::Traffic& traffic, const RunOptions& options)
    : model_(model),
      traffic_(traffic),
      options_(options),
      network_(model, soonest_news(traffic)),
      grid_(epoch_length(model.topology, network_.soonest_news)),
      look_((kLook / grid_ + 1) * grid_),
      next_poll_(model.watches() ? model.watchdog.interval() : Time::max()),
      links_(model.faults.changes, model.topology.links.size()),
      known_links_(model.faults.changes, model.topology.links.size(), model.network.reroute_delay),
      deadlock_search_(model, network_),
      cut_off_search_(model, network_),
      stream_(model.topology),
      partitions_(make_partitions(model, network_, options)) {
  traffic_dry_ = !traffic_.peek().has_value();
  load_drivers();
  const bool has_faults = !model.faults.links.empty() || !model.faults.changes.empty() || !model.faults.pauses.empty();
  const bool has_messages = !traffic_.program().empty() || !traffic_.drivers().empty();
  if (options.fast_forward.is_on() && !has_messages && !has_faults && options.ranks == nullptr)
    steady_flow_skipper_ = std::make_unique<SteadyFlowSkipper>(model_, network_, options.fast_forward, grid_);
  if (steady_flow_skipper_)
    own_ = std::make_unique<SteadyFlowObservation>(model_, network_, *partitions_, now_, *steady_flow_skipper_);
  else
    own_ = std::make_unique<LocalObservation>(model_, network_, *partitions_, now_, message_skipper_.get());
  if (options.ranks != nullptr)
    gathered_ = std::make_unique<GatheredObservation>(model_, *partitions_, *own_, *options.ranks);
  seen_ = gathered_ ? static_cast<Observation*>(gathered_.get()) : own_.get();
  const bool skips = message_skipper_ != nullptr || steady_flow_skipper_ != nullptr;
  const bool posts = std::any_of(drivers_.begin(), drivers_.end(), [](const auto& driver) { return driver->posts(); });
  if (partitions_->has_long_turns() && !skips && !ends_with_drivers() && !posts) epochs_at_once_ = kEpochsAtOnce;
}

Simulation::~Simulation() = default;

Time Simulation::skipped_time() const { return steady_flow_skipper_ ? steady_flow_skipper_->skipped_time() : Time{}; }

Time Simulation::next_from_outside() const {
  return std::min({options_.stop, traffic_.peek().value_or(Time::max()), samplers_.next()});
}

Time Simulation::lag() const { return news_lag(model_.topology, network_.soonest_news); }

void Simulation::load_drivers() {
  const traffic::Program& program = traffic_.program();
  if (options_.fast_forward.is_on() && (!program.empty() || !traffic_.drivers().empty()))
    message_skipper_ =
        std::make_unique<MessageSkipper>(model_, program, options_.fast_forward, partitions_->partitions());
  network_.fast_forward = message_skipper_.get();
  if (!program.empty()) {
    auto driver = std::make_unique<ProgramDriver>(program);
    program_driver_ = driver.get();
    add_driver(std::move(driver));
  }
  for (const auto& driver : traffic_.drivers()) add_driver(driver->clone());
}

void Simulation::add_driver(std::unique_ptr<traffic::Driver> driver) {
  if (drivers_.size() == host::kMostDrivers)
    throw InputError(fmt::format("a run may have at most {} drivers", host::kMostDrivers));
  tasks_ += driver->tasks();
  const bool tells_others = driver->posts() || message_skipper_ != nullptr;
  if (tells_others) epochs_at_once_ = 1;
  partitions_->add_driver(*driver, tells_others, lag());
  unhindered_.push_back(unhindered(*driver));
  drivers_.push_back(std::move(driver));
}

void Simulation::drive(std::unique_ptr<traffic::Driver> driver) {
  if (has_begun() || options_.fast_forward.is_on()) refuse_drive();
  add_driver(std::move(driver));
}

void Simulation::every(Time interval, std::function<void(Time)> call) {
  samplers_.add(interval, now(), std::move(call));
}

void Simulation::trace(net::TraceFilter filter, net::TraceVisit visit, net::Telling telling) {
  if (!options_.traced || now_ != Time{}) refuse_trace();
  stream_.add_reader(std::move(filter), std::move(visit), telling);
  filter_ = stream_.wanted(epoch());
  partitions_->record(filter_);
}

void Simulation::after_trace(std::function<void()> call) {
  const bool is_advancing = broken_;  // otherwise all has been told
  is_advancing ? stream_.call(now_, std::move(call)) : call();
}

void Simulation::tell_trace(Time end) {
  if (stream_.may_wait() && !partitions_->has_recorded(kMuchOfTrace)) return;
  tell_all_of_trace(end);
}

void Simulation::tell_all_of_trace(Time end) {
  if (!stream_.has_readers()) return;
  partitions_->take_trace(end, recorded_);
  stream_.push(recorded_, end);
}

void Simulation::on_phase_times(PhaseTimesVisit visit) {
  if (has_begun() || phases_.is_on()) refuse_phase_times();
  phases_.start(std::move(visit));
  partitions_->log_phases_to(phases_);
}

void Simulation::decide(host::Policy policy) {
  if (!options_.traced || has_begun() || decide_) refuse_decide();
  decided_at_once_ = true;
  partitions_->decide_by(policy);
}

void Simulation::decide(host::BatchPolicy policy) {
  if (!options_.traced || has_begun() || decided_at_once_) refuse_decide();
  decide_ = std::move(policy);
}

void Simulation::check_decided() const {
  if (decided_at_once_ || decide_) return;
  for (const auto& profile : model_.profiles)
    if (cc::has(profile.algorithm->about.needs, cc::Needs::decisions))
      throw InputError(
          fmt::format("algorithm '{}' is decided from outside, by a program that embeds the run (engine::"
                      "Engine::decide), and there is none",
                      profile.algorithm->about.name));
}

// Of several questions of a flow, only the first counts: it is answered with the flow's present state.
void Simulation::answer_questions() {
  if (!decide_) return;
  questions_.clear();
  partitions_->collect(questions_);
  std::stable_sort(questions_.begin(), questions_.end(), [](const auto& a, const auto& b) { return a.flow < b.flow; });
  questions_.erase(
      std::unique(questions_.begin(), questions_.end(), [](const auto& a, const auto& b) { return a.flow == b.flow; }),
      questions_.end());
  answers_.clear();
  std::erase_if(questions_, [this](const host::Question& q) {
    const host::Flow* flow = network_.hosts[q.src].find(q.slot, q.generation);
    if (flow != nullptr) answers_.push_back(flow->control);
    return flow == nullptr;
  });
  if (questions_.empty()) return;
  decide_(questions_, answers_);
  for (std::size_t i = 0; i < questions_.size(); ++i) partitions_->answer(questions_[i], answers_[i], now_);
}

std::uint64_t Simulation::inject(traffic::Flow flow) {
  if (flow.start < now()) throw InputError("start", "a flow cannot start before the present instant");
  if (flow.profile >= model_.profiles.size()) throw InputError("profile", "there is no such profile");
  const std::uint64_t id = traffic_.inject(flow);
  traffic_dry_ = false;
  return id;
}

bool Simulation::ended() const { return stall_ || now() >= options_.stop || is_done(); }

bool Simulation::is_done() const {
  if (tasks_ > 0 && partitions_->totals().tasks_done < tasks_) return false;
  if (ends_with_drivers()) return true;
  if (!traffic_dry_) return false;
  const Counters& c = partitions_->totals().counters;
  return c.flows_started == c.flows_completed && batch_.empty();
}

// Applies all faults that are due now, before any event of this instant.
void Simulation::apply_faults() {
  const std::vector<HostPauseRow>& pauses = model_.faults.pauses;
  for (; pauses_done_ < pauses.size() && pauses[pauses_done_].start <= now_; ++pauses_done_) {
    const HostPauseRow& pause = pauses[pauses_done_];
    partitions_->stall(pause.host, pause.start + pause.duration, now_);
  }
  links_.advance(now_, [&](const LinkChange& change) {
    if (change.state == LinkState::up) return;
    partitions_->take_down(2 * change.link, now_);
    partitions_->take_down(2 * change.link + 1, now_);
  });
  const std::size_t seen = known_links_.changes_seen();
  known_links_.advance(now_);
  if (known_links_.changes_seen() > seen) reroute();
}

// Routes packets around the links that are known to be down.
void Simulation::reroute() {
  if (!model_.network.reroute) return;
  const bool whole = known_links_.all_are_up();
  auto routing =
      whole ? nullptr
            : std::make_unique<net::Routing>(model_.topology, model_.seed, known_links_.down(), model_.network.ecmp);
  partitions_->route_by(whole ? model_.routing : *routing, now_);
  rerouted_ = std::move(routing);
}

void Simulation::poll_watchdog() {
  if (now_ < next_poll_) return;
  partitions_->watch(now_);
  const Time interval = model_.watchdog.interval();
  next_poll_ = (now_ / interval + 1) * interval;
}

template <class A>
void Simulation::archive(A& a) {
  a.value(now_);
  a.value(next_poll_);
  if (steady_flow_skipper_) steady_flow_skipper_->archive(a);
  traffic_.archive(a);
  samplers_.archive(a, now());
  if (program_driver_ != nullptr) program_driver_->archive_all(a);
  if (message_skipper_) message_skipper_->archive(a);
  if constexpr (A::kLoads) {
    traffic_dry_ = !traffic_.peek().has_value();
    // Faults that are due at this instant have not been applied: they come first when the run goes on.
    const std::vector<HostPauseRow>& pauses = model_.faults.pauses;
    pauses_done_ = 0;
    while (pauses_done_ < pauses.size() && pauses[pauses_done_].start < now_) ++pauses_done_;
    for (LinksOverTime* links : {&links_, &known_links_}) {
      links->restart();
      links->advance({now_.ps - 1});
    }
    if (known_links_.changes_seen() > 0) reroute();
  }
}

void Simulation::save(Saver& a) {
  if (stall_) throw std::logic_error("a run that has stalled cannot be saved");
  if (broken_) throw std::logic_error("a run that has been left by an exception cannot be saved");
  // The saved state must not depend on which ports have been looked at: departures before now are settled at all ports.
  for (std::uint32_t port = 0; port < model_.topology.ports(); ++port) partitions_->settle_before(port, now_);
  archive(a);
  partitions_->save(a, false);
  if (options_.traced) stream_.archive(a);
}

void Simulation::load(Loader& a) {
  archive(a);
  partitions_->load(a, now_);
  if (!options_.traced) return;
  stream_.archive(a);
  // If the saved run was not traced, its flows are not known to the stream yet.
  partitions_->for_each_active([this](std::uint32_t src, const host::Flow& flow) {
    stream_.know(src, flow,
                 flow.is_connection ? partitions_->messages_of(src, flow) : std::span<const host::QueuedMessage>());
  });
}

bool Simulation::advance(Time until) {
  if (broken_) throw std::logic_error("this run has been left by an exception, and is of no more use");
  if (!checked_) check_decided();
  checked_ = true;
  broken_ = true;  // unless this call returns
  try {
    advance_to(std::min({until, options_.stop, kEndOfTime}));
    tell_all_of_trace(now_);
  } catch (...) {
    stream_.abandon();  // readers may be gone before this is
    throw;
  }
  if (now() >= kEndOfTime && !ended()) stall_ = stall_of(Stall::Kind::end_of_time);
  stream_.finish();
  gather_nodes();
  broken_ = false;
  return ended();
}

bool Simulation::advance_to(Time until) {
  while (now() < until && !ended()) {
    if (steady_flow_skipper_) steady_flow_skipper_->pass(now_, until, next_from_outside());
    if (now() >= until) break;
    phases_.begin(now());
    samplers_.call_due(now());
    phases_.done(Phase::samplers);
    if (gathered_) gathered_->forget();
    apply_faults();
    poll_watchdog();
    if (now_.ps % look_.ps == 0) stall_ = find_stall(partitions_->totals().pending == 0);
    if (stall_) break;
    const bool goes_on = !partitions_->is_quiet() || skip_idle_time(until);
    phases_.done(Phase::checks);
    if (!goes_on) {
      phases_.end(now());
      continue;
    }

    batch_.clear();
    const Time end = draw_epoch(until);
    for (auto& flow : batch_) {
      if (steady_flow_skipper_) steady_flow_skipper_->add_flow(flow);
      flow.start = flow.start - skipped_time();
      partitions_->add_flow(flow);
      if (message_skipper_) message_skipper_->add_flow(flow);
    }
    batch_.clear();
    phases_.done(Phase::traffic);

    partitions_->run_epoch(end);
    if (gathered_) gathered_->forget();
    phases_.done(Phase::epoch);
    now_ = end;
    assert(now_.ps % (16 * grid_.ps) != 0 || broken_invariant().empty());  // it looks at the whole network
    tell_trace(end);
    phases_.done(Phase::events);
    answer_questions();
    if (decide_) phases_.done(Phase::decisions);

    finished_.clear();
    partitions_->collect(finished_);
    std::sort(finished_.begin(), finished_.end(),
              [](const auto& a, const auto& b) { return a.finish != b.finish ? a.finish < b.finish : a.id < b.id; });
    if (steady_flow_skipper_) steady_flow_skipper_->end(finished_);
    tell_finished(finished_);
    if (message_skipper_) {
      message_skipper_->end(finished_);
      if (now_.ps % grid_.ps == 0 || now_ >= options_.stop) message_skipper_->settle();
    }
    if (steady_flow_skipper_) steady_flow_skipper_->look(now_, next_from_outside());
    phases_.done(Phase::flows);
    phases_.end(now());
  }
  // A run of which no event is pending stops before the instant at which it would have been searched for a stall.
  if (!stall_ && now() >= options_.stop && !is_done() && partitions_->totals().pending == 0) stall_ = find_stall(true);
  return ended();
}

void Simulation::after_fork() { partitions_->after_fork(); }

std::uint32_t Simulation::threads() const { return partitions_->threads(); }

std::uint32_t Simulation::partitions() const { return partitions_->partitions(); }

Counters Simulation::counters() const { return partitions_->totals().counters; }

ExchangeCounts Simulation::exchanged() const { return partitions_->exchanged(); }

}  // namespace weir::engine
