#include "weir/traffic/traffic.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "weir/base/error.h"

namespace weir::traffic {

Traffic::Traffic(std::uint32_t hosts) : ports_given_(hosts) {}

void Traffic::add(std::unique_ptr<Source> source, std::optional<Labels> labels) {
  feeds_.push_back({std::move(source), labels, {}});
  heap_.reserve(feeds_.size());
  push_head(static_cast<std::uint32_t>(feeds_.size() - 1));
}

void Traffic::add(Program program) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint16_t> port_of;
  for (Program::Node& node : program.nodes()) {
    if (!node.is_message()) continue;
    if (node.sport == 0) {
      std::uint16_t& port = port_of[{node.src, node.dst}];
      if (port == 0) port = next_port(node.src);
      node.sport = port;
    }
    if (node.dport == 0) node.dport = kDestinationPort;
  }
  program_.append(program);
}

namespace {

// Order of the heap of injected flows.
bool later(const Flow& a, const Flow& b) { return a.start != b.start ? a.start > b.start : a.id > b.id; }

}  // namespace

std::uint64_t Traffic::inject(Flow flow) {
  const auto hosts = static_cast<std::uint32_t>(ports_given_.size());
  for (const auto& [key, host] : {std::pair{"src", flow.src}, {"dst", flow.dst}})
    if (host >= hosts) throw InputError(key, fmt::format("there is no host {}; valid is 0 to {}", host, hosts - 1));
  if (flow.src == flow.dst) throw InputError("dst", "a flow goes from one host to another");
  if (flow.size < Bytes{1} || flow.size > kMaxFlowSize)
    throw InputError("size", fmt::format("a flow of {} bytes is not possible; valid is 1 to {}", flow.size.count,
                                         kMaxFlowSize.count));
  flow.id = kFirstInjected + injections_++;
  // injected flows count separately, so that the ports of other flows do not change
  if (flow.sport == 0) flow.sport = static_cast<std::uint16_t>(kFirstSourcePort + flow.id % kSourcePorts);
  if (flow.dport == 0) flow.dport = kDestinationPort;
  injected_.push_back(flow);
  std::push_heap(injected_.begin(), injected_.end(), later);
  return flow.id;
}

// At the same instant, flows of the sources come before injected ones.
bool Traffic::is_injected_next() const {
  return !injected_.empty() && (heap_.empty() || injected_.front().start < heap_.front().start);
}

std::optional<Time> Traffic::peek() const {
  if (is_injected_next()) return injected_.front().start;
  if (heap_.empty()) return std::nullopt;
  return heap_.front().start;
}

Time Traffic::end() const {
  Time out;
  for (const Head& head : heap_) out = std::max(out, feeds_[head.feed].source->end());
  return out;
}

std::optional<Flow> Traffic::next() {
  if (is_injected_next()) {
    std::pop_heap(injected_.begin(), injected_.end(), later);
    const Flow flow = injected_.back();
    injected_.pop_back();
    return flow;
  }
  if (heap_.empty()) return std::nullopt;
  return next_of_sources();
}

Flow Traffic::next_of_sources() {
  std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
  const auto index = heap_.back().feed;
  heap_.pop_back();

  Flow flow = feeds_[index].head;
  flow.id = program_.size() + flows_++;
  assign_ports(flow);
  push_head(index);
  return flow;
}

template <class A>
void Traffic::archive_all(A& a) {
  std::uint64_t drawn = flows_;
  a.value(drawn);
  a.value(injections_);
  a.values(injected_);
  if constexpr (A::kLoads) {
    while (flows_ < drawn && !heap_.empty()) next_of_sources();
    if (flows_ != drawn) throw InputError("the checkpoint is of a run with other flows");
  }
}

void Traffic::archive(Saver& a) { archive_all(a); }
void Traffic::archive(Loader& a) { archive_all(a); }

std::unique_ptr<Traffic> Traffic::clone() const {
  auto out = std::make_unique<Traffic>(static_cast<std::uint32_t>(ports_given_.size()));
  for (const Feed& feed : feeds_) out->feeds_.push_back({feed.source->clone(), feed.labels, feed.head});
  out->heap_ = heap_;
  out->injected_ = injected_;
  out->injections_ = injections_;
  out->program_ = program_;
  for (const auto& driver : drivers_) out->drivers_.push_back(driver->clone());
  out->tags_ = tags_;
  out->flows_ = flows_;
  out->ports_given_ = ports_given_;
  return out;
}

void Traffic::pull_until(Time end, std::vector<Flow>& out) {
  for (auto start = peek(); start && *start < end; start = peek()) out.push_back(*next());
}

void Traffic::push_head(std::uint32_t index) {
  Feed& feed = feeds_[index];
  const auto flow = feed.source->next();
  if (!flow) return;
  assert(flow->start >= feed.head.start && "a source's flows are in order of their start");
  assert(flow->src < ports_given_.size() && flow->dst < ports_given_.size() && flow->src != flow->dst);
  feed.head = *flow;
  if (feed.labels) {
    feed.head.tag = feed.labels->tag;
    feed.head.profile = feed.labels->profile;
  }
  heap_.push_back({flow->start, index});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
}

void Traffic::assign_ports(Flow& flow) {
  if (flow.sport == 0) flow.sport = next_port(flow.src);
  if (flow.dport == 0) flow.dport = kDestinationPort;
}

std::uint16_t Traffic::next_port(std::uint32_t src) {
  auto& given = ports_given_[src];
  const auto port = static_cast<std::uint16_t>(kFirstSourcePort + given);
  given = static_cast<std::uint16_t>((given + 1) % kSourcePorts);
  return port;
}

}  // namespace weir::traffic
