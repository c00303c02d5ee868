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

  static void describe(ParamList<LinksParams>& p) {
    p.text("ports", &LinksParams::ports, std::string("ports to report") + kPortsHelp);
    p.flag("series", &LinksParams::series, "write utilisation over time to link_series.csv");
    p.time("interval", &LinksParams::interval, "time between rows of link_series.csv", "", kMinInterval);
  }
};

class LinkProbe : public ArchivedProbe<LinkProbe> {
 public:
  using Params = LinksParams;
  static constexpr std::string_view kName = "links";
  static constexpr std::string_view kMeaning = "utilisation of links, marks and drops of switches";

  static void check(const Params&, const Checks&);
  static void add_possible(const Params&, const Setting&, Summary&);
  LinkProbe(const Params&, const Context&);

  void finish(Summary&) override;

  template <class A>
  void archive(A& a) {
    a.value(last_);
    a.values(sent_);
    if (series_) series_->archive(a);
  }

 private:
  // Only for the time series.
  void sample(Time now);
  void write_switches(LinkSummary&);

  engine::Engine& simulation_;
  ResultDirectory* const out_;
  const std::vector<std::uint32_t> ports_;
  const Tiers tiers_;
  Time last_;
  std::vector<std::uint64_t> sent_;  // up to then
  std::optional<ResultFile> series_;
};

}  // namespace weir::probe
