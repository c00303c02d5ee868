// What flows did over time: window, rate, round trips, what they sent and lost; and the ports that they crossed.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/anatomy/flow_slots.h"
#include "weir/cc/algorithm.h"
#include "weir/engine/model/model.h"
#include "weir/net/trace.h"

namespace weir::view {

// One bin of a flow in which anything was new.
struct CourseBin {
  std::uint32_t bin = 0;
  std::uint32_t sent = 0;  // payload for the first time, again, acknowledged in order, told to be lost: bytes
  std::uint32_t again = 0;
  std::uint32_t acked = 0;
  std::uint32_t lost = 0;
  std::uint32_t timeouts = 0;
  std::int64_t window = 0;  // at the end of the bin; cc::kNoWindow = none
  std::int64_t rate = 0;    // bits per second; 0 = none
  std::int64_t rtt_ps = 0;  // the longest; 0 = none
};

struct PortBytes {
  std::uint32_t port = 0;
  std::uint64_t bytes = 0;
};

struct Course {
  static constexpr std::size_t kMostRows = 256;

  std::uint64_t id = 0;
  std::uint32_t generation = 0;
  Time start;
  Time interval;  // of its bins; the first begins at `start`
  CourseBin now;
  bool is_new = false;  // something of `now` is new
  std::int64_t snd_max = 0;
  std::int64_t acked = 0;
  std::vector<CourseBin> rows;
  std::vector<PortBytes> ports;  // on the wire, in order of first use

  // Closes the bin that is open; called at the end.
  void close();

  template <class A>
  void archive(A& a) {
    a.value(id);
    a.value(generation);
    for (Time* time : {&start, &interval}) a.value(*time);
    a.value(now);
    a.value(is_new);
    for (std::int64_t* n : {&snd_max, &acked}) a.value(*n);
    a.values(rows);
    a.values(ports);
  }
};

class FlowCourses {
 public:
  FlowCourses(const engine::Model& model, Time interval)
      : model_(model), interval_(interval), active_(model.topology.hosts) {}

  // Events in order of time.
  void add(const net::TraceEvent& event);
  // The flows that have ended since, in order of their end.
  std::vector<Course>& ended() { return ended_; }
  template <class Visit>
  void for_each_active(Visit&& visit) {
    active_.for_each(visit);
  }
  template <class Visit>
  void for_each_active(Visit&& visit) const {
    active_.for_each(visit);
  }

  template <class A>
  void archive(A& a) {
    active_.archive(a);
    a.each(ended_, [&](Course& course) { course.archive(a); });
  }

 private:
  // Opens the bin of this time.
  static void go_to(Course& course, Time time);

  const engine::Model& model_;
  const Time interval_;
  anatomy::FlowSlots<Course> active_;
  std::vector<Course> ended_;
};

}  // namespace weir::view
