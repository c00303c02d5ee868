// What ports did over time, in bins of equal length: what was sent, the longest queue, marks, drops, trims, pauses.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/net/trace.h"

namespace weir::view {

// One bin of one port in which anything happened or waited.
struct PortBin {
  std::uint32_t bin = 0;
  std::uint32_t port = 0;
  std::uint32_t sent = 0;   // bytes whose transmission began
  std::uint32_t queue = 0;  // bytes: the longest
  std::uint32_t marked = 0;
  std::uint32_t dropped = 0;
  std::uint32_t trimmed = 0;
  std::uint32_t unused = 0;
  std::int64_t paused_ps = 0;  // any class
};

// It holds kMostBins bins and kMostRows rows at most: before that is exceeded, pairs of bins become one.
class PortSeries {
 public:
  static constexpr std::uint32_t kMostBins = 2048;
  static constexpr std::size_t kMostRows = 1'000'000;

  PortSeries(std::uint32_t ports, Time interval) : interval_(interval), now_(ports) {}

  // Events in order of time.
  void add(const net::TraceEvent& event);
  void finish(Time end);

  Time interval() const { return interval_; }
  // By bin, then port; complete after finish().
  const std::vector<PortBin>& rows() const { return rows_; }
  // The bin that is open, which has no rows yet, and those that it would have now.
  std::uint32_t open_bin() const { return bin_; }
  std::vector<PortBin> open_rows(Time now) const;

  template <class A>
  void archive(A& a) {
    a.value(interval_);
    a.value(bin_);
    a.values(now_);
    a.values(rows_);
  }

 private:
  struct Port {
    PortBin bin;
    std::uint32_t queued = 0;
    std::uint32_t paused_classes = 0;
    Time paused_since;
  };

  void go_to(Time time);
  void close_bin();
  void merge();
  void add_pause(Port& port, Time until) const;
  static bool is_empty(const PortBin& bin);

  Time interval_;
  std::uint32_t bin_ = 0;  // the one that is open
  std::vector<Port> now_;
  std::vector<PortBin> rows_;
};

}  // namespace weir::view
