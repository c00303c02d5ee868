#include "weir/live_tables.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "weir/engine/model/model.h"
#include "weir/host/transport.h"
#include "weir/probe/anatomy_probe.h"
#include "weir/probe/view_probe.h"
#include "weir/result/anatomy_parts.h"
#include "weir/view/outages.h"

namespace weir::app {
namespace {

using report::PackedColumn;
using report::Packing;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostU32 = 4294967294.0;

// A column of what `value` gives for each row from `from` on.
template <class Rows, class Value>
PackedColumn column(std::string name, Packing packing, const Rows& rows, std::size_t from, Value&& value) {
  PackedColumn out{std::move(name), packing, false, {}};
  for (std::size_t i = from; i < rows.size(); ++i) out.values.push_back(static_cast<double>(value(rows[i])));
  return out;
}

NewRows series(const view::PortSeries& s, std::size_t from, Time now) {
  std::vector<view::PortBin> rows(s.rows().begin() + static_cast<std::ptrdiff_t>(from), s.rows().end());
  const std::vector<view::PortBin> open = s.open_rows(now);
  rows.insert(rows.end(), open.begin(), open.end());
  using view::PortBin;
  return {"series",
          from,
          {column("bin", Packing::u32, rows, 0, [](const PortBin& b) { return b.bin; }),
           column("port", Packing::u32, rows, 0, [](const PortBin& b) { return b.port; }),
           column("sent_bytes", Packing::u32, rows, 0, [](const PortBin& b) { return b.sent; }),
           column("queue_bytes", Packing::u32, rows, 0, [](const PortBin& b) { return b.queue; }),
           column("marked", Packing::u32, rows, 0, [](const PortBin& b) { return b.marked; }),
           column("dropped", Packing::u32, rows, 0, [](const PortBin& b) { return b.dropped; }),
           column("trimmed", Packing::u32, rows, 0, [](const PortBin& b) { return b.trimmed; }),
           column("paused_ps", Packing::f64, rows, 0, [](const PortBin& b) { return b.paused_ps; })}};
}

NewRows pauses(const std::vector<view::PauseRow>& rows, std::size_t from) {
  using view::PauseRow;
  const auto number = [](std::uint32_t n) { return n == view::kNone ? kNone : static_cast<double>(n); };
  return {"pauses",
          from,
          {column("port", Packing::u32, rows, from, [](const PauseRow& p) { return p.port; }),
           column("class", Packing::u8, rows, from, [](const PauseRow& p) { return p.of_class; }),
           column("from_ps", Packing::f64, rows, from, [](const PauseRow& p) { return p.from.ps; }),
           column("until_ps", Packing::f64, rows, from,
                  [](const PauseRow& p) { return p.until == Time::max() ? kNone : static_cast<double>(p.until.ps); }),
           column("by", Packing::u32, rows, from, [&](const PauseRow& p) { return number(p.by); }),
           column("by_bytes", Packing::u32, rows, from, [](const PauseRow& p) { return p.by_bytes; }),
           column("parent", Packing::u32, rows, from, [&](const PauseRow& p) { return number(p.parent); })}};
}

NewRows activities(const std::vector<view::ActivityRow>& rows, std::size_t from) {
  using view::ActivityRow;
  return {"activities",
          from,
          {column("driver", Packing::u16, rows, from, [](const ActivityRow& a) { return a.driver; }),
           column("host", Packing::u32, rows, from, [](const ActivityRow& a) { return a.host; }),
           column("activity", Packing::u16, rows, from, [](const ActivityRow& a) { return a.activity; }),
           column("begin_ps", Packing::f64, rows, from, [](const ActivityRow& a) { return a.begin.ps; }),
           column("end_ps", Packing::f64, rows, from, [](const ActivityRow& a) { return a.end.ps; }),
           column("waited_for", Packing::u32, rows, from,
                  [](const ActivityRow& a) {
                    return a.waited_for == traffic::kNobody ? kNone : static_cast<double>(a.waited_for);
                  }),
           column("parts", Packing::u32, rows, from, [](const ActivityRow& a) { return a.parts; })}};
}

NewRows outages(const engine::Engine& engine) {
  using view::OutageRow;
  const std::vector<OutageRow> rows = view::outages_until(model_of(engine), engine.now());
  return {"outages",
          0,
          {column("port", Packing::u32, rows, 0, [](const OutageRow& o) { return o.port; }),
           column("from_ps", Packing::f64, rows, 0, [](const OutageRow& o) { return o.from.ps; }),
           column("until_ps", Packing::f64, rows, 0, [](const OutageRow& o) {
             return o.until == Time::max() ? kNone : static_cast<double>(o.until.ps);
           })}};
}

}  // namespace

void LiveTables::attach(engine::Engine& engine) {
  algorithms_.clear();
  for (const auto& profile : model_of(engine).profiles) algorithms_.push_back(profile.name);
  engine.on_finish(
      [this, &engine](const host::FlowRecord& flow) {
        ends_.push_back({row_of(flow, engine), flow.finish, flow.retransmitted});
      },
      engine::FinishCalls::later);
}

void LiveTables::listen(run::SteeredRun& run) {
  run.probes().find<probe::AnatomyProbe>()->tell([this](std::uint64_t flow, const anatomy::Parts& parts) {
    parts_.push_back({flow, parts});
  });
}

std::uint32_t LiveTables::row_of(const host::FlowRecord& flow, const engine::Engine& engine) {
  const auto [at, is_new] = rows_.try_emplace(flow.id, static_cast<std::uint32_t>(flows_.size()));
  if (!is_new) return at->second;
  const engine::Model& model = model_of(engine);
  const net::Framing bare = model.framing_without_int(model.profiles[flow.profile]);
  const Time ideal = model.paths.ideal_fct(flow.src, flow.dst, flow.size, bare);
  flows_.push_back({.id = flow.id,
                    .src = flow.src,
                    .dst = flow.dst,
                    .size = flow.size,
                    .start = flow.start,
                    .profile = flow.profile,
                    .tag = flow.tag,
                    .ideal_ps = static_cast<double>(ideal.ps)});
  return at->second;
}

double LiveTables::place(std::uint64_t flow) const {
  const auto at = rows_.find(flow);
  return at == rows_.end() ? kNone : static_cast<double>(at->second);
}

void LiveTables::refresh(run::SteeredRun& run) {
  run.engine().for_each_active([&](const host::FlowView& flow) {
    if (traffic::is_listed(flow.id)) row_of(host::record_of(flow, Time::max()), run.engine());
  });
}

std::vector<NewRows> LiveTables::network(const engine::Engine& engine) {
  const net::Topology& t = model_of(engine).topology;
  std::vector<engine::PortFacts> ports;
  for (std::uint32_t port = 0; port < engine.network().ports(); ++port) ports.push_back(engine.network().port(port));
  using engine::PortFacts;
  return {{"nodes", 0, {column("tier", Packing::u8, t.tier, 0, [](auto tier) { return tier; })}},
          {"ports",
           0,
           {column("from", Packing::u32, ports, 0, [](const PortFacts& p) { return p.from; }),
            column("to", Packing::u32, ports, 0, [](const PortFacts& p) { return p.to; }),
            column("rate_bps", Packing::f64, ports, 0, [](const PortFacts& p) { return p.rate.bits_per_second; }),
            column("delay_ps", Packing::f64, ports, 0, [](const PortFacts& p) { return p.delay.ps; })}}};
}

report::Json LiveTables::drivers(run::SteeredRun& run) {
  report::Json out = report::Json::array();
  for (std::uint32_t number = 0; const traffic::Driver* const driver = run.engine().driver(number); ++number) {
    const auto sums = driver->sums();
    out.push_back({{"tag", sums ? run.tags().at(sums->tag) : ""}, {"activities", driver->activities()}});
  }
  return out;
}

report::Json LiveTables::omitted(const probe::ViewProbe& view) {
  return {{"pauses", view.pauses().omitted()},
          {"events", view.omitted_events()},
          {"activities", view.activities().omitted()}};
}

NewRows LiveTables::flows(std::size_t from) const {
  return {"flows",
          from,
          {column("flow_id", Packing::f64, flows_, from, [](const Flow& f) { return f.id; }),
           column("src", Packing::u32, flows_, from, [](const Flow& f) { return f.src; }),
           column("dst", Packing::u32, flows_, from, [](const Flow& f) { return f.dst; }),
           column("size_bytes", Packing::f64, flows_, from, [](const Flow& f) { return f.size.count; }),
           column("start_ps", Packing::f64, flows_, from, [](const Flow& f) { return f.start.ps; }),
           column("ideal_ps", Packing::f64, flows_, from, [](const Flow& f) { return f.ideal_ps; }),
           column("algorithm", Packing::u16, flows_, from, [](const Flow& f) { return f.profile; }),
           column("tag", Packing::u16, flows_, from, [](const Flow& f) { return f.tag; })}};
}

NewRows LiveTables::ends(std::size_t from) const {
  return {"ends",
          from,
          {column("flow", Packing::u32, ends_, from, [](const End& e) { return e.row; }),
           column("finish_ps", Packing::f64, ends_, from, [](const End& e) { return e.finish.ps; }),
           column("retransmitted", Packing::u32, ends_, from, [](const End& e) { return e.retransmitted; })}};
}

NewRows LiveTables::anatomy(std::size_t from) const {
  NewRows out{
      "anatomy", from, {column("flow", Packing::u32, parts_, from, [&](const PartsOf& p) { return place(p.flow); })}};
  for (std::size_t i = 0; i < result::kParts; ++i)
    out.columns.push_back(column(result::part_kinds()[i].name, Packing::f64, parts_, from,
                                 [i](const PartsOf& p) { return p.parts.all()[i]; }));
  return out;
}

NewRows LiveTables::active(run::SteeredRun& run) const {
  struct Active {
    double row;
    std::int64_t acked;
    std::uint32_t again;
  };
  std::vector<Active> rows;
  run.engine().for_each_active([&](const host::FlowView& flow) {
    rows.push_back({place(flow.id), flow.acknowledged.count, flow.retransmitted});
  });
  return {"active",
          0,
          {column("flow", Packing::u32, rows, 0, [](const Active& a) { return a.row; }),
           column("acked_bytes", Packing::f64, rows, 0, [](const Active& a) { return a.acked; }),
           column("retransmitted", Packing::u32, rows, 0, [](const Active& a) { return a.again; })}};
}

// The course of one flow, and the ports that it has crossed.
void LiveTables::add_course(std::vector<NewRows>& out, std::int64_t row, run::SteeredRun& run) const {
  std::optional<view::Course> course;
  if (row >= 0 && static_cast<std::size_t>(row) < flows_.size())
    course = run.probes().find<probe::ViewProbe>()->course(flows_[static_cast<std::size_t>(row)].id);
  if (!course) course.emplace();
  const std::vector<double> one(course->rows.empty() ? 0 : 1, 0);
  const auto& rows = course->rows;
  using view::CourseBin;
  out.push_back({"followed",
                 0,
                 {column("flow", Packing::u32, one, 0, [&](double) { return row; }),
                  column("first", Packing::u32, one, 0, [](double) { return 0; }),
                  column("count", Packing::u32, one, 0, [&](double) { return rows.size(); }),
                  column("interval_ps", Packing::f64, one, 0, [&](double) { return course->interval.ps; })}});
  out.push_back(
      {"course",
       0,
       {column("time_ps", Packing::f64, rows, 0,
               [&](const CourseBin& b) { return (course->start + course->interval * std::int64_t{b.bin}).ps; }),
        column(
            "window_bytes", Packing::f64, rows, 0,
            [](const CourseBin& b) { return b.window == cc::kNoWindow.count ? kNone : static_cast<double>(b.window); }),
        column("rate_bps", Packing::f64, rows, 0,
               [](const CourseBin& b) { return b.rate == 0 ? kNone : static_cast<double>(b.rate); }),
        column("rtt_ps", Packing::f64, rows, 0,
               [](const CourseBin& b) { return b.rtt_ps == 0 ? kNone : static_cast<double>(b.rtt_ps); }),
        column("sent_bytes", Packing::u32, rows, 0, [](const CourseBin& b) { return b.sent; }),
        column("again_bytes", Packing::u32, rows, 0, [](const CourseBin& b) { return b.again; }),
        column("acked_bytes", Packing::u32, rows, 0, [](const CourseBin& b) { return b.acked; }),
        column("lost_bytes", Packing::u32, rows, 0, [](const CourseBin& b) { return b.lost; }),
        column("timeouts", Packing::u32, rows, 0, [](const CourseBin& b) { return b.timeouts; })}});
  const auto& ports = course->ports;
  using view::PortBytes;
  out.push_back({"paths",
                 0,
                 {column("flow", Packing::u32, ports, 0, [&](const PortBytes&) { return row; }),
                  column("port", Packing::u32, ports, 0, [](const PortBytes& p) { return p.port; }),
                  column("bytes", Packing::u32, ports, 0,
                         [](const PortBytes& p) { return std::min(static_cast<double>(p.bytes), kMostU32); })}});
}

std::vector<NewRows> LiveTables::since(const Known& known, run::SteeredRun& run) {
  refresh(run);
  const auto& view = *run.probes().find<probe::ViewProbe>();
  const auto from = [](std::size_t wanted, std::size_t there) { return wanted > there ? 0 : wanted; };
  const bool same_bins = known.interval_ps == view.series().interval().ps;
  const bool same_looks = known.queue_interval_ps == view.queue_interval().ps;
  std::vector<NewRows> out;
  out.push_back(
      series(view.series(), same_bins ? from(known.series, view.series().rows().size()) : 0, run.engine().now()));
  using Share = probe::ViewProbe::Share;
  const auto& shares = view.shares();
  const std::size_t looks = same_looks ? from(known.occupancy, shares.size()) : 0;
  const Time interval = view.queue_interval();
  out.push_back({"occupancy",
                 looks,
                 {column("at", Packing::u32, shares, looks, [&](const Share& s) { return s.time / interval; }),
                  column("port", Packing::u32, shares, looks, [](const Share& s) { return s.port; }),
                  column("flow", Packing::u32, shares, looks, [&](const Share& s) { return place(s.flow); }),
                  column("bytes", Packing::u32, shares, looks, [](const Share& s) { return s.bytes; })}});
  out.push_back(pauses(view.pauses().rows(), from(known.pauses, view.pauses().rows().size())));
  const auto& did = view.activities();
  out.push_back(
      activities(did.rows(), known.within_ps == did.span().ps ? from(known.activities, did.rows().size()) : 0));
  out.push_back(outages(run.engine()));
  using Event = probe::ViewProbe::Event;
  const auto& events = view.events();
  const std::size_t first = from(known.events, events.size());
  const auto kind = [](const Event& e) {
    return e.kind == net::EventKind::dropped ? 0 : e.kind == net::EventKind::trimmed ? 1 : 2;
  };
  out.push_back({"events",
                 first,
                 {column("time_ps", Packing::f64, events, first, [](const Event& e) { return e.time.ps; }),
                  column("kind", Packing::u8, events, first, kind),
                  column("port", Packing::u32, events, first, [](const Event& e) { return e.port; }),
                  column("flow", Packing::u32, events, first, [&](const Event& e) { return place(e.flow); }),
                  column("seq", Packing::f64, events, first, [](const Event& e) { return e.seq; })}});
  out.push_back(flows(from(known.flows, flows_.size())));
  out.push_back(ends(from(known.ends, ends_.size())));
  out.push_back(anatomy(from(known.anatomy, parts_.size())));
  out.push_back(active(run));
  add_course(out, known.watched, run);
  return out;
}

}  // namespace weir::app
