// What `weir view` shows: ports over time, who filled queues, who paused whom, what flows did, packets that got lost.
// docs/reference/results.md describes its tables.
//
// All is kept in memory until the end, in amounts that do not grow with the run's length (view/): intervals double
// instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/engine/engine.h"
#include "weir/probe/packet_probe.h"
#include "weir/probe/probe.h"
#include "weir/probe/results.h"
#include "weir/view/flow_courses.h"
#include "weir/view/host_activities.h"
#include "weir/view/pause_tree.h"
#include "weir/view/port_series.h"
#include "weir/view/queue_shares.h"

namespace weir::probe {

struct ViewParams {
  Time interval{1'000'000};
  Time queue_interval{10'000'000};
  std::uint32_t follow = 64;
  std::string flows;

  static void describe(ParamList<ViewParams>& p) {
    p.time("interval", &ViewParams::interval, "length of the bins of ports and flows; doubled as a run gets longer", "",
           kMinInterval);
    p.time("queue_interval", &ViewParams::queue_interval,
           "time between looks at whose packets are in queues; doubled as a run gets longer", "", kMinInterval);
    p.integer("follow", &ViewParams::follow, 0, 10'000, "flows whose course is kept: those with the largest slowdowns");
    p.text("flows", &ViewParams::flows, "ids of further flows whose course is kept, such as \"0, 17, 200-299\"");
  }
};

class ViewProbe : public ArchivedProbe<ViewProbe> {
 public:
  using Params = ViewParams;
  static constexpr std::string_view kName = "view";
  static constexpr std::string_view kMeaning = "what weir view shows: ports, queues, pauses and flows over time";
  static constexpr bool kNeedsPackets = true;
  static constexpr std::size_t kMostShares = 400'000;  // rows of view_queues.csv
  static constexpr std::size_t kMostEvents = 100'000;  // rows of view_events.csv
  static constexpr std::size_t kPorts = 32;            // of a flow that is not followed

  static void check(const Params&, const Checks&);
  static std::optional<std::string_view> trace_key(const Params&) { return ""; }
  // Its section in words: how fine it is, and what is missing.
  static std::string in_words(const Section&);
  static void add_possible(const Params&, const Setting&, Summary&);
  ViewProbe(const Params&, const Context&);

  void on_finish(const host::FlowRecord& r) override {
    engine_.after_trace([this, r] { end(r); });
  }
  void finish(Summary&) override;

  struct Share {  // of a queue
    Time time;
    std::uint32_t port = 0;
    std::uint32_t bytes = 0;
    std::uint64_t flow = net::kNoFlow;  // kNoFlow = all that are not told, together
  };
  struct Event {
    Time time;
    net::EventKind kind = net::EventKind::dropped;
    std::uint32_t port = 0;
    std::uint64_t flow = net::kNoFlow;
    std::int64_t seq = 0;
  };

  // What has been seen so far, for those who look on while the run goes on, between calls of its advance().
  const view::PortSeries& series() const { return series_; }
  const view::PauseTree& pauses() const { return pauses_; }
  const std::vector<Share>& shares() const { return shares_; }
  Time queue_interval() const { return queue_interval_; }
  const std::vector<Event>& events() const { return events_; }
  std::uint64_t omitted_events() const { return omitted_events_; }
  const view::HostActivities& activities() const { return activities_; }
  // The course of a flow that is active or followed, as it would be written now; nothing if it is neither.
  std::optional<view::Course> course(std::uint64_t flow) const;

  template <class A>
  void archive(A& a) {
    series_.archive(a);
    pauses_.archive(a);
    courses_.archive(a);
    queues_.archive(a);
    a.each(followed_, [&](Followed& f) {
      a.value(f.slowdown);
      a.value(f.is_chosen);
      f.course.archive(a);
    });
    a.values(shares_);
    a.value(queue_interval_);
    a.values(events_);
    a.value(omitted_events_);
    activities_.archive(a);
    if (paths_) paths_->archive(a);
  }

 private:
  struct Followed {
    double slowdown = 0;
    bool is_chosen = false;  // by the parameter `flows`
    view::Course course;
  };

  void add(net::TraceEvents events);
  void end(const host::FlowRecord& ended);
  void look(Time now);
  void keep(view::Course course, double slowdown);
  // The flow's ports, if they are few or `all` are wanted.
  void write_path(const view::Course& course, bool all);
  void write_ports(ResultDirectory& out) const;
  void write_series(ResultDirectory& out) const;
  void write_queues(ResultDirectory& out) const;
  void write_pauses(ResultDirectory& out) const;
  void write_events(ResultDirectory& out) const;
  void write_courses(ResultDirectory& out) const;
  void write_activities(ResultDirectory& out) const;
  void write_outages(ResultDirectory& out) const;
  Section section() const;

  const Params params_;
  engine::Engine& engine_;
  const std::vector<std::string>& tags_;
  ResultDirectory* const out_;
  const std::vector<IdRange> chosen_;
  view::PortSeries series_;
  view::PauseTree pauses_;
  view::FlowCourses courses_;
  view::QueueShares queues_;
  std::vector<Followed> followed_;  // a heap by slowdown, the smallest first, then those that are chosen
  Time queue_interval_;
  std::vector<Share> shares_;
  std::vector<Event> events_;
  std::uint64_t omitted_events_ = 0;
  view::HostActivities activities_;
  std::optional<ResultFile> paths_;
};

}  // namespace weir::probe
