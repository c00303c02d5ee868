#include "weir/fluid/flow_level.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "weir/engine/model/epochs.h"
#include "weir/net/link/packet.h"
#include "weir/theory/live_alpha_fair.h"
#include "weir/theory/live_max_min.h"

namespace weir::fluid {
namespace {

constexpr double kBitsPerByte = 8;
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

std::int64_t packets_of(Bytes size, Bytes payload) { return (size.count + payload.count - 1) / payload.count; }

}  // namespace

FlowLevel::FlowLevel(const engine::Model& model, const FluidParams& params, traffic::Traffic& traffic,
                     const engine::RunOptions& options)
    : model_(model),
      options_(options),
      traffic_(traffic),
      epoch_(engine::epoch_length(model.topology, engine::soonest_news(traffic))),
      lag_(engine::news_lag(model.topology, engine::soonest_news(traffic))),
      paths_(model),
      rates_(live_rates(model.topology, params)),
      events_(0, {}),
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
  until = std::min({until, options_.stop, engine::kEndOfTime});
  while (now_ < until && !ended()) {
    if (samplers_.next() <= now_) {
      report();
      samplers_.call_due(now_);
    }
    const Time end = std::min(until, samplers_.next());
    while (now_ < end && !ended()) {
      now_ = std::min(end, next_event());
      if (now_ < end) run_instant();
    }
  }
  report();
  if (now_ >= engine::kEndOfTime && !ended()) stall_ = stall_of(engine::Stall::Kind::end_of_time);
  return ended();
}

// All events of this instant, those included that they bring about.
void FlowLevel::run_instant() {
  sim::Event event;
  const Time after = now_ + Time{1};
  for (;;) {
    if (events_.next(after, event)) {
      handle(event.entity);
    } else if (!due_.empty() && due_.top().at <= now_) {
      tell_driver();
    } else if (const auto next = traffic_.peek(); next && *next <= now_) {
      start(*traffic_.next());
    } else {
      break;
    }
    ++counters_.events;
  }
  share();
}

// Returns the slot of the flow.
std::uint32_t FlowLevel::start(const traffic::Flow& flow) {
  const host::Profile& profile = model_.profiles[flow.profile];
  std::uint32_t slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
    events_.grow(slot + 1);
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  Flow& f = flows_[slot];
  f.record = {.id = flow.id,
              .src = flow.src,
              .dst = flow.dst,
              .size = flow.size,
              .start = now_,
              .finish = Time::max(),
              .entropy = model_.entropy_of(flow.src, flow.dst, flow.sport, flow.dport, flow.profile),
              .profile = flow.profile,
              .tag = flow.tag};
  const net::Framing framing = model_.framing(profile);
  const Bytes wire = flow.size + packets_of(flow.size, framing.payload) * framing.header;
  f.wire = f.left = kBitsPerByte * static_cast<double>(wire.count);
  f.rate = 0;
  f.has_message = false;
  f.settled = now_;
  std::span<const PathFinder::Use> uses = paths_.along(flow.src, flow.dst, f.record.entropy);
  f.tail = tail_of(flow.size, wire, framing, uses);
  if (!profile.balancing.has_one_path()) uses = paths_.spread(flow.src, flow.dst);
  f.least_received = saturating_sum(now_, model_.paths.delivery(flow.src, flow.dst, flow.size, framing));
  f.least_finish = saturating_sum(now_, model_.paths.ideal_fct(flow.src, flow.dst, flow.size, framing));
  f.back = model_.paths.one_way(flow.dst, flow.src, framing.ack) + model_.host.answer_delay();
  f.stage = Stage::sending;
  f.number = rates_->add(uses);
  if (f.number >= slots_.size()) slots_.resize(f.number + std::size_t{1});
  slots_[f.number] = slot;
  ++counters_.flows_started;
  return slot;
}

// What a flow that is alone on this path takes beyond the transmission of its bytes at the slowest link.
Time FlowLevel::tail_of(Bytes size, Bytes wire, const net::Framing& framing, std::span<const PathFinder::Use> path) {
  ports_.clear();
  Rate slowest = kMaxRate;
  for (const auto& use : path) {
    ports_.push_back(use.link);
    slowest = std::min(slowest, model_.topology.links[use.link / 2].rate);
  }
  const Time received = net::Paths::delivery_by(model_.topology, ports_, size, framing);
  return std::max(Time{}, received - transmission_time(wire, slowest));
}

