#include "weir/engine/endings/completion.h"

#include <algorithm>
#include <utility>

#include "weir/engine/endings/shared_links.h"

namespace weir::engine {
namespace {

using net::WideTime;

class Bounds {
 public:
  Bounds(const Model& model, const traffic::Program& program)
      : model_(model),
        program_(program),
        facts_(model),
        start_(program.size()),
        received_(program.size()),
        sent_(program.size()) {
    collect_waits();
    for (const std::uint32_t node : program.in_order()) visit(node);
  }

  CompletionBound of(const traffic::Program::Part& part) {
    WideEnds ends;
    SharedLinks links(model_);
    for (std::uint32_t node = part.first; node < part.end; ++node) {
      ends.move_to(received_[node], sent_[node]);
      if (const auto& n = program_[node]; n.is_message()) links.add(0, start_[node], n.src, n.dst, facts(n));
    }
    ends.move_to(links.ends().received, links.ends().acknowledged);
    return {net::saturated(ends.received), net::saturated(ends.acknowledged)};
  }

 private:
  const MessageFacts& facts(const traffic::Program::Node& n) { return facts_.of(n.src, n.dst, n.size, n.profile); }

  // By node: the messages whose receipt it waits for at its own host.
  void collect_waits() {
    first_.assign(program_.size() + std::size_t{1}, 0);
    for_each_receipt([this](std::uint32_t, std::uint32_t then) { ++first_[then + std::size_t{1}]; });
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    messages_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for_each_receipt([&](std::uint32_t node, std::uint32_t then) { messages_[next[then]++] = node; });
  }
  template <class Visit>
  void for_each_receipt(Visit&& visit) const {
    for (std::uint32_t node = 0; node < program_.size(); ++node) {
      if (!program_[node].is_message()) continue;
      for (const std::uint32_t then : program_.then(node, traffic::Event::received))
        if (program_[then].src == program_[node].dst) visit(node, then);
    }
  }

  // Works out the times of a node. All nodes that it waits for have been visited, and have moved its start.
  void visit(std::uint32_t node) {
    const auto& n = program_[node];
    if (first_[node + std::size_t{1}] - first_[node] > 1) {
      SharedLink down;
      const WideTime tail = facts_.least_delay_of_links(n.src).ps;
      for (std::size_t i = first_[node]; i < first_[node + std::size_t{1}]; ++i) {
        const MessageFacts& f = facts(program_[messages_[i]]);
        down.add(0, start_[messages_[i]] + f.down_head, f.down_work, tail, 0);
      }
      start_[node] = std::max(start_[node], down.ends().received);
    }
    if (n.is_message()) {
      start_[node] += n.delay.ps;
      const MessageFacts& f = facts(n);
      received_[node] = start_[node] + f.delivery.ps;
      sent_[node] = received_[node] + f.ack.ps;
    } else {
      received_[node] = sent_[node] = start_[node] + n.delay.ps;
    }
    const std::pair<traffic::Event, WideTime> events[] = {{traffic::Event::started, start_[node]},
                                                          {traffic::Event::sent, sent_[node]},
                                                          {traffic::Event::received, received_[node]}};
    for (const auto& [event, time] : events)
      for (const std::uint32_t then : program_.then(node, event)) start_[then] = std::max(start_[then], time);
  }

  const Model& model_;
  const traffic::Program& program_;
  FactsOfMessages facts_;
  std::vector<WideTime> start_;  // the earliest
  std::vector<WideTime> received_;
  std::vector<WideTime> sent_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> messages_;
};

}  // namespace

std::vector<CompletionBound> completion_bounds(const Model& model, const traffic::Program& program) {
  Bounds bounds(model, program);
  std::vector<CompletionBound> out;
  for (const auto& part : program.parts()) out.push_back(bounds.of(part));
  return out;
}

}  // namespace weir::engine
