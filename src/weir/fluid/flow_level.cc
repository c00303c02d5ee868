#include "weir/fluid/flow_level.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "weir/base/prefetch.h"
#include "weir/engine/model/epochs.h"
#include "weir/net/link/packet.h"
#include "weir/theory/live_alpha_fair.h"
#include "weir/theory/live_max_min.h"

namespace weir::fluid {
namespace {

constexpr double kPsPerSecond = static_cast<double>(kPicosecondsPerSecond);
// Flows that have ended are told at least so many at once.
constexpr std::size_t kTold = 4096;

std::vector<double> capacities(const net::Topology& topology, double utilisation) {
  std::vector<double> out;
  for (const net::Link& link : topology.links)  // its two ports
    out.insert(out.end(), 2, utilisation * static_cast<double>(link.rate.bits_per_second));
  return out;
}

std::unique_ptr<theory::LiveRates> live_rates(const net::Topology& topology, const FluidParams& params) {
  if (params.alpha == 0) return std::make_unique<theory::LiveMaxMin>(capacities(topology, params.utilisation));
  return std::make_unique<theory::LiveAlphaFair>(capacities(topology, params.utilisation), params.alpha);
}

traffic::Message message_of(const traffic::Flow& f) {
  return {.id = f.id,
          .size = f.size,
          .src = f.src,
          .dst = f.dst,
          .tag = f.tag,
          .profile = f.profile,
          .sport = f.sport,
          .dport = f.dport};
}

}  // namespace

FlowLevel::FlowLevel(const engine::Model& model, const FluidParams& params, traffic::Traffic& traffic,
                     const engine::RunOptions& options)
    : model_(model),
      options_(options),
      traffic_(traffic),
      epoch_(engine::epoch_length(model.topology, engine::soonest_news(traffic))),
      lag_(engine::news_lag(model.topology, engine::soonest_news(traffic))),
      paths_(model),
      alone_(model),
      rates_(live_rates(model.topology, params)),
      sent_(model.topology.ports()),
      sent_by_(model.topology.hosts),
      scale_up_free_(model.topology.hosts) {
  if (!program().empty()) {
    auto driver = std::make_unique<engine::ProgramDriver>(program());
    program_driver_ = driver.get();
    add_driver(std::move(driver));
  }
  for (const auto& driver : traffic.drivers()) add_driver(driver->clone());
}

void FlowLevel::add_driver(std::unique_ptr<traffic::Driver> driver) {
  const auto number = static_cast<std::uint32_t>(drivers_.size());
  tasks_ += driver->tasks();
  unhindered_.push_back(engine::unhindered(*driver));
  drivers_.push_back(std::move(driver));
  for (std::uint32_t h = 0; h < model_.topology.hosts; ++h) drivers_[number]->begin(desk_.of(number, h));
  share();  // among what these have sent
}

void FlowLevel::drive(std::unique_ptr<traffic::Driver> driver) {
  if (now_ != Time{}) refuse_drive();
  add_driver(std::move(driver));
}

std::vector<engine::DriverReport> FlowLevel::driver_reports() const {
  std::vector<engine::DriverReport> out;
  const std::uint32_t hosts = model_.topology.hosts;
  for (std::size_t i = 0; i < drivers_.size(); ++i)
    if (auto report = engine::empty_report(*drivers_[i], unhindered_[i], hosts)) {
      for (std::uint32_t h = 0; h < hosts; ++h) report->add(*drivers_[i], h);
      out.push_back(*std::move(report));
    }
  return out;
}

void FlowLevel::every(Time interval, std::function<void(Time)> call) { samplers_.add(interval, now_, std::move(call)); }

bool FlowLevel::ended() const {
  if (stall_ || now_ >= options_.stop) return true;
  if (tasks_done_ < tasks_) return false;
  if (tasks_ > 0 && options_.until_program) return true;
  return counters_.flows_started == counters_.flows_completed && !traffic_.peek();
}

Time FlowLevel::next_event() const {
  Time out = std::min(events_.earliest(), traffic_.peek().value_or(Time::max()));
  if (!due_.empty()) out = std::min(out, due_.top().at);
  return out;
}

bool FlowLevel::advance(Time until) {
  return advance_until(until, [] { return false; });
}

bool FlowLevel::advance_for(double wall_s, Time until) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  return advance_until(until, [=] { return std::chrono::duration<double>(Clock::now() - begin).count() >= wall_s; });
}

