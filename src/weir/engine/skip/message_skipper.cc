#include "weir/engine/skip/message_skipper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weir/net/link/packet.h"

namespace weir::engine {
namespace {

double ratio(Time part, Time whole) { return static_cast<double>(part.ps) / static_cast<double>(whole.ps); }

}  // namespace

MessageSkipper::MessageSkipper(const Model& model, const traffic::Program& program, std::span<const NodeTimes> times,
                               const FastForwardParams& params, std::uint32_t partitions)
    : model_(model),
      program_(program),
      times_(times),
      params_(params),
      kinds_(model, program),
      state_(kinds_.size()),
      components_(kinds_.size()),
      samples_(std::size_t{params.rounds} * kinds_.size()),
      slot_of_(program.size()),
      on_port_(model.topology.ports()),
      begun_(partitions),
      not_before_(program.size()) {
  for (std::uint32_t kind = 0; kind < kinds_.size(); ++kind) {
    state_[kind].parent = kind;
    state_[kind].left = kinds_.count(kind);
    components_[kind].coming = 1;
  }
  totals_.theta = params.theta;
}

// Without shortening paths: partitions read them at the same time.
std::uint32_t MessageSkipper::root_of(std::uint32_t kind) const {
  while (state_[kind].parent != kind) kind = state_[kind].parent;
  return kind;
}

std::span<const MessageSkipper::Sample> MessageSkipper::samples_of(std::uint32_t kind) const {
  return {samples_.data() + std::size_t{params_.rounds} * kind, state_[kind].count};
}

// The mean, in whole picoseconds; only of a kind with samples.
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

std::optional<MessageSkipper::Lasts> MessageSkipper::begin(std::uint32_t partition, std::uint32_t node, Time now) {
  const std::uint32_t kind = kinds_.of(node);
  const Phase phase = components_[root_of(kind)].phase;
  const bool is_skipped = phase == Phase::skipped;
  begun_[partition].push_back({node, is_skipped, now});
  if (!is_skipped && phase != Phase::clearing) return std::nullopt;
  const Lasts lasts = remembered(kind).lasts;
  if (is_skipped) return lasts;
  not_before_[node] = now + lasts.received;
  return std::nullopt;
}

void MessageSkipper::add_flow(const traffic::Flow& flow) {
  disturb(ports_both_ways(model_, flow.src, flow.dst,
                          model_.entropy_of(flow.src, flow.dst, flow.sport, flow.dport, flow.profile), flow.profile),
          true);
}

void MessageSkipper::end(std::span<const host::FlowRecord> records) {
  for (const host::FlowRecord& r : records)
    if (r.id < program_.size())
      ended_.push_back({static_cast<std::uint32_t>(r.id), r.finish});
    else
      disturb(ports_both_ways(model_, r.src, r.dst, r.entropy, r.profile), false);
}

void MessageSkipper::disturb(std::span<const std::uint32_t> ports, bool starts) {
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

void MessageSkipper::settle() {
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
    // One that was sent before its receipt may become known.
    const Time received = times_[message.node].received;
    finish(message, received == Time::max() ? not_before_[message.node] : received);
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

void MessageSkipper::start(const Begun& message) {
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

void MessageSkipper::finish(const Ended& message, Time received) {
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

// Of a message that ends: it and its neighbours note how long they were together, and it leaves its ports.
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

// `one` ends. They are neighbours if they were together for more than theta of what one of them takes.
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

// Two components have become one: what is known of each was so without the other.
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
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t slot = 0; slot < active_.size(); ++slot)
    if (active_[slot].skipped && slot_of_[active_[slot].node] == slot) nodes.push_back(active_[slot].node);
  for (const auto& of_partition : begun_)
    for (const Begun& message : of_partition)
      if (message.skipped) nodes.push_back(message.node);
  std::sort(nodes.begin(), nodes.end());
  for (const std::uint32_t node : nodes) {
    if (times_[node].sent != Time::max()) continue;
    const traffic::Program::Node& n = program_[node];
    host::Flow flow;
    flow.id = node;
    flow.slot = std::numeric_limits<std::uint32_t>::max();  // it has none
    flow.dst = n.dst;
    flow.entropy = model_.entropy_of(n.src, n.dst, n.sport, n.dport, n.profile);
    flow.profile = n.profile;
    flow.tag = n.tag;
    flow.facts.size = n.size;
    flow.facts.start = times_[node].started;
    visit(n.src, flow);
  }
}

}  // namespace weir::engine
