// What ports sent, as a share of what they could have, and what switches marked and dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/probe/params.h"
#include "weir/probe/port_choice.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"

namespace weir::probe {

class LinkProbe {
 public:
  LinkProbe(const LinksParams&, engine::Engine&, ResultDirectory* out);

  // Only for the time series.
  void sample(Time now);
  LinkSummary finish();

  template <class A>
  void archive(A& a) {
    a.value(last_);
    a.values(sent_);
    if (series_) series_->archive(a);
  }

  bool has_series() const { return series_.has_value(); }

 private:
  void write_switches(LinkSummary&);

  const LinksParams params_;
  engine::Engine& simulation_;
  ResultDirectory* const out_;
  const std::vector<std::uint32_t> ports_;
  const Tiers tiers_;
  Time last_;
  std::vector<std::uint64_t> sent_;  // up to then
  std::optional<ResultFile> series_;
};

}  // namespace weir::probe