void FlowLevel::handle(std::uint32_t slot) {
  Flow& f = flows_[slot];
  switch (f.stage) {
    case Stage::sending: finish_sending(slot); break;
    case Stage::on_the_way: {
      f.stage = Stage::acknowledging;
      events_.schedule(slot, std::max(saturating_sum(now_, f.back), f.least_finish));
      const Carried told = carried_[slot];  // a message that is sent may move what is known of flows
      drivers_[told.driver]->received(desk_.of(told.driver, told.message.dst), told.message);
      break;
    }
    default: end_flow(slot);
  }
}

void FlowLevel::finish_sending(std::uint32_t slot) {
  Flow& f = flows_[slot];
  for (const auto& use : rates_->network().path(f.number)) sent_[use.link] += use.share * f.wire;
  rates_->remove(f.number);
  f.left = 0;
  // nobody but drivers cares when all has been received
  f.stage = f.has_message ? Stage::on_the_way : Stage::acknowledging;
  const Time received = std::max(saturating_sum(now_, f.tail), f.least_received);
  const Time told = std::max(saturating_sum(received, f.back), f.least_finish);
  events_.schedule(slot, f.has_message ? received : saturating_sum(told, model_.host.application_time()));
}

void FlowLevel::end_flow(std::uint32_t slot) {
  Flow& f = flows_[slot];
  f.record.finish = now_;
  f.stage = Stage::none;
  if (traffic::is_listed(f.record.id)) finished_.push_back(f.record);
  free_slots_.push_back(slot);
  ++counters_.flows_completed;
  counters_.data_packets += static_cast<std::uint64_t>(packets_of(f.record.size, model_.transport.payload));
  if (!f.has_message) return;
  const Carried told = carried_[slot];
  drivers_[told.driver]->sent(desk_.of(told.driver, told.message.src), told.message);
}

// New rates for all whose rates change now.
void FlowLevel::share() {
  for (const std::uint32_t number : rates_->update()) {
    const std::uint32_t slot = slots_[number];
    Flow& f = flows_[slot];
    f.left = left(f);
    f.settled = now_;
    f.rate = rates_->rate(number);
    // a thousandth of a picosecond is rounding
    const double ps = std::ceil(f.left / f.rate * kPsPerSecond - 1e-3);
    const auto last = static_cast<double>((Time::max() - now_).ps);
    events_.schedule(slot, ps < last ? now_ + Time{static_cast<std::int64_t>(ps)} : Time::max());
  }
  if (finished_.size() >= kTold) report();
}

double FlowLevel::left(const Flow& f) const {
  return f.stage == Stage::sending ? std::max(0.0, f.left - f.rate * (now_ - f.settled).seconds()) : 0;
}

void FlowLevel::report() {
  std::sort(finished_.begin(), finished_.end(),
            [](const auto& a, const auto& b) { return a.finish != b.finish ? a.finish < b.finish : a.id < b.id; });
  tell_finished(finished_);
  finished_.clear();
}

bool FlowLevel::is_later(const Due& a, const Due& b) {
  const auto key = [](const Due& due) {
    const traffic::Message& m = due.message;
    return std::tuple(due.at, due.kind, due.driver, due.word, due.from, m.id, m.dst, m.sport, m.dport, m.size);
  };
  return key(b) < key(a);
}

void FlowLevel::tell_driver() {
  const Due due = due_.top();
  due_.pop();
  traffic::Driver& driver = *drivers_[due.driver];
  traffic::Desk& desk = desk_.of(due.driver, due.host);
  switch (due.kind) {
    case DueKind::posted: return driver.posted(desk, due.from, due.word);
    case DueKind::brought: return driver.brought(desk, due.message);
    case DueKind::carried: return driver.carried(desk, due.message);
    case DueKind::woken: return driver.woken(desk, static_cast<std::uint32_t>(due.word));
    case DueKind::moved: {
      engine::ScaleUpSwitch& by = engine::switch_for(switches_[due.host], *driver.scale_up());
      by.begin(due.message, due.driver, now_);
      due_.push({.at = now_, .kind = DueKind::shared, .driver = due.driver, .host = due.host, .word = by.shared()});
      return;
    }
    case DueKind::shared: return share_switch(due);
  }
}

void FlowLevel::share_switch(const Due& due) {
  engine::ScaleUpSwitch& by = engine::switch_for(switches_[due.host], *drivers_[due.driver]->scale_up());
  if (by.shared() != due.word) return;
  for (const engine::ScaleUpSwitch::Transfer& t : by.take_ended(now_)) {
    const Time at = now_ + engine::behind_switch(*drivers_[t.driver]->scale_up(), lag_);
    for (const auto& [kind, host] : {std::pair(DueKind::brought, t.message.dst), {DueKind::carried, t.message.src}})
      due_.push({.at = at, .kind = kind, .driver = t.driver, .host = host, .message = t.message});
  }
  if (const Time next = by.share(now_); next < Time::max())
    due_.push({.at = next, .kind = DueKind::shared, .driver = due.driver, .host = due.host, .word = by.shared()});
}

