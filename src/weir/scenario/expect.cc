#include <algorithm>
#include <limits>

#include "weir/scenario/build.h"
#include "weir/scenario/fidelity.h"

namespace weir::scenario {
namespace {

// Draws what Expected tells of the flows.
class Counter {
 public:
  Counter(const Scenario& s, const engine::Model& model, const std::vector<std::string>& tags,
          const std::function<void(const ExpectedFlow&)>& look)
      : s_(s), tags_(tags), look_(look), senders_(model.topology.hosts) {
    const auto& first = model.profiles.front();
    header_ = static_cast<double>(model.data_wire(first).count - s.transport.payload.count);
    for (const net::Link& link : model.topology.links)
      for (const std::uint32_t node : {link.a, link.b})
        if (node < senders_.size())
          senders_[node].bytes_per_ps += static_cast<double>(link.rate.bits_per_second) / 8e12;
  }

  void add(std::uint32_t src, std::uint32_t dst, Bytes size, std::optional<Time> start, std::size_t tag,
           std::size_t profile) {
    const auto packets =
        static_cast<std::uint64_t>((size.count + s_.transport.payload.count - 1) / s_.transport.payload.count);
    ++out.flows;
    out.packets += packets;
    if (__builtin_add_overflow(out.payload.count, size.count, &out.payload.count))
      out.payload = {std::numeric_limits<std::int64_t>::max()};
    if (start) out.last_start = std::max(out.last_start, *start);
    for (const std::uint64_t v : {std::uint64_t{src}, std::uint64_t{dst}, static_cast<std::uint64_t>(size.count),
                                  static_cast<std::uint64_t>(start ? start->ps : -1), std::uint64_t{tag}})
      mix(v);
    senders_[src].flows += 1;
    senders_[src].wire_bytes += static_cast<double>(size.count) + static_cast<double>(packets) * header_;
    if (look_) look_({src, dst, size, start, tags_.empty() ? "" : tags_[tag], s_.profiles[profile].name});
  }

  // Of messages that are made when they are due.
  void add(const traffic::MessageSums& sums) {
    out.flows += sums.messages;
    out.unlisted += sums.messages - sums.rows;
    out.at_once += sums.at_once;
    out.payload = saturating_sum(out.payload, sums.payload);
    const std::int64_t payload = s_.transport.payload.count;
    out.packets += std::max(sums.messages, static_cast<std::uint64_t>(sums.payload.count / payload));
    for (const std::uint64_t v :
         {sums.messages, static_cast<std::uint64_t>(sums.payload.count), std::uint64_t{sums.tag}})
      mix(v);
  }

  // Of each sender, the share of its flows that its links cannot have sent when the last one starts.
  void count_waiting() {
    const auto time = static_cast<double>(out.last_start.ps);
    for (const Sender& sender : senders_)
      if (const double sent = time * sender.bytes_per_ps; sender.wire_bytes > sent)
        out.most_waiting += sender.flows * (1 - sent / sender.wire_bytes);
  }

  Expected out;

 private:
  void mix(std::uint64_t v) { out.digest = (out.digest ^ v) * 0x9fb21c651e98df25ull + (out.digest >> 29); }

  struct Sender {
    double flows = 0;
    double wire_bytes = 0;
    double bytes_per_ps = 0;
  };
  const Scenario& s_;
  const std::vector<std::string>& tags_;
  const std::function<void(const ExpectedFlow&)>& look_;
  std::vector<Sender> senders_;
  double header_ = 0;
};

}  // namespace

Expected expect(const Scenario& s, const engine::Model& model, std::uint64_t max_flows,
                const std::function<void(const ExpectedFlow&)>& look) {
  const auto traffic = build_traffic(s, model);
  Counter counter(s, model, traffic->tags(), look);
  Expected& out = counter.out;
  if (!own_flows(s).empty())
    s.run.fidelity->for_each_flow(s, model, *traffic, [&](const traffic::Flow& f, bool waits) {
      counter.add(f.src, f.dst, f.size, waits ? std::nullopt : std::optional(f.start), f.tag, f.profile);
    });
  const traffic::Program& program = traffic->program();
  for (std::uint32_t node = 0; node < program.size(); ++node)
    if (const auto& n = program[node]; n.is_message())
      counter.add(n.src, n.dst, n.size, std::nullopt, n.tag, n.profile);
  for (const auto& driver : traffic->drivers())
    if (const auto sums = driver->sums()) counter.add(*sums);
  const Time stop = s.run.stop > Time{} ? s.run.stop : Time::max();
  const Time first = traffic->peek().value_or(Time{});
  while (const auto flow = traffic->next()) {
    if (flow->start >= stop) break;
    if (out.flows >= max_flows) {
      out.all = false;
      const Time end = std::min(stop, traffic->end());
      if (end < Time::max() && out.last_start > first)
        out.of_all = std::max(1.0, (end - first).seconds() / (out.last_start - first).seconds());
      break;
    }
    counter.add(flow->src, flow->dst, flow->size, flow->start, flow->tag, flow->profile);
  }
  counter.count_waiting();
  return out;
}

}  // namespace weir::scenario
