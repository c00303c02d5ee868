#include "weir/engine/endings/completion.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "weir/net/model/cuts.h"
#include "weir/net/model/path_graph.h"

namespace weir::engine {
namespace {

using net::kNever;
using net::WideTime;

// A message on a link that others use as well.
struct Use {
  WideTime head;
  WideTime work;
};

// The end of serving them one after the other, sooner ones first.
WideTime served(std::vector<Use>& uses) {
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.head < b.head; });
  WideTime end = 0;
  for (const Use& u : uses) end = std::max(end, u.head) + u.work;
  return end;
}

// What a message asks of a link, or of all links of a cut taken as one.
struct Demand {
  std::size_t link;  // among those of its kind
  WideTime head;
  WideTime work;
  WideTime tail;
  WideTime ack;
};
struct Shared {
  std::vector<Use> uses;
  WideTime tail = kNever;
  WideTime tail_and_ack = kNever;

  void add(const Demand& d) {
    uses.push_back({d.head, d.work});
    tail = std::min(tail, d.tail);
    tail_and_ack = std::min(tail_and_ack, d.tail + d.ack);
  }
};

// What the empty network makes of a message.
struct Facts {
  WideTime delivery;
  WideTime ack;        // its way back
  WideTime up_work;    // transmissions of its packets by the host's link
  WideTime up_tail;    // from the end of these to the receipt of the last packet
  WideTime down_head;  // from its start until its first packet stands at the receiver's link
  WideTime down_work;
  WideTime down_tail;
  WideTime cut_head;  // from its start until its first packet has left the host's link
  WideTime cut_bits;  // of all packets
  WideTime cut_tail;  // of its last packet on the receiver's link
};

class Bounds {
 public:
  Bounds(const Model& model, const traffic::Program& program)
      : model_(model),
        program_(program),
        divisions_(net::narrow_divisions(model.topology)),
        start_(program.size()),
        received_(program.size()),
        sent_(program.size()) {
    collect_waits();
    for (const std::uint32_t node : program.in_order()) visit(node);
  }

  CompletionBound of(const traffic::Program::Part& part) const {
    Done done;
    for (std::uint32_t node = part.first; node < part.end; ++node) done.move_to(received_[node], sent_[node]);
    const std::size_t hosts = model_.topology.hosts;
    share(part, hosts, done, [&](std::uint32_t node, const Facts& f) {
      return std::optional(Demand{program_[node].src, start_[node], f.up_work, f.up_tail, f.ack});
    });
    share(part, hosts, done, [&](std::uint32_t node, const Facts& f) {
      return std::optional(Demand{program_[node].dst, start_[node] + f.down_head, f.down_work, f.down_tail, f.ack});
    });
    for (const net::Division& d : divisions_)
      for (const auto end : {&traffic::Program::Node::src, &traffic::Program::Node::dst})
        share(part, d.capacity.size(), done, [&](std::uint32_t node, const Facts& f) {
          const auto& n = program_[node];
          if (d.group[n.src] == d.group[n.dst]) return std::optional<Demand>{};
          const std::uint32_t group = d.group[n.*end];
          const WideTime work = f.cut_bits * kPicosecondsPerSecond / d.capacity[group].bits_per_second;
          return std::optional(Demand{group, start_[node] + f.cut_head, work, f.cut_tail, f.ack});
        });
    return {net::saturated(done.received), net::saturated(done.acknowledged)};
  }

 private:
  struct Done {
    WideTime received = 0;
    WideTime acknowledged = 0;
    void move_to(WideTime r, WideTime a) {
      received = std::max(received, r);
      acknowledged = std::max(acknowledged, a);
    }
  };

  // Not before all messages that ask for it have been served by links of one kind, of which there are so many.
  template <class DemandOf>
  void share(const traffic::Program::Part& part, std::size_t links, Done& done, DemandOf&& demand_of) const {
    std::vector<Shared> shared(links);
    for (std::uint32_t node = part.first; node < part.end; ++node) {
      if (!program_[node].is_message()) continue;
      if (const std::optional<Demand> d = demand_of(node, facts(program_[node]))) shared[d->link].add(*d);
    }
    for (Shared& s : shared) {
      if (s.uses.empty()) continue;
      const WideTime end = served(s.uses);
      done.move_to(end + s.tail, end + s.tail_and_ack);
    }
  }

  // The links of a host: their rates together, and the rate of the slowest and of the fastest one and the least and the
  // longest delay.
  struct HostLinks {
    Rate rate;
    Rate slowest{std::numeric_limits<std::int64_t>::max()};
    Rate fastest;
    Time least_delay = Time::max();
    Time longest_delay;
    auto operator<=>(const HostLinks&) const = default;
  };
  HostLinks links_of(std::uint32_t host) const {
    HostLinks out;
    for (const std::uint32_t port : model_.routing.ports_of(host)) {
      const net::Link& link = model_.topology.links[port / 2];
      out.rate = out.rate + link.rate;
      out.slowest = std::min(out.slowest, link.rate);
      out.fastest = std::max(out.fastest, link.rate);
      out.least_delay = std::min(out.least_delay, link.delay);
      out.longest_delay = std::max(out.longest_delay, link.delay);
    }
    return out;
  }

