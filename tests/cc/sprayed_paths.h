// One flow that sprays its packets over n paths in turn, the first of which is always late: the network of Congestion
// Control for Spraying with Congested Paths, II-B, for algorithms alone. Nothing is lost, and nothing waits but at the
// sender's line.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "weir/cc/algorithm.h"

namespace weir::cc {

struct SprayedPaths {
  std::int64_t n = 20;
  Time t_s{6'250'000};
  Time t_l{20'000'000};
  bool marks = false;  // the late path marks
};

// The throughput in bit/s of payload after `warm_up` packets, over so many more.
template <class A>
double throughput(const SprayedPaths& paths, const typename A::Params& params, const FlowFacts& facts,
                  std::int64_t warm_up, std::int64_t packets) {
  using Arrival = std::tuple<std::int64_t, std::int64_t>;  // time, number
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
  Control control;
  A algorithm(params, facts, control);
  const std::int64_t gap = transmission_time(facts.wire, facts.line_rate).ps;
  std::int64_t sent = 0;
  std::int64_t acked = 0;
  std::int64_t line_free = 0;
  std::int64_t from = 0;
  std::int64_t now = 0;
  while (acked < warm_up + packets) {
    // all that may leave before the next acknowledgement arrives
    while ((sent - acked) * facts.payload.count < control.window.count) {
      const std::int64_t at = std::max(now, line_free);
      if (!arrivals.empty() && at > std::get<0>(arrivals.top())) break;
      arrivals.emplace(at + (sent % paths.n == 0 ? paths.t_l : paths.t_s).ps, sent);
      line_free = at + gap;
      ++sent;
    }
    const auto [time, number] = arrivals.top();
    arrivals.pop();
    now = time;
    if (++acked == warm_up) from = now;
    const bool late = number % paths.n == 0;
    Ack ack;
    ack.now = {now};
    ack.rtt = late ? paths.t_l : paths.t_s;
    ack.sent_at = ack.now - ack.rtt;
    ack.acked = facts.payload;
    ack.seq = acked * facts.payload;
    ack.snd_nxt = sent * facts.payload;
    ack.in_flight = (sent - acked) * facts.payload;
    ack.ecn = late && paths.marks;
    algorithm.on_ack(params, facts, ack, control);
  }
  return 8e12 * static_cast<double>(packets * facts.payload.count) / static_cast<double>(now - from);
}

}  // namespace weir::cc
