// Rates of flows over time, how fairly they share, and how soon they get there.
//
// The rate of a flow in an interval is the payload that its sender learned in it to have arrived: by cumulative
// acknowledgements, and by selective ones where the flow's recovery has them. Jain's index is
// taken of the flows that were active during the whole interval: started at its begin or before,
// not finished at its end.
//
// Of the whole time from the first sample to the last one the summary has the shares of flows and of their senders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/engine/engine.h"
#include "weir/probe/probe.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"

namespace weir::probe {

// The first time after the last start of a flow from which the index stays high for a while.
class Convergence {
 public:
  Convergence(double threshold, Time hold) : threshold_(threshold), hold_(hold) {}

  // Intervals in order: this one has the index (negative: none), and the latest flow so far
  // started at `last_start`.
  void add(Time begin, Time end, double index, Time last_start);
  template <class A>
  void archive(A& a) {
    a.value(last_start_);
    for (auto* time : {&high_since_, &time_}) a.optional(*time, [&](Time& t) { a.value(t); });
  }
  // From that start to the end of the first interval of the lasting ones; nothing = not yet.
  std::optional<Time> time() const { return time_; }

 private:
  double threshold_;
  Time hold_;
  Time last_start_{-1};
  std::optional<Time> high_since_;
  std::optional<Time> time_;
};

struct RatesParams {
  std::string tag;
  Time interval{20'000'000};
  Time start;
  Time stop;
  bool series = true;
  double threshold = 0.95;
  Time hold{50'000'000};

  static void describe(ParamList<RatesParams>& p) {
    p.text("tag", &RatesParams::tag, "flows of this tag only; empty = all flows");
    p.time("interval", &RatesParams::interval, "rates are means over this time", "", kMinInterval);
    p.time("start", &RatesParams::start, "no interval begins before this time");
    p.time("stop", &RatesParams::stop, "no interval ends after this time; 0 = to the end of the run");
    p.flag("series", &RatesParams::series, "write rates.csv; fairness.csv is always written");
    p.number("threshold", &RatesParams::threshold, 0, 1, "rates have converged when Jain's index stays at least this");
    p.time("hold", &RatesParams::hold, "... for this long");
  }
};

class RateProbe : public ArchivedProbe<RateProbe> {
 public:
  using Params = RatesParams;
  static constexpr std::string_view kName = "rates";
  static constexpr std::string_view kMeaning = "rates of flows over time, fairness and convergence";

  static void check(const Params&, const Checks&);
  static Time interval(const Params& params) { return params.interval; }
  static void add_possible(const Params&, const Setting&, Summary&);
  RateProbe(const Params&, const Context&);

  void on_finish(const host::FlowRecord&) override;
  void finish(Summary&) override;

  template <class A>
  void archive(A& a) {
    a.optional(last_, [&](Time& t) { a.value(t); });
    a.values(before_);
    a.values(finished_);
    a.value(begin_);
    a.values(first_);
    a.value(last_start_);
    convergence_.archive(a);
    a.value(summary_.intervals);
    a.value(summary_.min_jain);
    a.value(jain_sum_);
    for (auto* file : {&rates_, &fairness_})
      if (*file) (*file)->archive(a);
  }

 private:
  struct Active {
    std::uint64_t id = 0;
    std::uint32_t src = 0;
    std::int64_t acked = 0;
    Time start;
    Rate pacing;
    Bytes window;
    bool finished = false;
  };

  void sample(Time now);
  bool wanted(std::uint16_t tag) const { return !tag_ || *tag_ == tag; }
  std::vector<Active> look() const;
  void write_interval(Time begin, Time end, const std::vector<Active>& flows);
  void write_fairness(Time begin, Time end);
  // Of the flows of the first sample that are still active at the last one.
  void share();

  const RatesParams params_;
  engine::Engine& simulation_;
  std::optional<std::uint16_t> tag_;
  Time begin_;                    // the first sample, and the flows then, by id
  std::vector<Active> first_;     //
  std::optional<Time> last_;      // the last sample
  std::vector<Active> before_;    // at that sample, by id
  std::vector<Active> finished_;  // since then
  Time last_start_;
  std::vector<double> delivered_;  // in this interval, of flows active throughout
  std::vector<double> pacing_;     // of the same flows at its end
  Convergence convergence_;
  FairnessSummary summary_;
  double jain_sum_ = 0;
  std::optional<ResultFile> rates_;
  std::optional<ResultFile> fairness_;
};

}  // namespace weir::probe
