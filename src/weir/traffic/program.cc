#include "weir/traffic/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "weir/base/params.h"

namespace weir::traffic {

Program::Program(std::vector<Node> nodes, std::span<const Edge> edges, std::uint16_t tag)
    : nodes_(std::move(nodes)),
      first_(kEvents * nodes_.size() + 1),
      then_(edges.size()),
      waits_(nodes_.size()),
      parts_{{.first = 0, .end = static_cast<std::uint32_t>(nodes_.size()), .tag = tag}} {
  const auto place = [](const Edge& e) { return kEvents * e.node + static_cast<std::size_t>(e.event); };
  for (const Edge& e : edges) {
    ++first_[place(e) + 1];
    ++waits_[e.then];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const Edge& e : edges) then_[next[place(e)]++] = e.then;
}

void Program::append(const Program& other) {
  const std::uint32_t nodes = size();
  const std::size_t edges = then_.size();
  nodes_.insert(nodes_.end(), other.nodes_.begin(), other.nodes_.end());
  waits_.insert(waits_.end(), other.waits_.begin(), other.waits_.end());
  for (std::size_t i = 1; i < other.first_.size(); ++i) first_.push_back(edges + other.first_[i]);
  for (const std::uint32_t node : other.then_) then_.push_back(nodes + node);
  for (Part p : other.parts_) {
    p.first += nodes;
    p.end += nodes;
    parts_.push_back(p);
  }
}

bool Program::waits_across_hosts() const {
  for (std::uint32_t node = 0; node < size(); ++node)
    for (const Event event : {Event::started, Event::sent, Event::received}) {
      const std::uint32_t where = event == Event::received ? nodes_[node].dst : nodes_[node].src;
      for (const std::uint32_t waiting : then(node, event))
        if (nodes_[waiting].src != where) return true;
    }
  return false;
}

std::vector<std::uint32_t> Program::in_order() const {
  std::vector<std::uint32_t> waits = waits_;
  std::vector<std::uint32_t> order;
  order.reserve(nodes_.size());
  for (std::uint32_t node = 0; node < size(); ++node)
    if (waits[node] == 0) order.push_back(node);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t at = kEvents * order[i];
    for (std::size_t e = first_[at]; e < first_[at + kEvents]; ++e)
      if (--waits[then_[e]] == 0) order.push_back(then_[e]);
  }
  return order;
}

std::vector<std::uint32_t> Program::cycle() const {
  const auto order = in_order();
  if (order.size() == nodes_.size()) return {};
  std::vector<bool> left(nodes_.size(), true);
  for (const std::uint32_t node : order) left[node] = false;
  // Every node that is left waits for another one that is left: going back from one to the next leads into a cycle.
  std::vector<std::uint32_t> waits_for(nodes_.size());
  std::uint32_t at = 0;
  for (std::uint32_t node = 0; node < size(); ++node) {
    if (!left[node]) continue;
    for (std::size_t e = first_[kEvents * node]; e < first_[kEvents * (node + std::size_t{1})]; ++e)
      if (left[then_[e]]) at = then_[e], waits_for[at] = node;
  }
  std::vector<bool> seen(nodes_.size());
  for (; !seen[at]; at = waits_for[at]) seen[at] = true;
  std::vector<std::uint32_t> out{at};
  for (std::uint32_t node = waits_for[at]; node != at; node = waits_for[node]) out.push_back(node);
  std::rotate(out.begin(), std::min_element(out.begin(), out.end()), out.end());
  return out;
}

Program independent(Source& source, std::optional<Labels> labels, std::uint16_t tag) {
  std::vector<Program::Node> nodes;
  while (const auto flow = source.next())
    nodes.push_back({.src = flow->src,
                     .dst = flow->dst,
                     .size = flow->size,
                     .delay = flow->start,
                     .tag = labels ? labels->tag : flow->tag,
                     .profile = labels ? labels->profile : flow->profile,
                     .sport = flow->sport,
                     .dport = flow->dport});
  return {std::move(nodes), {}, tag};
}

void check_program(const Program& program, const std::function<Where(std::uint32_t)>& place,
                   const std::function<std::string(std::uint32_t)>& name) {
  if (const auto cycle = program.cycle(); !cycle.empty()) {
    constexpr std::size_t kShown = 8;
    std::string by;
    for (std::size_t i = 1; i < std::min(cycle.size(), kShown); ++i)
      by += (i == 1 ? ", by way of " : ", ") + name(cycle[i]);
    if (cycle.size() > kShown) by += fmt::format(" and {} more", cycle.size() - kShown);
    throw InputError(place(cycle[0]), fmt::format("{} waits for itself{}", name(cycle[0]), by));
  }
  Time sum;
  for (std::uint32_t node = 0; node < program.size(); ++node) {
    sum += program[node].delay;
    if (sum > kMaxTime)
      throw InputError(place(node), fmt::format("the delays so far add up to more than {}", format_value(kMaxTime)));
  }
}

}  // namespace weir::traffic
