// Flow completion times: flows.csv, paths.csv and the statistics of slowdown.
//
// Memory: 16 bytes for each finished flow, for its percentiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/engine/engine.h"
#include "weir/engine/model/model.h"
#include "weir/net/model/path_facts.h"
#include "weir/probe/probe.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"

namespace weir::probe {

// The sizes of a list such as "1 KB, 10 KB". Throws InputError unless they ascend from above 0.
std::vector<Bytes> parse_buckets(std::string_view list);

// The slowdown statistics of a set of flows.
class SlowdownTable {
 public:
  struct Entry {
    std::int64_t size = 0;
    float slowdown = 0;
    std::uint16_t tag = 0;
    std::uint16_t profile = 0;
  };
  static_assert(sizeof(Entry) == 16);

  void add(const Entry& entry) { entries_.push_back(entry); }
  template <class A>
  void archive(A& a) {
    a.values(entries_);
  }
  std::size_t size() const { return entries_.size(); }

  Distribution all() const;
  // By index of tag or profile, under its name; none that is empty.
  std::vector<NamedDistribution> by_tag(const std::vector<std::string>& names) const;
  std::vector<NamedDistribution> by_profile(const std::vector<std::string>& names) const;
  // One more than `edges`; also those that are empty.
  std::vector<SizeBucket> by_size(const std::vector<Bytes>& edges) const;
  // Flows sorted by size, ties in order of their end, cut into `count` groups of equal number
  // (HPCC's fct_analysis.py). Fewer groups if there are fewer flows.
  std::vector<SizeBucket> by_equal_count(std::size_t count) const;

 private:
  // group(entry) is an index below `groups`.
  template <class Group>
  std::vector<Distribution> grouped(std::size_t groups, Group&& group) const;

  std::vector<Entry> entries_;
};

struct FlowsParams {
  net::IdealFct ideal = net::IdealFct::exact;
  std::string buckets = "1 KB, 10 KB, 100 KB, 1 MB, 10 MB";
  std::uint32_t equal_count_buckets = 0;
  bool paths = false;

  static void describe(ParamList<FlowsParams>& p) {
    p.choice("ideal", &FlowsParams::ideal, {"exact", "hpcc"},
             "what slowdown is taken against: the flow alone in the network, or the formula of HPCC's artifact; "
             "headers without INT",
             "HPCC public simulator");
    p.text("buckets", &FlowsParams::buckets, "slowdown is reported for flows up to each of these sizes and above");
    p.integer("equal_count_buckets", &FlowsParams::equal_count_buckets, 0, 1000,
              "report slowdown for this many groups of flows of similar size too, each with the same number of flows; "
              "20 in HPCC's figures; 0 = none",
              "HPCC 5.1");
    p.flag("paths", &FlowsParams::paths, "write the ports that each flow crosses to paths.csv");
  }
};

class FlowProbe : public ArchivedProbe<FlowProbe> {
 public:
  using Params = FlowsParams;
  static constexpr std::string_view kName = "flows";
  static constexpr std::string_view kMeaning = "completion time and slowdown of every flow; always on";

  static void check(const Params&, const Checks&);
  static void add_possible(const Params&, const Setting&, Summary&);
  FlowProbe(const Params&, const Context&);

  void on_finish(const host::FlowRecord&) override;
  // Records the flows that have not finished.
  void finish(Summary&) override;

  template <class A>
  void archive(A& a) {
    table_.archive(a);
    for (auto* figure : {&summary_.finished, &summary_.retransmitted_packets, &summary_.digest}) a.value(*figure);
    for (auto* time : {&summary_.max_fct, &summary_.last_finish}) a.value(*time);
    a.value(fct_sum_ps_);
    for (auto* file : {&file_, &paths_})
      if (*file) (*file)->archive(a);
  }

 private:
  Time ideal(const host::FlowRecord&) const;
  void write(const host::FlowRecord&, Time ideal, float slowdown);
  void write_path(const host::FlowRecord&);

  const FlowsParams params_;
  const engine::Engine& simulation_;
  const engine::Model& model_;
  const std::vector<std::string> tags_;
  const std::vector<Bytes> edges_;
  std::vector<std::string> profiles_;
  std::optional<ResultFile> file_;
  std::optional<ResultFile> paths_;
  SlowdownTable table_;
  FlowSummary summary_;
  __int128 fct_sum_ps_ = 0;
};

}  // namespace weir::probe