void FlowLevel::HostDesk::move(traffic::Message message) {
  const traffic::ScaleUp by = level_.drivers_[driver_]->scale_up().value_or(traffic::ScaleUp{});
  engine::check_move(by, host_, message, level_.model_.topology.hosts);
  message.src = host_;
  message.started = level_.now_;
  level_.due_.push({.at = level_.now_ + engine::ahead_of_switch(by, level_.lag_),
                    .kind = DueKind::moved,
                    .driver = driver_,
                    .host = by.first_of(host_),
                    .from = host_,
                    .word = message.word,
                    .message = message});
}

void FlowLevel::HostDesk::send(traffic::Message message) {
  message.src = host_;
  message.started = level_.now_;
  if (message.id >= traffic::kAnyUnlistedId) {
    const std::uint64_t unlisted = message.id == traffic::kAnyId ? 0 : traffic::kUnlisted;
    message.id = unlisted | (std::uint64_t{host_} + 1) << 32 | level_.sent_by_[host_]++;
  }
  const std::uint32_t slot = level_.start({.id = message.id,
                                           .start = level_.now_,
                                           .src = host_,
                                           .dst = message.dst,
                                           .size = message.size,
                                           .tag = message.tag,
                                           .profile = message.profile,
                                           .sport = message.sport,
                                           .dport = message.dport});
  level_.flows_[slot].has_message = true;
  if (slot >= level_.carried_.size()) level_.carried_.resize(slot + std::size_t{1});
  level_.carried_[slot] = {message, driver_};
}

void FlowLevel::HostDesk::wake(Time at, std::uint32_t word) {
  level_.due_.push({.at = at, .kind = DueKind::woken, .driver = driver_, .host = host_, .word = word});
}

void FlowLevel::HostDesk::post(std::uint32_t host, std::uint64_t word, Time at) {
  level_.due_.push(
      {.at = std::max(at, level_.now_ + level_.lag_), .driver = driver_, .host = host, .from = host_, .word = word});
}

double FlowLevel::packets_sent(const Flow& f) const {
  const auto packets = static_cast<double>(packets_of(f.record.size, model_.transport.payload));
  return packets * (1 - left(f) / f.wire);
}

engine::Counters FlowLevel::counters() const {
  engine::Counters out = counters_;
  double under_way = 0;
  for (const Flow& f : flows_)
    if (f.stage != Stage::none) under_way += packets_sent(f);
  out.data_packets += static_cast<std::uint64_t>(under_way);
  return out;
}

engine::PortFigures FlowLevel::port_figures(std::uint32_t port) {
  double bits = sent_[port];
  for (const auto& on : rates_->network().on(port)) {
    const Flow& f = flows_[slots_[on.flow]];
    bits += on.share * (f.wire - left(f));
  }
  return {.sent_bytes = static_cast<std::uint64_t>(bits / kBitsPerByte)};
}

std::vector<std::uint32_t> FlowLevel::path(const host::FlowRecord& r) const {
  if (!model_.profiles[r.profile].balancing.has_one_path()) return {};
  return model_.routing.path(r.src, r.dst, r.entropy);
}

void FlowLevel::for_each_active(const std::function<void(const host::FlowView&)>& visit) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> active;  // sender, slot
  for (std::uint32_t slot = 0; slot < flows_.size(); ++slot)
    if (flows_[slot].stage != Stage::none) active.emplace_back(flows_[slot].record.src, slot);
  std::sort(active.begin(), active.end());
  for (const auto& [src, slot] : active) {
    const Flow& f = flows_[slot];
    const Bytes sent{static_cast<std::int64_t>(static_cast<double>(f.record.size.count) * (1 - left(f) / f.wire))};
    visit({.id = f.record.id,
           .src = src,
           .dst = f.record.dst,
           .slot = slot,
           .entropy = f.record.entropy,
           .profile = f.record.profile,
           .tag = f.record.tag,
           .size = f.record.size,
           .start = f.record.start,
           .sent = sent,
           .next = sent,
           .in_order = sent,
           .acknowledged = sent,
           .window = cc::kNoWindow,
           .rate = {static_cast<std::int64_t>(f.stage == Stage::sending ? f.rate : 0)}});
  }
}

}  // namespace weir::fluid