template <class Enough>
bool FlowLevel::advance_until(Time until, const Enough& is_enough) {
  until = std::min({until, options_.stop, engine::kEndOfTime});
  bool goes_on = true;
  while (goes_on && now_ < until && !ended()) {
    if (samplers_.next() <= now_) {
      report();
      samplers_.call_due(now_);
    }
    const Time end = std::min(until, samplers_.next());
    while (goes_on && now_ < end && !ended()) {
      now_ = std::min(end, next_event());
      if (now_ < end) run_instant();
      goes_on = !is_enough();
    }
  }
  report();
  if (now_ >= engine::kEndOfTime && !ended()) stall_ = stall_of(engine::Stall::Kind::end_of_time);
  return ended();
}

// All events of this instant, those included that they bring about.
void FlowLevel::run_instant() {
  for (;;) {
    if (events_.earliest() <= now_) {
      handle_due();
      continue;
    }
    if (!due_.empty() && due_.top().at <= now_) {
      tell_driver();
    } else if (const auto next = traffic_.peek(); next && *next <= now_) {
      start(message_of(*traffic_.next()), kNoDriver);
    } else {
      break;
    }
    ++counters_.events;
  }
  share();
}

// A flow that carries a message, or that the traffic has if there is no driver.
void FlowLevel::start(const traffic::Message& m, std::uint32_t driver) {
  auto slot = static_cast<std::uint32_t>(flows_.size());
  if (free_slots_.empty()) {
    flows_.emplace_back();
    progress_.emplace_back();
    events_.grow(slot + 1);
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  Flow& f = flows_[slot];
  f.message = m;
  f.message.started = now_;
  f.driver = driver;
  f.entropy = model_.entropy_of(m.src, m.dst, m.sport, m.dport, m.profile);
  std::span<const PathFinder::Use> uses = paths_.along(m.src, m.dst, f.entropy);
  f.alone = alone_.of(m.src, m.dst, m.size, m.profile, uses);
  if (!model_.profiles[m.profile].balancing.has_one_path()) uses = paths_.spread(m.src, m.dst);
  f.stage = Stage::sending;
  progress_[slot] = {.left = f.alone.wire, .rate = 0, .settled = now_};
  rates_->add(slot, uses);
  ++counters_.flows_started;
}

// Those of this instant, in order of their slots. A flow may be due again at once, but no other one becomes so.
void FlowLevel::handle_due() {
  constexpr std::size_t kAhead = 8;
  const theory::LiveNetwork& network = rates_->network();
  const std::span<const std::uint32_t> slots = events_.first();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i + 2 * kAhead < slots.size()) prefetch_object(&flows_[slots[i + 2 * kAhead]]);
    if (i + 2 * kAhead < slots.size()) network.look_ahead(slots[i + 2 * kAhead]);
    if (i + kAhead < slots.size()) network.look_at_path(slots[i + kAhead]);
    if (i + kAhead / 2 < slots.size()) network.look_at_links(slots[i + kAhead / 2]);
    do {
      handle(slots[i]);
      ++counters_.events;
    } while (events_.time(slots[i]) <= now_);
  }
}

void FlowLevel::handle(std::uint32_t slot) {
  Flow& f = flows_[slot];
  switch (f.stage) {
    case Stage::sending: finish_sending(slot); break;
    case Stage::on_the_way: {
      f.stage = Stage::acknowledging;
      events_.schedule(
          slot, std::max(saturating_sum(now_, f.alone.back), saturating_sum(f.message.started, f.alone.ideal_fct)));
      const traffic::Message told = f.message;  // one that is sent may move what is known of flows
      drivers_[f.driver]->received(desk_.of(f.driver, told.dst), told);
      break;
    }
    default: end_flow(slot);
  }
}

void FlowLevel::finish_sending(std::uint32_t slot) {
  Flow& f = flows_[slot];
  for (const auto& use : rates_->network().path(slot)) sent_[use.link] += use.share * f.alone.wire;
  rates_->remove(slot);
  progress_[slot].left = 0;
  const Time received =
      std::max(saturating_sum(now_, f.alone.tail), saturating_sum(f.message.started, f.alone.delivery));
  if (f.driver != kNoDriver) {
    f.stage = Stage::on_the_way;
    return events_.schedule(slot, received);
  }
  // nobody cares when all has been received
  f.stage = Stage::acknowledging;
  const Time told =
      std::max(saturating_sum(received, f.alone.back), saturating_sum(f.message.started, f.alone.ideal_fct));
  events_.schedule(slot, saturating_sum(told, model_.host.application_time()));
}

