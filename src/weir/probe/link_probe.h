// What ports sent, as a share of what they could have, and what switches marked and dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/engine/engine.h"
#include "weir/probe/port_params.h"
#include "weir/probe/probe.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"

namespace weir::probe {

struct LinksParams {
  std::string ports = "all, hosts";
  bool series = false;
  Time interval{10'000'000};
  Time start;
  Time stop;

  static void describe(ParamList<LinksParams>& p) {
    p.text("ports", &LinksParams::ports, std::string("ports to report") + kPortsHelp);
    p.flag("series", &LinksParams::series, "write utilisation over time to link_series.csv");
    p.time("interval", &LinksParams::interval, "time between rows of link_series.csv", "", kMinInterval);
    p.time("start", &LinksParams::start, "nothing counts before the first multiple of interval from this time on");
    p.time("stop", &LinksParams::stop,
           "nothing counts after the last multiple of interval up to this time; 0 = to the end of the run");
  }
};

class LinkProbe : public ArchivedProbe<LinkProbe> {
 public:
  using Params = LinksParams;
  static constexpr std::string_view kName = "links";
  static constexpr std::string_view kMeaning = "utilisation of links, marks and drops of switches";

  static void check(const Params&, const Checks&);
  static Time interval(const Params& p) { return p.series || is_limited(p) ? p.interval : Time::max(); }
  static void add_possible(const Params&, const Setting&, Summary&);
  LinkProbe(const Params&, const Context&);

  void finish(Summary&) override;

  template <class A>
  void archive(A& a) {
    a.value(last_);
    a.values(sent_);
    for (Counts* c : {&first_, &latest_}) {
      a.value(c->time);
      a.values(c->ports);
      a.values(c->switches);
    }
    if (series_) series_->archive(a);
  }

 private:
  struct OfPort {
    std::uint64_t sent = 0;
    std::uint64_t marked = 0;
    std::uint64_t lost = 0;
  };
  struct OfSwitch {
    std::uint64_t marked = 0;
    std::uint64_t dropped = 0;
    std::uint64_t pauses_sent = 0;
  };
  // All counters at one instant.
  struct Counts {
    Time time;
    std::vector<OfPort> ports;  // the chosen ones; empty: all counters were 0
    std::vector<OfSwitch> switches;
  };

  static bool is_limited(const Params& p) { return p.start > Time{} || p.stop > Time{}; }
  bool is_limited() const { return is_limited(params_); }
  // Only for the time series and with `start` or `stop`.
  void sample(Time now);
  void write_series(Time now);
  Counts count(Time now) const;
  // What was counted from the begin to the end of the time observed.
  Counts observed();
  void write_switches(const Counts&, LinkSummary&);

  const LinksParams params_;

  engine::Engine& simulation_;
  ResultDirectory* const out_;
  const std::vector<std::uint32_t> ports_;
  const Tiers tiers_;
  Time last_;
  std::vector<std::uint64_t> sent_;  // up to then
  Counts first_;                     // of the time observed: at its begin ...
  Counts latest_;                    // ... and at the last multiple of the interval within it
  std::optional<ResultFile> series_;
};

}  // namespace weir::probe
