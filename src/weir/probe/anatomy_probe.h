// Why flows took as long as they did: the parts of each flow's completion time, in anatomy.csv.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/anatomy/walk.h"
#include "weir/base/params.h"
#include "weir/engine/engine.h"
#include "weir/probe/packet_probe.h"
#include "weir/probe/probe.h"
#include "weir/probe/results.h"

namespace weir::probe {

struct AnatomyParams {
  std::string flows;

  static void describe(ParamList<AnatomyParams>& p) {
    p.text("flows", &AnatomyParams::flows,
           "ids of those that anatomy.csv has, such as \"0, 17, 200-299\"; empty = all flows");
  }
};

class AnatomyProbe : public ArchivedProbe<AnatomyProbe> {
 public:
  using Params = AnatomyParams;
  static constexpr std::string_view kName = "anatomy";
  static constexpr std::string_view kMeaning = "why flows took as long as they did: parts of completion times";
  static constexpr bool kNeedsPackets = true;

  static void check(const Params&, const Checks&);
  static std::optional<std::string_view> trace_key(const Params&) { return ""; }
  // Its section in words: what the time of flows went into, the most first.
  static std::string in_words(const Section&);
  static void add_possible(const Params&, const Setting&, Summary&);
  AnatomyProbe(const Params&, const Context&);

  // Also tells the parts of each flow as it ends, whatever anatomy.csv has: maybe on another thread, before the
  // engine's advance() returns.
  using Tell = std::function<void(std::uint64_t flow, const anatomy::Parts& parts)>;
  void tell(Tell tell) { tell_ = std::move(tell); }

  void on_finish(const host::FlowRecord& r) override {
    engine_.after_trace([this, r] { add(r); });
  }
  void finish(Summary&) override;

  template <class A>
  void archive(A& a) {
    walk_.archive(a);
    a.value(flows_);
    a.value(sums_);
    if (file_) file_->archive(a);
  }

 private:
  void add(const host::FlowRecord& ended);

  engine::Engine& engine_;
  const std::vector<IdRange> chosen_;  // empty: all
  anatomy::Walk walk_;
  std::optional<ResultFile> file_;
  Tell tell_;
  std::int64_t flows_ = 0;
  std::array<double, result::kParts> sums_{};  // seconds, over all flows
};

}  // namespace weir::probe
