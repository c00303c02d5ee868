#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "weir/base/params.h"
#include "weir/base/text.h"
#include "weir/engine/endings/completion.h"
#include "weir/probe/anatomy_probe.h"
#include "weir/probe/summary.h"
#include "weir/probe/view_probe.h"

namespace weir::probe {
namespace {

std::string us(Time t) { return fmt::format("{:.3f} us", static_cast<double>(t.ps) * 1e-6); }

class Text {
 public:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void head(std::string_view title) {
    line("{:<22} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}", title, "count", "mean", "p50", "p95", "p99",
         "p99.9", "max");
  }
  void row(std::string_view name, const Distribution& d, int digits) {
    if (d.count == 0) return;
    const auto percentile = [&](unsigned thousandths, double value) {
      has_gaps_ = has_gaps_ || is_the_largest(d.count, thousandths);
      return percentile_text(d.count, thousandths, value, digits);
    };
    line("  {:<20} {:>10} {:>10.{w}f} {:>10} {:>10} {:>10} {:>10} {:>10.{w}f}", name, d.count, d.mean,
         percentile(500, d.p50), percentile(950, d.p95), percentile(990, d.p99), percentile(999, d.p999), d.max,
         fmt::arg("w", digits));
  }
  // After the last row.
  void explain_gaps() {
    if (has_gaps_) line("{}", kPercentileGap);
  }
  // One row would only repeat what all of them say.
  void rows(std::string_view title, const std::vector<NamedDistribution>& rows, int digits) {
    if (rows.size() < 2) return;
    line(" {}", title);
    for (const auto& r : rows) row(one_line(r.name), r.values, digits);
  }
  void rows(const std::vector<SizeBucket>& rows) {
    for (const auto& r : rows)
      row(r.up_to == SizeBucket::kNoLimit ? "> " + format_value(r.above) : "<= " + format_value(r.up_to), r.slowdown,
          2);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool has_gaps_ = false;
};

std::string ended(std::uint64_t finished, std::uint64_t unfinished, std::string_view what) {
  return fmt::format("{} {}{} finished, {} unfinished", finished, what, finished == 1 ? "" : "s", unfinished);
}

// What has come to its end: flows, and messages that are none of them.
std::string ended(const FlowSummary& f, const std::vector<CollectiveSummary>& collectives) {
  std::uint64_t finished = 0;
  std::uint64_t unfinished = 0;
  for (const CollectiveSummary& c : collectives) {
    if (c.unlisted == 0) continue;
    finished += c.messages - c.unfinished;
    unfinished += c.unfinished;
  }
  const bool has_flows = f.finished + f.unfinished > 0;
  if (finished + unfinished == 0) return ended(f.finished, f.unfinished, "flow");
  const std::string messages = ended(finished, unfinished, "message");
  return has_flows ? fmt::format("{}, and {}", ended(f.finished, f.unfinished, "flow"), messages) : messages;
}

void flows(Text& out, const FlowSummary& f, const std::vector<CollectiveSummary>& collectives, Time sim_time) {
  out.line("{}, in {} of simulated time", ended(f, collectives), us(sim_time));
  if (f.retransmitted_packets > 0) out.line("{} packets retransmitted", f.retransmitted_packets);
  if (f.finished == 0) return;
  out.line("completion time: mean {}, max {}", us(f.mean_fct), us(f.max_fct));
  out.line("");
  out.head(f.ideal == net::IdealFct::hpcc ? "slowdown (HPCC)" : "slowdown");
  out.row("all", f.slowdown, 2);
  out.rows("by tag", f.by_tag, 2);
  out.rows("by algorithm", f.by_algorithm, 2);
  out.line(" by size");
  out.rows(f.by_size);
  if (f.by_equal_count.empty()) return;
  out.line("");
  out.head("slowdown, equal counts");
  out.rows(f.by_equal_count);
}

// What is above the bound is a collective's own, unless others are at the same hosts.
std::string beyond(const std::optional<double>& excess, Time bound, std::string_view of) {
  return excess ? fmt::format(", {:.2f} % above {}{}", 100 * *excess, of, us(bound)) : "";
}

// Why no excess is told.
std::string no_excess(const CollectiveSummary& c) {
  if (c.bound == Time{})
    return c.messages > engine::kMostMessagesOfBounds
               ? fmt::format(", no bound: more than {} messages", engine::kMostMessagesOfBounds)
               : "";
  return c.shares_hosts_with.empty() ? ""
                                     : fmt::format(", alone it takes at least {}, but it shares hosts with {}",
                                                   us(c.bound), fmt::join(c.shares_hosts_with, ", "));
}

void collective(Text& out, const CollectiveSummary& c) {
  // the kind is the tag of those that have no other
  const std::string name = c.tag == "collective" ? c.tag : "collective " + c.tag;
  const std::string messages = fmt::format("{} message{}", c.messages, c.messages == 1 ? "" : "s");
  if (!c.start) {
    out.line("{}: {}, not started", name, messages);
  } else if (!c.completion) {
    out.line("{}: {} of {} unfinished{}", name, c.unfinished, messages,
             c.bound > Time{} ? fmt::format("; at least {} are needed", us(c.bound)) : "");
  } else {
    out.line("{}: {}, received after {}{}", name, messages, us(*c.completion),
             c.excess() ? beyond(c.excess(), c.bound, "the bound of ") : no_excess(c));
    out.line("  acknowledged after {}{}", us(*c.acknowledged),
             beyond(c.acknowledged_excess(), c.acknowledged_bound, ""));
    for (const ActivitySummary& a : c.activities)
      out.line("  {:<20} {:5.1f} % of the time in the mean, longest at host {}: {}", a.name,
               100 * a.mean.seconds() / c.completion->seconds(), a.host, us(a.longest));
    if (c.bus_bandwidth())
      out.line("  algorithm bandwidth {:.3f} Gbit/s, bus bandwidth {:.3f} Gbit/s ({:.3f} GB/s)",
               *c.algorithm_bandwidth() / 1e9, *c.bus_bandwidth() / 1e9, *c.bus_bandwidth() / 8e9);
  }
}

void fast_forward(Text& out, const engine::FastForwardReport& r) {
  const bool of_messages = r.messages > 0;
  if (of_messages)
    out.line("{} of {} messages skipped, {} times unforeseen others", r.skipped, r.messages, r.unforeseen);
  else
    out.line("{} spans left out, in which all flows were steady, {} in all", r.spans, us(r.skipped_time));
  if (r.checked == 0)
    out.line("  none was checked");
  else
    out.line("  {} checked: {} are off by {:.2f} % in the mean, {:.2f} % at most", r.checked,
             of_messages ? "times until receipt" : "flows' bytes", 100 * r.mean_error, 100 * r.worst_error);
}

std::string port_text(const PortName& p) {
  return fmt::format("{} -> {} (port {}, {})", p.from, p.to, p.port, p.group);
}

void queue_lines(Text& out, const QueueSummary& q) {
  out.line("");
  out.head("queues, bytes");
  out.row("all ports", q.all, 0);
  out.rows("by direction", q.by_direction, 0);
  if (q.busiest) out.row("the busiest port", q.busiest_port, 0);
  if (!q.peak) return;
  const QueuePeak& p = *q.peak;
  if (q.busiest) out.line("busiest: {}", port_text(*q.busiest));
  const bool is_sampled = q.interval > Time{};
  const std::string_view counted =
      q.of_packets ? "for any packet; counts are packets" : "at any time; counts are picoseconds";
  out.line("longest: {} bytes at {}, {}, of {} ports {}", p.bytes, us(p.time), port_text(p.port), q.ports,
           is_sampled ? "sampled every " + us(q.interval) : std::string(counted));
  if (!p.has_flows) return;
  constexpr std::size_t kShown = 4;
  std::string in;
  std::uint64_t told = p.ended_bytes;
  const std::size_t shown = std::min(kShown, p.top.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& s = p.top[i];
    in += fmt::format("{}flow {} ({} -> {}) {}", i == 0 ? "" : ", ", s.flow, s.src, s.dst, s.bytes);
    told += s.bytes;
  }
  const std::uint64_t others = p.top.size() - shown + p.other_flows;
  if (others > 0) in += fmt::format(", {} other flows {}", others, p.bytes - told);
  if (p.ended_bytes > 0) in += fmt::format("{}flows that had ended {}", in.empty() ? "" : ", ", p.ended_bytes);
  out.line("  of these bytes: {}", in);
  if (p.by_tag.size() < 2) return;
  in.clear();
  for (const auto& s : p.by_tag)
    in += fmt::format("{}{} {} in {} flow{}", in.empty() ? "" : ", ", s.tag, s.bytes, s.flows, s.flows == 1 ? "" : "s");
  out.line("  by tag: {}", in);
}

// Figures of a probe that has no words for them: one that a program has added.
std::string figures_of(const Section& section) {
  std::string out = section.probe;
  for (const auto& [key, number] : section.figures) {
    out += fmt::format("{} {} ", out == section.probe ? ":" : ",", key);
    const auto* real = std::get_if<double>(&number);
    out += real != nullptr ? fmt::format("{:.7g}", *real) : fmt::format("{}", std::get<std::int64_t>(number));
  }
  return out;
}

std::string section_text(const Section& section) {
  if (section.probe == AnatomyProbe::kName) return AnatomyProbe::in_words(section);
  if (section.probe == ViewProbe::kName) return ViewProbe::in_words(section);
  return figures_of(section);
}

}  // namespace

std::string percentile_text(std::uint64_t count, unsigned thousandths, double value, int digits) {
  return is_the_largest(count, thousandths) ? "-" : fmt::format("{:.{}f}", value, digits);
}

std::string to_text(const Summary& s) {
  Text out;
  flows(out, s.flows, s.collectives, s.sim_time);
  if (!s.collectives.empty()) out.line("");
  for (const auto& c : s.collectives) collective(out, c);
  if (s.fast_forward) fast_forward(out, *s.fast_forward);
  if (s.queues) queue_lines(out, *s.queues);
  out.explain_gaps();
  if (s.fairness || s.pfc || s.links || !s.sections.empty()) out.line("");
  if (s.fairness) {
    if (s.fairness->intervals > 0)
      out.line("fairness: Jain's index {:.4f} on average, {:.4f} at worst", s.fairness->mean_jain,
               s.fairness->min_jain);
    out.line("convergence: {}",
             s.fairness->convergence ? us(*s.fairness->convergence) + " after the last start" : "not reached");
  }
  if (s.pfc)
    out.line("PFC: {} pauses, {} in all, {:.4f} % of the ports' time", s.pfc->all.pauses, us(s.pfc->all.paused),
             100 * s.pfc->all.share);
  if (s.pfc && s.pfc->all.storms > 0)
    out.line("PFC watchdog: {} storms, {} packets dropped", s.pfc->all.storms, s.pfc->all.storm_dropped);
  if (s.links) {
    out.line(
        "links: {:.2f} % used, the busiest {:.2f} %; switches marked {} packets and dropped {}, observed links lost {}",
        100 * s.links->all.utilisation, 100 * s.links->all.max_utilisation, s.links->marked_packets,
        s.links->dropped_packets, s.links->lost_packets);
  }
  for (const Section& section : s.sections) out.line("{}", section_text(section));
  return out.take();
}

}  // namespace weir::probe
