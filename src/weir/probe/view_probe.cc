#include "weir/probe/view_probe.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>

#include "weir/base/csv.h"
#include "weir/engine/model/model.h"
#include "weir/host/transport.h"
#include "weir/view/outages.h"

namespace weir::probe {
namespace {

constexpr net::EventKinds kWanted = static_cast<net::EventKinds>(net::kNotOnWire) | net::kind_bit(net::EventKind::did);

Section section_of(Time interval, Time queue_interval, std::uint64_t omitted_pauses, std::uint64_t omitted_events,
                   const view::HostActivities& activities, std::uint32_t hosts_per_server) {
  return {.probe = std::string(ViewProbe::kName),
          .figures = {{"interval_ps", interval.ps},
                      {"queue_interval_ps", queue_interval.ps},
                      {"omitted_pauses", static_cast<std::int64_t>(omitted_pauses)},
                      {"omitted_events", static_cast<std::int64_t>(omitted_events)},
                      {"omitted_activities", static_cast<std::int64_t>(activities.omitted())},
                      {"activities_within_ps", activities.span().ps},
                      {"hosts_per_server", std::int64_t{hosts_per_server}}}};
}

}  // namespace

std::string ViewProbe::in_words(const Section& section) {
  const auto figure = [&](std::size_t i) { return std::get<std::int64_t>(section.figures[i].second); };
  std::string out = fmt::format("view: ports and flows in steps of {}, queues looked at every {}",
                                format_value(Time{figure(0)}), format_value(Time{figure(1)}));
  if (figure(2) > 0) out += fmt::format("; {} pauses too many are left out", figure(2));
  if (figure(3) > 0) out += fmt::format("; {} packets that were dropped, trimmed or lost are left out", figure(3));
  if (figure(4) > 0) out += fmt::format("; {} activities of hosts too many are left out", figure(4));
  if (figure(5) > 0) out += fmt::format("; what hosts did within {} is put together", format_value(Time{figure(5)}));
  return out;
}

void ViewProbe::check(const Params& params, const Checks& checks) {
  checks.of_key("flows", [&] { parse_ids(params.flows); });
}

void ViewProbe::add_possible(const Params& params, const Setting&, Summary& summary) {
  summary.sections.push_back(section_of(params.interval, params.queue_interval, 0, 0, {}, 1));
}

ViewProbe::ViewProbe(const Params& params, const Context& context)
    : params_(params),
      engine_(context.engine),
      tags_(context.tags),
      out_(context.out),
      chosen_(parse_ids(params.flows)),
      series_(engine_.network().ports(), params.interval),
      pauses_(model_of(engine_)),
      courses_(model_of(engine_), params.interval),
      queues_(engine_.network().ports()),
      queue_interval_(params.queue_interval) {
  if (out_ == nullptr) return;
  paths_.emplace(out_->table("view_paths.csv"));
  engine_.trace(
      {.ports = {}, .from = {}, .kinds = kWanted, .arrivals_at_switches = false, .passes_over_others = true},
      [this](net::TraceEvents events) { add(events); }, net::Telling::beside);
  engine_.every(params.queue_interval, [this](Time now) { engine_.after_trace([this, now] { look(now); }); });
}

void ViewProbe::add(net::TraceEvents events) {
  using net::EventKind;
  for (const net::TraceEvent& event : events) {
    if ((kWanted & net::kind_bit(event.kind)) == 0) continue;
    if (event.kind == EventKind::did) {
      activities_.add(event);
      continue;
    }
    if (!net::is_of_flow(event.kind) && event.kind != EventKind::arrived) {
      if (event.kind != EventKind::lost) series_.add(event);
      queues_.add(event);
      pauses_.add(event);
      if (event.kind == EventKind::dropped || event.kind == EventKind::trimmed || event.kind == EventKind::lost) {
        if (events_.size() < kMostEvents)
          events_.push_back({event.time, event.kind, event.port, event.flow, event.packet.seq});
        else
          ++omitted_events_;
      }
    }
    if (traffic::is_listed(event.flow)) courses_.add(event);
  }
}

// Whose packets are in the queues. Messages that are no rows of the results count with all others.
void ViewProbe::look(Time now) {
  if (now.ps % queue_interval_.ps != 0) return;
  for (std::uint32_t port = 0; port < queues_.ports(); ++port) {
    if (queues_.is_empty(port)) continue;
    std::uint32_t others = 0;
    for (const view::QueueShare& share : queues_.of(port))
      if (traffic::is_listed(share.flow))
        shares_.push_back({now, port, share.bytes, share.flow});
      else
        others += share.bytes;
    if (others != 0) shares_.push_back({now, port, others, net::kNoFlow});
  }
  while (shares_.size() > kMostShares) {
    queue_interval_ = queue_interval_ * 2;
    std::erase_if(shares_, [&](const Share& share) { return share.time.ps % queue_interval_.ps != 0; });
  }
}

void ViewProbe::end(const host::FlowRecord& r) {
  if (out_ == nullptr) return;
  auto& ended = courses_.ended();
  const auto at = std::find_if(ended.begin(), ended.end(), [&](const view::Course& c) { return c.id == r.id; });
  if (at == ended.end()) return;
  view::Course course = std::move(*at);
  ended.erase(at);
  write_path(course, false);
  const engine::Model& model = model_of(engine_);
  const net::Framing bare = model.framing_without_int(model.profiles[r.profile]);
  const Time ideal = model.paths.ideal_fct(r.src, r.dst, r.size, bare);
  keep(std::move(course), static_cast<double>((r.finish - r.start).ps) / static_cast<double>(ideal.ps));
}

void ViewProbe::keep(view::Course course, double slowdown) {
  const auto is_worse = [](const Followed& a, const Followed& b) {
    return a.slowdown != b.slowdown ? a.slowdown > b.slowdown : a.course.id < b.course.id;
  };
  // The heap of those that are there for their slowdown stands first.
  const auto heap_end = [&] {
    return std::find_if(followed_.begin(), followed_.end(), [](const Followed& f) { return f.is_chosen; });
  };
  if (contains(chosen_, course.id)) {
    followed_.push_back({slowdown, true, std::move(course)});
    return;
  }
  const auto heap = static_cast<std::size_t>(heap_end() - followed_.begin());
  if (params_.follow == 0) return;
  Followed one{slowdown, false, std::move(course)};
  if (heap < params_.follow) {
    followed_.insert(followed_.begin() + static_cast<std::ptrdiff_t>(heap), std::move(one));
    std::push_heap(followed_.begin(), followed_.begin() + static_cast<std::ptrdiff_t>(heap) + 1, is_worse);
  } else if (is_worse(one, followed_.front())) {
    std::pop_heap(followed_.begin(), followed_.begin() + static_cast<std::ptrdiff_t>(heap), is_worse);
    followed_[heap - 1] = std::move(one);
    std::push_heap(followed_.begin(), followed_.begin() + static_cast<std::ptrdiff_t>(heap), is_worse);
  }
}

std::optional<view::Course> ViewProbe::course(std::uint64_t flow) const {
  std::optional<view::Course> out;
  for (const Followed& f : followed_)
    if (f.course.id == flow) out = f.course;
  courses_.for_each_active([&](const view::Course& course) {
    if (course.id == flow) out = course;
  });
  if (out) out->close();
  return out;
}

void ViewProbe::write_path(const view::Course& course, bool all) {
  const bool is_short = course.ports.size() <= kPorts;
  if (is_short == all) return;
  for (const view::PortBytes& used : course.ports) paths_->print("{},{},{}\n", course.id, used.port, used.bytes);
}

Section ViewProbe::section() const {
  return section_of(series_.interval(), queue_interval_, pauses_.omitted(), omitted_events_, activities_,
                    model_of(engine_).topology.hosts_per_server);
}

void ViewProbe::finish(Summary& summary) {
  if (out_ != nullptr) {
    series_.finish(engine_.now());
    // A flow that has not ended has been slow at least for as long as it takes.
    const engine::Model& model = model_of(engine_);
    std::unordered_map<std::uint64_t, double> slowdown_of;
    engine_.for_each_active([&](const host::FlowView& flow) {
      const net::Framing bare = model.framing_without_int(model.profiles[flow.profile]);
      const Time ideal = model.paths.ideal_fct(flow.src, flow.dst, flow.size, bare);
      slowdown_of[flow.id] = static_cast<double>((engine_.now() - flow.start).ps) / static_cast<double>(ideal.ps);
    });
    courses_.for_each_active([&](view::Course& course) {
      course.close();
      write_path(course, false);
      keep(course, slowdown_of[course.id]);
    });
    std::sort(followed_.begin(), followed_.end(),
              [](const Followed& a, const Followed& b) { return a.course.id < b.course.id; });
    for (const Followed& f : followed_) write_path(f.course, true);
    paths_->close();
    write_ports(*out_);
    write_series(*out_);
    write_queues(*out_);
    write_pauses(*out_);
    write_events(*out_);
    write_courses(*out_);
    write_activities(*out_);
    write_outages(*out_);
  }
  summary.sections.push_back(section());
}

void ViewProbe::write_ports(ResultDirectory& out) const {
  ResultFile file = out.table("view_ports.csv");
  const net::Topology& t = model_of(engine_).topology;
  for (std::uint32_t port = 0; port < t.ports(); ++port) {
    const net::Link& link = t.links[port / 2];
    file.print("{},{},{},{},{},{}\n", port, t.port_owner(port), t.port_peer(port), t.tier[t.port_owner(port)],
               link.rate.bits_per_second, link.delay.ps);
  }
  file.close();
}

void ViewProbe::write_series(ResultDirectory& out) const {
  ResultFile file = out.table("view_series.csv");
  fmt::memory_buffer row;  // there can be a million of them
  for (const view::PortBin& b : series_.rows()) {
    row.clear();
    fmt::format_to(fmt::appender(row), FMT_COMPILE("{},{},{},{},{},{},{},{}\n"),
                   (series_.interval() * std::int64_t{b.bin}).ps, b.port, b.sent, b.queue, b.marked, b.dropped,
                   b.trimmed, b.paused_ps);
    file.write({row.data(), row.size()});
  }
  file.close();
}

void ViewProbe::write_queues(ResultDirectory& out) const {
  ResultFile file = out.table("view_queues.csv");
  for (const Share& s : shares_) {
    file.print("{},{},", s.time.ps, s.port);
    if (s.flow != net::kNoFlow) file.print("{}", s.flow);
    file.print(",{}\n", s.bytes);
  }
  file.close();
}

void ViewProbe::write_pauses(ResultDirectory& out) const {
  ResultFile file = out.table("view_pauses.csv");
  for (const view::PauseRow& p : pauses_.rows()) {
    file.print("{},{},{},", p.from.ps, p.port, p.of_class);
    if (p.until != Time::max()) file.print("{}", p.until.ps);
    file.write(",");
    if (p.by != view::kNone) file.print("{}", p.by);
    file.print(",{},", p.by_bytes);
    if (p.parent != view::kNone) file.print("{}", p.parent);
    file.write("\n");
  }
  file.close();
}

void ViewProbe::write_events(ResultDirectory& out) const {
  ResultFile file = out.table("view_events.csv");
  for (const Event& e : events_) {
    file.print("{},{},{},", e.time.ps, net::name_of(e.kind), e.port);
    if (traffic::is_listed(e.flow)) file.print("{}", e.flow);
    file.print(",{}\n", e.seq);
  }
  file.close();
}

void ViewProbe::write_courses(ResultDirectory& out) const {
  ResultFile file = out.table("view_courses.csv");
  for (const Followed& f : followed_)
    for (const view::CourseBin& b : f.course.rows) {
      file.print("{},{},{},", f.course.id, (f.course.start + f.course.interval * std::int64_t{b.bin}).ps,
                 f.course.interval.ps);
      if (b.window != cc::kNoWindow.count) file.print("{}", b.window);
      file.write(",");
      if (b.rate != 0) file.print("{}", b.rate);
      file.write(",");
      if (b.rtt_ps != 0) file.print("{}", b.rtt_ps);
      file.print(",{},{},{},{},{}\n", b.sent, b.again, b.acked, b.lost, b.timeouts);
    }
  file.close();
}

void ViewProbe::write_activities(ResultDirectory& out) const {
  ResultFile file = out.table("view_activities.csv");
  std::vector<std::string> names;
  std::string tag;
  std::uint32_t of = traffic::kNobody;  // the driver whose they are
  for (const view::ActivityRow& row : activities_.sorted_rows()) {
    if (row.driver != of) {
      of = row.driver;
      const traffic::Driver& driver = *engine_.driver(of);
      names.clear();
      for (const std::string& name : driver.activities()) append_csv_field(names.emplace_back(), name);
      tag.clear();
      if (const auto sums = driver.sums()) append_csv_field(tag, tags_.at(sums->tag));
    }
    file.print("{},{},{},{},{},{},", row.driver, tag, row.host, names.at(row.activity), row.begin.ps, row.end.ps);
    if (row.waited_for != traffic::kNobody) file.print("{}", row.waited_for);
    file.print(",{}\n", row.parts);
  }
  file.close();
}

void ViewProbe::write_outages(ResultDirectory& out) const {
  ResultFile file = out.table("view_outages.csv");
  for (const view::OutageRow& row : view::outages_until(model_of(engine_), engine_.now())) {
    file.print("{},{},", row.from.ps, row.port);
    if (row.until != Time::max()) file.print("{}", row.until.ps);
    file.write("\n");
  }
  file.close();
}

}  // namespace weir::probe