void FlowLevel::end_flow(std::uint32_t slot) {
  events_.schedule(slot, Time::max());
  Flow& f = flows_[slot];
  const traffic::Message& m = f.message;
  f.stage = Stage::none;
  if (traffic::is_listed(m.id))
    finished_.push_back({.id = m.id,
                         .src = m.src,
                         .dst = m.dst,
                         .size = m.size,
                         .start = m.started,
                         .finish = now_,
                         .entropy = f.entropy,
                         .profile = m.profile,
                         .tag = m.tag});
  free_slots_.push_back(slot);
  ++counters_.flows_completed;
  counters_.data_packets += static_cast<std::uint64_t>(f.alone.packets);
  if (f.driver == kNoDriver) return;
  const traffic::Message told = m;
  drivers_[f.driver]->sent(desk_.of(f.driver, told.src), told);
}

// New rates for all whose rates change now.
void FlowLevel::share() {
  for (const std::uint32_t slot : rates_->update()) {
    Progress& p = progress_[slot];
    p = {.left = left(slot), .rate = rates_->rate(slot), .settled = now_};
    // a thousandth of a picosecond is rounding
    const double ps = std::ceil(p.left / p.rate * kPsPerSecond - 1e-3);
    const auto last = static_cast<double>((Time::max() - now_).ps);
    events_.schedule(slot, ps < last ? now_ + Time{static_cast<std::int64_t>(ps)} : Time::max());
  }
  if (finished_.size() >= kTold) report();
}

// Bits that a flow still has to send.
double FlowLevel::left(std::uint32_t slot) const {
  const Progress& p = progress_[slot];
  return std::max(0.0, p.left - p.rate * (now_ - p.settled).seconds());
}

void FlowLevel::report() {
  std::sort(finished_.begin(), finished_.end(),
            [](const auto& a, const auto& b) { return a.finish != b.finish ? a.finish < b.finish : a.id < b.id; });
  tell_finished(finished_);
  finished_.clear();
}

double FlowLevel::packets_sent(std::uint32_t slot) const {
  const LoneTimes::Times& alone = flows_[slot].alone;
  return static_cast<double>(alone.packets) * (1 - left(slot) / alone.wire);
}

engine::Counters FlowLevel::counters() const {
  engine::Counters out = counters_;
  double under_way = 0;
  for (std::uint32_t slot = 0; slot < flows_.size(); ++slot)
    if (flows_[slot].stage != Stage::none) under_way += packets_sent(slot);
  out.data_packets += static_cast<std::uint64_t>(under_way);
  return out;
}

engine::PortFigures FlowLevel::port_figures(std::uint32_t port) {
  double bits = sent_[port];
  for (const auto& on : rates_->network().on(port)) bits += on.share * (flows_[on.flow].alone.wire - left(on.flow));
  return {.sent_bytes = static_cast<std::uint64_t>(bits / kBitsPerByte)};
}

std::vector<std::uint32_t> FlowLevel::path(const host::FlowRecord& r) const {
  if (!model_.profiles[r.profile].balancing.has_one_path()) return {};
  return model_.routing.path(r.src, r.dst, r.entropy);
}

void FlowLevel::for_each_active(const std::function<void(const host::FlowView&)>& visit) const {
  // by sender, then by slot
  const auto each = [&](const auto& call) {
    for (std::uint32_t slot = 0; slot < flows_.size(); ++slot)
      if (flows_[slot].stage != Stage::none) call(flows_[slot].message.src, slot);
  };
  std::vector<std::uint32_t> place(model_.topology.hosts + std::size_t{1});
  each([&](std::uint32_t src, std::uint32_t) { ++place[src + std::size_t{1}]; });
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::uint32_t> active(place.back());
  each([&](std::uint32_t src, std::uint32_t slot) { active[place[src]++] = slot; });
  for (const std::uint32_t slot : active) {
    const Flow& f = flows_[slot];
    const traffic::Message& m = f.message;
    const Bytes sent{static_cast<std::int64_t>(static_cast<double>(m.size.count) * (1 - left(slot) / f.alone.wire))};
    visit({.id = m.id,
           .src = m.src,
           .dst = m.dst,
           .slot = slot,
           .entropy = f.entropy,
           .profile = m.profile,
           .tag = m.tag,
           .size = m.size,
           .start = m.started,
           .sent = sent,
           .next = sent,
           .in_order = sent,
           .acknowledged = sent,
           .window = cc::kNoWindow,
           .rate = {static_cast<std::int64_t>(f.stage == Stage::sending ? progress_[slot].rate : 0)}});
  }
}

}  // namespace weir::fluid
