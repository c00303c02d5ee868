#include "weir/traffic/traffic.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <utility>

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

std::optional<Time> Traffic::peek() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().start;
}

Time Traffic::end() const {
  Time out;
  for (const Head& head : heap_) out = std::max(out, feeds_[head.feed].source->end());
  return out;
}

std::optional<Flow> Traffic::next() {
  if (heap_.empty()) return std::nullopt;
  std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
  const auto index = heap_.back().feed;
  heap_.pop_back();

  Flow flow = feeds_[index].head;
  flow.id = program_.size() + flows_++;
  assign_ports(flow);
  push_head(index);
  return flow;
}

void Traffic::skip_to(std::uint64_t pulled) {
  while (flows_ < pulled)
    if (!next()) throw InputError("the checkpoint is of a run with more flows");
}

void Traffic::pull_until(Time end, std::vector<Flow>& out) {
  while (!heap_.empty() && heap_.front().start < end) out.push_back(*next());
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
