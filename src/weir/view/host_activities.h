// On what hosts spent their time, as drivers told it (traffic::Desk::did).
#pragma once

#include <cstdint>
#include <vector>

#include "weir/net/trace.h"
#include "weir/traffic/driver.h"

namespace weir::view {

struct ActivityRow {
  Time begin;
  Time end;
  std::uint32_t host = 0;
  std::uint32_t driver = 0;                     // its number (engine::Engine::driver)
  std::uint32_t activity = 0;                   // its place in Driver::activities()
  std::uint32_t waited_for = traffic::kNobody;  // another host: the last to begin what this one waited for
  std::uint32_t parts = 1;                      // how many have been put together
  std::uint32_t unused = 0;
};

// It holds kMostRows rows at most. Before that is exceeded, time is cut into spans, which double until half as many
// rows are enough: what a host did within one span becomes one row for each activity, as long as its parts together,
// one behind the other. So sums of times stay exact.
class HostActivities {
 public:
  static constexpr std::size_t kMostRows = 500'000;

  // Events `did`, in order of time; others are passed over.
  void add(const net::TraceEvent& event);

  // Those of a driver and a host follow each other, in order of time.
  std::vector<ActivityRow> sorted_rows() const;
  // In the order in which they came, until some are put together.
  const std::vector<ActivityRow>& rows() const { return rows_; }
  // Within spans of this length rows were put together; 0 = each is as it was told.
  Time span() const { return span_; }
  // How many were left out, because there are too many hosts.
  std::uint64_t omitted() const { return omitted_; }

  template <class A>
  void archive(A& a) {
    a.values(rows_);
    a.value(span_);
    a.value(omitted_);
  }

 private:
  void put_together();

  std::vector<ActivityRow> rows_;
  Time span_;
  std::uint64_t omitted_ = 0;
};

}  // namespace weir::view
