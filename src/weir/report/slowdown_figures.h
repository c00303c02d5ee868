// Figures of slowdown by flow size, and the counts of flows that captions tell. Internal to the report's figures of
// flows.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "weir/report/figures.h"
#include "weir/report/flows.h"
#include "weir/report/run.h"

namespace weir::report {

// "n = 1234 flows.", or "n: 1234 flows of a, 1300 of b." where runs differ; of each run how many.
std::string count_text(std::span<const Run> runs, const std::vector<std::size_t>& counts);

// Takes the flows of each run in turn, so that only those of one are in memory, and keeps their percentiles by size: in
// the buckets of the first run's summary, or in groups of equally many if all runs have them.
class SlowdownFigures {
 public:
  explicit SlowdownFigures(std::span<const Run> runs);
  // Of the next run.
  void take(const Flows& flows);
  // After the last one.
  void add(std::vector<Figure>& to) const;

 private:
  static constexpr std::size_t kPercentiles = 3;
  // A series for each percentile, by size.
  using BySize = std::array<Series, kPercentiles>;

  // One run's flows, reduced to what figures show.
  struct OfRun {
    std::map<std::string, std::size_t> flows;  // how many of each tag, and "" of all
    BySize all;
    std::map<std::string, BySize> by_tag;  // empty ones if there are too many tags
  };
  // Those of one tag, or of all ("").
  struct Selection {
    std::string tag;
    std::string note;  // of the caption
  };

  BySize percentiles(std::vector<std::vector<double>> groups, const std::vector<double>& x) const;
  BySize by_size(const Flows& flows, const std::vector<std::size_t>& chosen) const;
  BySize by_count(const Flows& flows, std::vector<std::size_t> chosen, std::size_t count) const;
  std::vector<std::string> tags() const;
  bool tags_mix() const;
  std::vector<Selection> selections() const;
  const BySize& of(const OfRun& run, const Selection& selection) const;
  std::vector<std::size_t> counts(const Selection& selection) const;
  Figure blank(const Selection& selection) const;
  void add(const Selection& selection, std::vector<Figure>& to) const;
  void finish(Figure& figure, const Selection& selection, const std::string& missing) const;

  std::span<const Run> runs_;
  std::vector<double> edges_;  // upper ones of buckets, without the open one
  bool in_groups_ = false;     // of equally many flows
  std::vector<OfRun> taken_;
};

}  // namespace weir::report
