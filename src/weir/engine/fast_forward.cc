#include "weir/engine/fast_forward.h"

#include <algorithm>
#include <cmath>

#include "weir/base/random.h"
#include "weir/net/packet.h"

namespace weir::engine {
namespace {

// The mean number of neighbours may vary by this share of all who share, the message itself included: with up to three
// of them one more or less is noticed. Their phases vary from step to step, and durations have to agree anyway.
constexpr double kCompany = 0.2;

double ratio(Time part, Time whole) { return static_cast<double>(part.ps) / static_cast<double>(whole.ps); }

}  // namespace

FastForward::FastForward(const Model& model, const traffic::Program& program, const FastForwardParams& params,
                         std::uint32_t partitions)
    : model_(model),
      program_(program),
      params_(params),
      kinds_(model, program),
      state_(kinds_.size()),
      components_(kinds_.size()),
      samples_(std::size_t{params.rounds} * kinds_.size()),
      slot_of_(program.size()),
      on_port_(model.topology.ports()),
      begun_(partitions) {
  for (std::uint32_t kind = 0; kind < kinds_.size(); ++kind) {
    state_[kind].parent = kind;
    state_[kind].left = kinds_.count(kind);
    components_[kind].coming = 1;
  }
  totals_.theta = params.theta;
}

// Without shortening paths: partitions read them at the same time.
std::uint32_t FastForward::root_of(std::uint32_t kind) const {
  while (state_[kind].parent != kind) kind = state_[kind].parent;
  return kind;
}

std::span<const FastForward::Sample> FastForward::samples_of(std::uint32_t kind) const {
  return {samples_.data() + std::size_t{params_.rounds} * kind, state_[kind].count};
}

// The mean, in whole picoseconds; only of a kind with samples.
FastForward::Sample FastForward::remembered(std::uint32_t kind) const {
  Sample sum;
  for (const Sample& s : samples_of(kind)) {
    sum.lasts.received = sum.lasts.received + s.lasts.received;
    sum.lasts.sent = sum.lasts.sent + s.lasts.sent;
    sum.company += s.company;
  }
  const std::int64_t n = state_[kind].count;
  return {{sum.lasts.received / n, sum.lasts.sent / n}, sum.company / static_cast<double>(n)};
}

std::optional<FastForward::Lasts> FastForward::begin(std::uint32_t partition, std::uint32_t node, Time now) {
  const std::uint32_t kind = kinds_.of(node);
  const bool is_skipped = components_[root_of(kind)].phase == Phase::skipped;
  begun_[partition].push_back({node, is_skipped, now});
  if (!is_skipped) return std::nullopt;
  return remembered(kind).lasts;
}

void FastForward::add_flow(const traffic::Flow& flow) {
  disturb(ports_both_ways(model_, flow.src, flow.dst, net::flow_entropy(flow.src, flow.dst, flow.sport, flow.dport),
                          flow.profile),
          true);
}

void FastForward::end(std::span<const host::FlowRecord> records) {
  for (const host::FlowRecord& r : records)
    if (r.id < program_.size())
      ended_.push_back({static_cast<std::uint32_t>(r.id), r.finish});
    else
      disturb(ports_both_ways(model_, r.src, r.dst, r.entropy, r.profile), false);
}

void FastForward::disturb(std::span<const std::uint32_t> ports, bool starts) {
  for (const std::uint32_t port : ports)
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

void FastForward::settle(std::span<const NodeTimes> times) {
  std::vector<Begun> begun;
  for (auto& of_partition : begun_) {
    begun.insert(begun.end(), of_partition.begin(), of_partition.end());
    of_partition.clear();
  }
  const auto earlier = [](const auto& a, const auto& b) {
    return a.time != b.time ? a.time < b.time : a.node < b.node;
  };
  std::sort(begun.begin(), begun.end(), earlier);
  std::sort(ended_.begin(), ended_.end(), earlier);
  auto next = begun.begin();
  for (const Ended& message : ended_) {
    for (; next != begun.end() && next->time < message.time; ++next) start(*next);
    finish(message, times[message.node].received);
  }
  for (; next != begun.end(); ++next) start(*next);
  ended_.clear();

  std::vector<std::uint32_t> roots;
  for (const std::uint32_t kind : touched_) roots.push_back(root_of(kind));
  touched_.clear();
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  for (const std::uint32_t root : roots) look_at(root);
}

void FastForward::start(const Begun& message) {
  const std::uint32_t kind = kinds_.of(message.node);
  State& s = state_[kind];
  Component& c = component_of(kind);
  --s.left;
  ++s.active;
  ++totals_.messages;
  if (message.skipped) {
    const std::int64_t payload = model_.transport.payload.count;
    ++totals_.skipped;
    totals_.unsent += static_cast<std::uint64_t>((program_[message.node].size.count + payload - 1) / payload);
    ++c.skipped;
  }
  ++c.begun;

  std::uint32_t slot = static_cast<std::uint32_t>(active_.size());
  if (free_.empty()) {
    active_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  Active& a = active_[slot] = {.node = message.node,
                               .kind = kind,
                               .start = message.time,
                               .company = {},
                               .remembered = {},
                               .changes = s.changes,
                               .skipped = message.skipped};
  const bool settled = c.phase == Phase::simulated && c.begun > std::uint64_t{params_.settle} * c.coming;
  a.settled = settled || c.phase == Phase::compared || c.phase == Phase::draining;
  if (c.phase == Phase::compared && !message.skipped && s.count > 0) {
    a.compared = true;
    a.remembered = remembered(kind).lasts.received;
    ++c.compared;
  }
  slot_of_[message.node] = slot;
  for (const std::uint32_t port : kinds_.ports(kind)) on_port_[port].push_back(slot);
  touched_.push_back(kind);
}

void FastForward::finish(const Ended& message, Time received) {
  const std::uint32_t slot = slot_of_[message.node];
  leave(slot, message.time);
  const Active a = active_[slot];
  free_.push_back(slot);
  State& s = state_[a.kind];
  --s.active;

  const Time lasted = message.time - a.start;
  const Sample sample{{received - a.start, lasted}, ratio(a.company, lasted)};
  Component& c = component_of(a.kind);
  if (a.compared) {
    --c.compared;
    compare(a, sample.lasts.received);
  }
  const bool is_alone = s.others == 0 && s.changes == a.changes;
  if (a.skipped) {
    --c.skipped;
    // Skipped among others than it was simulated among.
    if (s.stamp == c.stamp && s.count > 0 && !near(sample.company, remembered(a.kind).company)) {
      ++totals_.unforeseen;
      forget(a.kind);
    }
  } else if (is_alone && a.settled && !a.mixed && a.start >= c.since && c.phase != Phase::skipped) {
    learn(a.kind, sample);
  }
  if (!is_coming(a.kind)) {
    --c.coming;
    if (s.steady && s.stamp == c.stamp) --c.steady;
  }
  touched_.push_back(a.kind);
}

// Of a message that ends: it and its neighbours note how long they were together, and it leaves its ports.
void FastForward::leave(std::uint32_t slot, Time now) {
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

// `one` ends. They are neighbours if they were together for more than theta of what one of them takes.
void FastForward::part(Active& one, Active& other, Time now) {
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

// Two components have become one: what is known of each was so without the other.
void FastForward::meet(std::uint32_t a, std::uint32_t b, Time since) {
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
  c.stamp = ++stamps_;
  c.steady = 0;
  c.begun = 0;
  c.phase = Phase::simulated;
}

void FastForward::compare(const Active& message, Time received) {
  const double error = std::abs(ratio(message.remembered, received) - 1);
  ++totals_.checked;
  error_sum_ += error;
  totals_.worst_error = std::max(totals_.worst_error, error);
  if (error > params_.theta) forget(message.kind);
}

void FastForward::learn(std::uint32_t kind, const Sample& sample) {
  State& s = state_[kind];
  const std::uint32_t stamp = component_of(kind).stamp;
  if (s.stamp != stamp) {
    s.stamp = stamp;
    s.count = s.next = 0;
    s.steady = false;
  }
  samples_[std::size_t{params_.rounds} * kind + s.next] = sample;
  s.next = (s.next + 1) % params_.rounds;
  s.count = std::min(s.count + 1, params_.rounds);
  set_steady(kind, s.count == params_.rounds && agree(kind));
}

void FastForward::forget(std::uint32_t kind) {
  state_[kind].count = state_[kind].next = 0;
  set_steady(kind, false);
}

void FastForward::set_steady(std::uint32_t kind, bool steady) {
  State& s = state_[kind];
  Component& c = component_of(kind);
  if (s.stamp != c.stamp || s.steady == steady) return;
  s.steady = steady;
  c.steady += steady ? 1 : ~std::uint32_t{0};
}

bool FastForward::near(double company, double other) const {
  return std::abs(company - other) <= kCompany * (1 + std::max(company, other));
}

bool FastForward::agree(std::uint32_t kind) const {
  const auto samples = samples_of(kind);
  const auto all_near = [&](auto&& of, auto&& are_near) {
    const auto [least, most] = std::minmax_element(samples.begin(), samples.end(),
                                                   [&](const auto& a, const auto& b) { return of(a) < of(b); });
    return are_near(of(*least), of(*most));
  };
  const auto times = [this](Time a, Time b) { return ratio(b - a, b) <= params_.theta; };
  return all_near([](const Sample& s) { return s.lasts.received; }, times) &&
         all_near([](const Sample& s) { return s.lasts.sent; }, times) &&
         all_near([](const Sample& s) { return s.company; }, [this](double a, double b) { return near(a, b); });
}

// What the messages that begin from now on do.
void FastForward::look_at(std::uint32_t root) {
  Component& c = components_[root];
  if (c.coming == 0 || c.steady != c.coming || c.disturbed != 0) {
    if (c.phase != Phase::simulated) enter(c, Phase::simulated);
    return;
  }
  const auto has_begun = [&c](std::uint32_t rounds) { return c.begun >= std::uint64_t{rounds} * c.coming; };
  switch (c.phase) {
    case Phase::simulated: begin_round(root); break;
    case Phase::skipped:
      if (has_begun(1)) begin_round(root);
      break;
    case Phase::clearing:
      if (c.skipped == 0) enter(c, Phase::settling);
      break;
    case Phase::settling:
      if (has_begun(params_.settle)) enter(c, Phase::compared);
      break;
    case Phase::compared:
      if (has_begun(params_.compared())) enter(c, Phase::draining);
      break;
    case Phase::draining:
      if (c.compared == 0) begin_round(root);
      break;
  }
}

void FastForward::enter(Component& c, Phase phase) {
  c.phase = phase;
  c.begun = 0;
}

void FastForward::begin_round(std::uint32_t root) {
  Component& c = components_[root];
  enter(c, is_checked(root, c.round++) ? Phase::clearing : Phase::skipped);
}

// So many rounds are compared at once that one of each compared() / check begins that.
bool FastForward::is_checked(std::uint32_t root, std::uint64_t round) const {
  if (params_.check <= 0) return false;
  const auto block = static_cast<std::uint64_t>(std::llround(std::max(1.0, params_.compared() / params_.check)));
  return RandomStream(model_.seed, root, Purpose::fast_forward).below(round / block, block) == round % block;
}

FastForwardReport FastForward::report() const {
  FastForwardReport out = totals_;
  if (out.checked > 0) out.mean_error = error_sum_ / static_cast<double>(out.checked);
  return out;
}

void FastForward::for_each_skipped(std::span<const NodeTimes> times,
                                   const std::function<void(std::uint32_t, const host::Flow&)>& visit) const {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t slot = 0; slot < active_.size(); ++slot)
    if (active_[slot].skipped && slot_of_[active_[slot].node] == slot) nodes.push_back(active_[slot].node);
  for (const auto& of_partition : begun_)
    for (const Begun& message : of_partition)
      if (message.skipped) nodes.push_back(message.node);
  std::sort(nodes.begin(), nodes.end());
  for (const std::uint32_t node : nodes) {
    if (times[node].sent != Time::max()) continue;
    const traffic::Program::Node& n = program_[node];
    host::Flow flow;
    flow.id = node;
    flow.dst = n.dst;
    flow.entropy = net::flow_entropy(n.src, n.dst, n.sport, n.dport);
    flow.profile = n.profile;
    flow.tag = n.tag;
    flow.facts.size = n.size;
    flow.facts.start = times[node].started;
    visit(n.src, flow);
  }
}

}  // namespace weir::engine
