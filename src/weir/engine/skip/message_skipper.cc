#include "weir/engine/skip/message_skipper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "weir/net/link/packet.h"

namespace weir::engine {
namespace {

double ratio(Time part, Time whole) { return static_cast<double>(part.ps) / static_cast<double>(whole.ps); }

}  // namespace

MessageSkipper::MessageSkipper(const Model& model, const traffic::Program& program, const FastForwardParams& params,
                               std::uint32_t partitions)
    : model_(model),
      program_(program),
      params_(params),
      kinds_(model, program),
      state_(kinds_.size()),
      components_(kinds_.size()),
      recurring_(kinds_.size()),
      samples_(std::size_t{params.rounds} * kinds_.size()),
      on_port_(model.topology.ports()),
      flows_(model.topology.ports()),
      logs_(partitions) {
  for (std::uint32_t kind = 0; kind < kinds_.size(); ++kind) {
    state_[kind].parent = kind;
    state_[kind].left = kinds_.count(kind);
    components_[kind].coming = 1;
  }
  totals_.theta = params.theta;
}

// The root of the kind's tree. Paths are not shortened here, since partitions read them at the same time.
std::uint32_t MessageSkipper::root_of(std::uint32_t kind) const {
  while (state_[kind].parent != kind) kind = state_[kind].parent;
  return kind;
}

std::span<const MessageSkipper::Sample> MessageSkipper::samples_of(std::uint32_t kind) const {
  return {samples_.data() + std::size_t{params_.rounds} * kind, state_[kind].count};
}

// The mean of the samples, in whole picoseconds. The kind must have samples.
MessageSkipper::Sample MessageSkipper::remembered(std::uint32_t kind) const {
  Sample sum;
  for (const Sample& s : samples_of(kind)) {
    sum.lasts.received = sum.lasts.received + s.lasts.received;
    sum.lasts.sent = sum.lasts.sent + s.lasts.sent;
    sum.company += s.company;
  }
  const std::int64_t n = state_[kind].count;
  return {{sum.lasts.received / n, sum.lasts.sent / n}, sum.company / static_cast<double>(n)};
}

bool MessageSkipper::knows(std::uint32_t kind) const {
  return state_[kind].count > 0 && state_[kind].stamp == components_[root_of(kind)].stamp;
}

MessageSkipper::Plan MessageSkipper::begin(std::uint32_t partition, const traffic::Message& message, Time now) {
  Plan plan;
  if (const auto kind = kinds_.find(message); kind && knows(*kind)) {
    const Phase phase = component_of(*kind).phase;
    const Lasts lasts = remembered(*kind).lasts;
    if (phase == Phase::skipped) plan = {true, now + lasts.received, now + lasts.sent};
    if (phase == Phase::clearing) plan.received = now + lasts.received;
  }
  logs_[partition].begun.push_back({message, plan, now});
  return plan;
}

void MessageSkipper::add_flow(const traffic::Flow& flow) {
  disturb(ports_both_ways(model_, flow.src, flow.dst,
                          model_.entropy_of(flow.src, flow.dst, flow.sport, flow.dport, flow.profile), flow.profile),
          true);
}

// Ids of drivers' messages have more than 32 bits (traffic::kAnyId), those of flows at most 32.
void MessageSkipper::end(std::span<const host::FlowRecord> records) {
  for (const host::FlowRecord& r : records)
    if (!is_of_program(r.id) && r.id >> 32 == 0)
      disturb(ports_both_ways(model_, r.src, r.dst, r.entropy, r.profile), false);
}

void MessageSkipper::disturb(std::span<const std::uint32_t> ports, bool starts) {
  for (const std::uint32_t port : ports) {
    flows_[port] += starts ? 1 : ~std::uint32_t{0};
    for (const std::uint32_t kind : kinds_.at(port)) {
      State& s = state_[kind];
      if (starts) ++s.changes;
      if (starts ? s.others++ == 0 : --s.others == 0) {
        Component& c = component_of(kind);
        c.disturbed += starts ? 1 : ~std::uint32_t{0};
        touched_.push_back(kind);
      }
    }
  }
}

// Takes what all partitions have logged, in the order of time.
template <class T>
std::vector<T> MessageSkipper::take(std::vector<T> Log::*which) {
  std::vector<T> all;
  for (Log& log : logs_) {
    all.insert(all.end(), (log.*which).begin(), (log.*which).end());
    (log.*which).clear();
  }
  std::sort(all.begin(), all.end(),
            [](const T& a, const T& b) { return a.time != b.time ? a.time < b.time : a.id() < b.id(); });
  return all;
}

void MessageSkipper::settle() {
  const std::vector<Begun> begun = take(&Log::begun);
  const std::vector<Told> received = take(&Log::received);
  auto next = begun.begin();
  auto told = received.begin();
  for (const Told& end : take(&Log::ended)) {
    for (; next != begun.end() && next->time < end.time; ++next) start(*next);
    for (; told != received.end() && told->time <= end.time; ++told) note_receipt(*told);
    finish(end);
  }
  for (; next != begun.end(); ++next) start(*next);
  for (; told != received.end(); ++told) note_receipt(*told);

  std::vector<std::uint32_t> roots;
  for (const std::uint32_t kind : touched_) roots.push_back(root_of(kind));
  touched_.clear();
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  for (const std::uint32_t root : roots) look_at(root);
}

// The kind of a message that has begun, which may be a new one.
std::uint32_t MessageSkipper::add_kind(const traffic::Message& message) {
  const std::uint32_t kind = kinds_.add(message);
  if (kind < state_.size()) return kind;
  State s{.parent = kind};
  for (const std::uint32_t port : kinds_.ports(kind)) s.others += flows_[port];
  state_.push_back(s);
  components_.push_back({.disturbed = s.others > 0 ? 1u : 0u});
  recurring_.emplace_back();
  samples_.resize(samples_.size() + params_.rounds);
  return kind;
}

// A message of the kind begins, and none was expected.
void MessageSkipper::expect(std::uint32_t kind) {
  const std::uint32_t root = root_of(kind);
  Component& c = components_[root];
  state_[kind].recurs = true;
  recurring_[root].push_back(kind);
  ++c.coming;
  if (knows(kind)) {
    count(kind);
  } else if (c.phase != Phase::simulated) {
    ++totals_.unforeseen;
    forget(c);
  }
}

// Ends a lap of the component, and stops expecting kinds that have not come for several laps.
void MessageSkipper::retire(std::uint32_t root) {
  Component& c = components_[root];
  c.lap = 0;
  ++c.laps;
  std::erase_if(recurring_[root], [&](std::uint32_t kind) {
    State& s = state_[kind];
    if (s.active > 0 || c.laps - s.seen <= kLaps) return false;
    s.recurs = false;
    if (!is_coming(kind)) {
      --c.coming;
      discount(kind);
    }
    return true;
  });
}

void MessageSkipper::start(const Begun& begun) {
  const std::uint32_t kind = add_kind(begun.message);
  State& s = state_[kind];
  Component& c = component_of(kind);
  const bool skipped = begun.plan.is_skipped;
  if (is_of_program(begun.message.id))
    --s.left;
  else if (!s.recurs)
    expect(kind);
  ++s.active;
  s.seen = c.laps;
  ++totals_.messages;
  if (skipped) {
    const std::int64_t payload = model_.transport.payload.count;
    ++totals_.skipped;
    totals_.unsent += static_cast<std::uint64_t>((begun.message.size.count + payload - 1) / payload);
    ++c.skipped;
  }
  ++c.begun;
  ++c.lap;

  std::uint32_t slot = static_cast<std::uint32_t>(active_.size());
  if (free_.empty()) {
    active_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  Active& a = active_[slot] = {.message = begun.message,
                               .kind = kind,
                               .start = begun.time,
                               .not_before = begun.plan.received,
                               .company = {},
                               .remembered = {},
                               .changes = s.changes,
                               .used = true,
                               .skipped = skipped};
  const bool settled = c.phase == Phase::simulated && c.begun > std::uint64_t{params_.settle} * c.coming;
  a.settled = settled || c.phase == Phase::compared || c.phase == Phase::draining;
  if (c.phase == Phase::compared && !skipped && s.count > 0) {
    a.compared = true;
    a.remembered = remembered(kind).lasts.received;
    ++c.compared;
  }
  slot_of_[begun.message.id] = slot;
  for (const std::uint32_t port : kinds_.ports(kind)) on_port_[port].push_back(slot);
  touched_.push_back(kind);
}

// Notes when a message was received. A message whose end has been noted already has no slot any more.
void MessageSkipper::note_receipt(const Told& receipt) {
  if (const auto at = slot_of_.find(receipt.message); at != slot_of_.end()) active_[at->second].received = receipt.time;
}

void MessageSkipper::finish(const Told& end) {
  const auto at = slot_of_.find(end.message);
  const std::uint32_t slot = at->second;
  slot_of_.erase(at);
  leave(slot, end.time);
  const Active a = active_[slot];
  active_[slot].used = false;
  free_.push_back(slot);
  State& s = state_[a.kind];
  --s.active;

  // It may become known later that the message was received than that it was acknowledged.
  const Time received = a.received == Time::max() ? a.not_before : a.received;
  const Time lasted = end.time - a.start;
  const Sample sample{{received - a.start, lasted}, ratio(a.company, lasted)};
  Component& c = component_of(a.kind);
  if (a.compared) {
    --c.compared;
    compare(c, a, sample.lasts.received);
  }
  const bool is_alone = s.others == 0 && s.changes == a.changes;
  if (a.skipped) {
    --c.skipped;
    if (c.phase == Phase::skipped && s.stamp == c.stamp) {
      const double before = remembered(a.kind).company;
      ++c.judged;
      c.error += (sample.company - before) / (1 + std::max(sample.company, before));
    }
  } else if (is_alone && a.settled && !a.mixed && a.start >= c.since && c.phase != Phase::skipped) {
    learn(a.kind, sample);
  }
  if (!is_coming(a.kind)) {
    --c.coming;
    discount(a.kind);
  }
  touched_.push_back(a.kind);
}

// Takes a message that ends off its ports; it and its neighbours note how long they were together.
void MessageSkipper::leave(std::uint32_t slot, Time now) {
  ++walk_;
  active_[slot].seen = walk_;
  for (const std::uint32_t port : kinds_.ports(active_[slot].kind)) {
    auto& slots = on_port_[port];
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::uint32_t other = slots[i];
      if (other == slot) {
        slots[i--] = slots.back();
        slots.pop_back();
      } else if (active_[other].seen != walk_) {
        active_[other].seen = walk_;
        part(active_[slot], active_[other], now);
      }
    }
  }
}

// `one` ends; both note how long they were together. They are neighbours, whose components become one, if that is more
// than kCompany of the shorter duration of the two. If it is more than theta, each notes whether the other was skipped.
void MessageSkipper::part(Active& one, Active& other, Time now) {
  const Time since = std::max(one.start, other.start);
  const Time together = now - since;
  one.company = one.company + together;
  other.company = other.company + together;
  Time shorter = now - one.start;
  if (state_[other.kind].count > 0) shorter = std::min(shorter, remembered(other.kind).lasts.sent);
  const double share = ratio(together, shorter);
  if (share > params_.theta) {
    one.mixed = one.mixed || other.skipped;
    other.mixed = other.mixed || one.skipped;
  }
  if (share <= kCompany || root_of(one.kind) == root_of(other.kind)) return;
  if (one.skipped || other.skipped) ++totals_.unforeseen;
  meet(one.kind, other.kind, since);
}

// Joins two components. What is remembered of each is forgotten, since it was so without the other.
void MessageSkipper::meet(std::uint32_t a, std::uint32_t b, Time since) {
  std::uint32_t root = root_of(a);
  std::uint32_t other = root_of(b);
  if (components_[root].kinds < components_[other].kinds) std::swap(root, other);
  Component& c = components_[root];
  const Component& o = components_[other];
  state_[other].parent = root;
  c.kinds += o.kinds;
  c.coming += o.coming;
  c.disturbed += o.disturbed;
  c.since = std::max({c.since, o.since, since});
  c.skipped += o.skipped;
  c.compared += o.compared;
  c.round = std::max(c.round, o.round);
  for (const std::uint32_t kind : recurring_[other]) {
    state_[kind].seen = c.laps;
    recurring_[root].push_back(kind);
  }
  recurring_[other].clear();
  forget(c);
}

void MessageSkipper::compare(Component& c, const Active& message, Time received) {
  const double error = std::abs(ratio(message.remembered, received) - 1);
  ++totals_.checked;
  error_sum_ += error;
  totals_.worst_error = std::max(totals_.worst_error, error);
  ++c.judged;
  c.error += error;
}

FastForwardReport MessageSkipper::report() const {
  FastForwardReport out = totals_;
  if (out.checked > 0) out.mean_error = error_sum_ / static_cast<double>(out.checked);
  return out;
}

void MessageSkipper::for_each_skipped(const std::function<void(std::uint32_t, const host::Flow&)>& visit) const {
  std::map<std::uint64_t, const traffic::Message*> messages;
  for (const Active& a : active_)
    if (a.used && a.skipped) messages[a.message.id] = &a.message;
  for (const Log& log : logs_)
    for (const Begun& begun : log.begun)
      if (begun.plan.is_skipped) messages[begun.message.id] = &begun.message;
  for (const Log& log : logs_)
    for (const Told& end : log.ended) messages.erase(end.message);
  for (const auto& [id, m] : messages) {
    host::Flow flow;
    flow.id = id;
    flow.slot = std::numeric_limits<std::uint32_t>::max();  // it has none
    flow.dst = m->dst;
    flow.entropy = model_.entropy_of(m->src, m->dst, m->sport, m->dport, m->profile);
    flow.profile = m->profile;
    flow.tag = m->tag;
    flow.facts.size = m->size;
    flow.facts.start = m->started;
    visit(m->src, flow);
  }
}

}  // namespace weir::engine
