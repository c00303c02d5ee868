#include "weir/engine/completion.h"

#include <algorithm>
#include <utility>

namespace weir::engine {
namespace {

// A message on a link that others use as well.
struct Use {
  Time head;
  Time work;
};

// The end of serving them one after the other, sooner ones first.
Time served(std::vector<Use>& uses) {
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.head < b.head; });
  Time end;
  for (const Use& u : uses) end = std::max(end, u.head) + u.work;
  return end;
}

// What the empty network makes of a message.
struct Facts {
  Time delivery;
  Time ack;        // its way back
  Time up_work;    // transmissions of its packets by the host's link
  Time up_tail;    // from the end of these to the receipt of the last packet
  Time down_head;  // from its start until its first packet stands at the receiver's link
  Time down_work;
  Time down_tail;
};

class Bounds {
 public:
  Bounds(const Model& model, const traffic::Program& program)
      : model_(model),
        program_(program),
        framing_(host::framing_without_int(model.transport)),
        start_(program.size()),
        received_(program.size()),
        sent_(program.size()) {
    collect_waits();
    for (const std::uint32_t node : program.in_order()) visit(node);
  }

  CompletionBound of(const traffic::Program::Part& part) const {
    CompletionBound out;
    struct Link {
      std::vector<Use> uses;
      Time tail = Time::max();
      Time tail_and_ack = Time::max();
      void add(Time head, Time work, Time rest, Time ack) {
        uses.push_back({head, work});
        tail = std::min(tail, rest);
        tail_and_ack = std::min(tail_and_ack, rest + ack);
      }
    };
    std::vector<Link> up(model_.topology.hosts);
    std::vector<Link> down(model_.topology.hosts);
    for (std::uint32_t node = part.first; node < part.end; ++node) {
      out.received = std::max(out.received, received_[node]);
      out.acknowledged = std::max(out.acknowledged, sent_[node]);
      const auto& n = program_[node];
      if (!n.is_message()) continue;
      const Facts f = facts(n);
      up[n.src].add(start_[node], f.up_work, f.up_tail, f.ack);
      down[n.dst].add(start_[node] + f.down_head, f.down_work, f.down_tail, f.ack);
    }
    for (auto* links : {&up, &down})
      for (Link& link : *links) {
        if (link.uses.empty()) continue;
        const Time end = served(link.uses);
        out.received = std::max(out.received, end + link.tail);
        out.acknowledged = std::max(out.acknowledged, end + link.tail_and_ack);
      }
    return out;
  }

 private:
  const net::Link& link_of(std::uint32_t host) const {
    return model_.topology.links[model_.routing.host_port(host) / 2];
  }

  Facts facts(const traffic::Program::Node& n) const {
    const std::int64_t packets = (n.size.count + framing_.payload.count - 1) / framing_.payload.count;
    const Bytes full = framing_.payload + framing_.header;
    const Bytes last = n.size - (packets - 1) * framing_.payload + framing_.header;
    const Bytes first = packets > 1 ? full : last;
    const net::Link& up = link_of(n.src);
    const net::Link& down = link_of(n.dst);
    const auto work = [&](Rate rate) {
      return (packets - 1) * transmission_time(full, rate) + transmission_time(last, rate);
    };
    return {.delivery = model_.paths.delivery(n.src, n.dst, n.size, framing_),
            .ack = model_.paths.one_way(n.dst, n.src, framing_.ack),
            .up_work = work(up.rate),
            .up_tail = model_.paths.one_way(n.src, n.dst, last) - transmission_time(last, up.rate),
            .down_head = model_.paths.one_way(n.src, n.dst, first) - transmission_time(first, down.rate) - down.delay,
            .down_work = work(down.rate),
            .down_tail = down.delay};
  }

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

  // All that the node waits for has been visited, and has moved its start.
  void visit(std::uint32_t node) {
    const auto& n = program_[node];
    if (first_[node + std::size_t{1}] - first_[node] > 1) {
      std::vector<Use> uses;
      for (std::size_t i = first_[node]; i < first_[node + std::size_t{1}]; ++i) {
        const Facts f = facts(program_[messages_[i]]);
        uses.push_back({start_[messages_[i]] + f.down_head, f.down_work});
      }
      start_[node] = std::max(start_[node], served(uses) + link_of(n.src).delay);
    }
    if (n.is_message()) {
      start_[node] += n.delay;
      const Facts f = facts(n);
      received_[node] = start_[node] + f.delivery;
      sent_[node] = received_[node] + f.ack;
    } else {
      received_[node] = sent_[node] = start_[node] + n.delay;
    }
    const std::pair<traffic::Event, Time> events[] = {{traffic::Event::started, start_[node]},
                                                      {traffic::Event::sent, sent_[node]},
                                                      {traffic::Event::received, received_[node]}};
    for (const auto& [event, time] : events)
      for (const std::uint32_t then : program_.then(node, event)) start_[then] = std::max(start_[then], time);
  }

  const Model& model_;
  const traffic::Program& program_;
  const net::Framing framing_;
  std::vector<Time> start_;  // the earliest
  std::vector<Time> received_;
  std::vector<Time> sent_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> messages_;
};

}  // namespace

std::vector<CompletionBound> completion_bounds(const Model& model, const traffic::Program& program) {
  const Bounds bounds(model, program);
  std::vector<CompletionBound> out;
  for (const auto& part : program.parts()) out.push_back(bounds.of(part));
  return out;
}

}  // namespace weir::engine
