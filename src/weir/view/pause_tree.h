// Who paused whom: each pause with the queue that it came from, and the pause that held that queue.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/engine/model.h"
#include "weir/net/trace.h"

namespace weir::view {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

struct PauseRow {
  std::uint32_t port = 0;      // the one that was paused
  std::uint32_t of_class = 0;  // data class
  Time from;
  Time until = Time::max();  // Time::max() = it lasted to the end
  std::uint32_t by = kNone;  // port of the switch at the far end in which most bytes of this link waited then; if that
                             // is a host, its own port
  std::uint32_t by_bytes = 0;    // 0 for hosts
  std::uint32_t parent = kNone;  // the last pause of `by`, or of `port` if a host paused it, since that port's queue
                                 // was empty; kNone = there is none: a root
};

// It keeps kMostRows pauses, and counts the others.
class PauseTree {
 public:
  static constexpr std::size_t kMostRows = 200'000;

  explicit PauseTree(const engine::Model& model);

  // Events in order of time: accepted, left, dropped, paused, resumed.
  void add(const net::TraceEvent& event);

  const std::vector<PauseRow>& rows() const { return rows_; }
  std::uint64_t omitted() const { return omitted_; }

  template <class A>
  void archive(A& a) {
    a.values(bytes_);
    a.values(open_);
    a.values(reason_);
    a.values(rows_);
    a.value(omitted_);
  }

 private:
  void begin(const net::TraceEvent& event);
  static std::size_t place_of(std::uint32_t port, net::TrafficClass of) {
    return std::size_t{port} * net::kTrafficClasses + static_cast<std::size_t>(of);
  }

  const engine::Model& model_;
  std::vector<std::uint32_t> first_;   // by port: where its numbers begin in bytes_
  std::vector<std::uint32_t> local_;   // by port: its place among those of its switch
  std::vector<std::uint32_t> bytes_;   // of each port of a switch, by the port by which they came in
  std::vector<std::uint32_t> open_;    // by port and class: the row of its pause
  std::vector<std::uint32_t> reason_;  // by port and class: the row of its last pause since its queue was empty
  std::vector<PauseRow> rows_;
  std::uint64_t omitted_ = 0;
};

}  // namespace weir::view