  // The same for all messages of one size and profile between hosts of two attachments by host links that are alike.
  const Facts& facts(const traffic::Program::Node& n) const {
    const Key key{model_.routing.attachment(n.src),
                  model_.routing.attachment(n.dst),
                  n.size.count,
                  n.profile,
                  links_of(n.src),
                  links_of(n.dst)};
    const auto known = facts_.find(key);
    return known != facts_.end() ? known->second : facts_.emplace(key, work_out(n)).first->second;
  }

  Facts work_out(const traffic::Program::Node& n) const {
    const net::Framing framing = model_.framing_without_int(model_.profiles[n.profile]);
    const std::int64_t packets = (n.size.count + framing.payload.count - 1) / framing.payload.count;
    const Bytes full = framing.payload + framing.header;
    const Bytes last = n.size - (packets - 1) * framing.payload + framing.header;
    const HostLinks up = links_of(n.src);
    const HostLinks down = links_of(n.dst);
    const auto work = [&](Rate rate) {
      return (packets - 1) * WideTime{transmission_time(full, rate).ps} + transmission_time(last, rate).ps;
    };
    const auto one_way = [&](Bytes wire) { return model_.paths.least_one_way(n.src, n.dst, wire); };
    // Packets that take several paths may overtake each other.
    const Bytes first = packets > 1 && !framing.sprayed ? full : last;
    return {.delivery = model_.paths.delivery(n.src, n.dst, n.size, framing).ps,
            .ack = model_.paths.least_one_way(n.dst, n.src, framing.ack).ps,
            .up_work = work(up.rate),
            .up_tail = (one_way(last) - transmission_time(last, up.slowest)).ps,
            .down_head = (one_way(first) - transmission_time(first, down.slowest) - down.longest_delay).ps,
            .down_work = work(down.rate),
            .down_tail = down.least_delay.ps,
            .cut_head = (up.least_delay + transmission_time(first, up.fastest)).ps,
            .cut_bits = ((packets - 1) * WideTime{full.count} + last.count) * 8,
            .cut_tail = (down.least_delay + transmission_time(last, down.fastest)).ps};
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
        const Facts& f = facts(program_[messages_[i]]);
        uses.push_back({start_[messages_[i]] + f.down_head, f.down_work});
      }
      start_[node] = std::max(start_[node], served(uses) + links_of(n.src).least_delay.ps);
    }
    if (n.is_message()) {
      start_[node] += n.delay.ps;
      const Facts& f = facts(n);
      received_[node] = start_[node] + f.delivery;
      sent_[node] = received_[node] + f.ack;
    } else {
      received_[node] = sent_[node] = start_[node] + n.delay.ps;
    }
    const std::pair<traffic::Event, WideTime> events[] = {{traffic::Event::started, start_[node]},
                                                          {traffic::Event::sent, sent_[node]},
                                                          {traffic::Event::received, received_[node]}};
    for (const auto& [event, time] : events)
      for (const std::uint32_t then : program_.then(node, event)) start_[then] = std::max(start_[then], time);
  }

  using Key = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::uint16_t, HostLinks, HostLinks>;

  const Model& model_;
  const traffic::Program& program_;
  mutable std::map<Key, Facts> facts_;
  const std::vector<net::Division> divisions_;
  std::vector<WideTime> start_;  // the earliest
  std::vector<WideTime> received_;
  std::vector<WideTime> sent_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> messages_;
};

}  // namespace

CompletionBound completion_bound(const Model& model, const DriverReport& report) {
  CompletionBound out;
  Time busiest;
  Time back;
  for (const auto& [message, delay] : report.chain) {
    const net::Framing framing = model.framing_without_int(model.profiles[message.profile]);
    const Time delivery = model.paths.delivery(message.src, message.dst, message.size, framing);
    out.received = saturating_sum(out.received, saturating_sum(delay, delivery));
    busiest = std::max(busiest, transmission_time(report.sums.each, model.routing.rate_of_host(message.src)));
    back = model.paths.least_one_way(message.dst, message.src, framing.ack);
  }
  const Time start = report.chain.empty() ? Time{} : report.chain.front().delay;
  out.received =
      std::max({out.received, saturating_sum(start, busiest),
                saturating_sum(report.sums.start == Time::max() ? Time{} : report.sums.start, report.sums.least)});
  out.acknowledged = saturating_sum(out.received, back);
  return out;
}

std::vector<CompletionBound> completion_bounds(const Model& model, const traffic::Program& program) {
  const Bounds bounds(model, program);
  std::vector<CompletionBound> out;
  for (const auto& part : program.parts()) out.push_back(bounds.of(part));
  return out;
}

}  // namespace weir::engine
