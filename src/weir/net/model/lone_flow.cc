#include "weir/net/model/lone_flow.h"

#include <algorithm>

namespace weir::net::lone_flow {
namespace {

constexpr Back kNoBack{kNever, kNever};

// The least time in which the links of a host can have sent all full packets, so that the last one may follow.
WideTime ahead_of_last(const PathGraph::Stage& links, std::int64_t full, const Packets& p) {
  WideTime least = kNever;
  for (const auto& hop : links) least = std::min<WideTime>(least, transmission_time(p.full, hop.link->rate).ps);
  return full / static_cast<std::int64_t>(links.size()) * least;
}

}  // namespace

Fronts fronts_of(const PathGraph& graph, const Packets& p) {
  Fronts first;
  first.add({});
  return graph.carry(
      first, Fronts{},
      [&](const Fronts& from, const Link& link) {
        Fronts out;
        for (Front f : from.all()) {
          f.cross(link, p);
          out.add(f);
        }
        return out;
      },
      [](Fronts& into, const Fronts& more) {
        for (const Front& f : more.all()) into.add(f);
      });
}

Back least_back(const PathGraph& graph, const Packets& p) {
  return graph.carry(
      Back{}, kNoBack,
      [&](Back b, const Link& link) {
        b.cross(link, p);
        return b;
      },
      [](Back& into, const Back& b) {
        into.latency = std::min(into.latency, b.latency);
        into.slowest = std::min(into.slowest, b.slowest);
      });
}

WideTime sprayed_delivery(const PathGraph& graph, const Packets& p) {
  const auto until_last = graph.least_until(p.last);
  const std::int64_t full = p.count - 1;
  if (full == 0) return until_last.back();
  const auto until_full = graph.least_until(p.full);
  const auto from_last = graph.least_from(p.last);
  const auto from_full = graph.least_from(p.full);
  const WideTime ahead = ahead_of_last(graph.stages().front(), full, p);
  WideTime out = ahead + until_last.back();
  for (std::size_t k = 0; k < graph.stages().size(); ++k) {
    const PathGraph::Stage& stage = graph.stages()[k];
    const auto by_delay = [](const auto& a, const auto& b) { return a.link->delay < b.link->delay; };
    const WideTime delay = std::min_element(stage.begin(), stage.end(), by_delay)->link->delay.ps;
    WideTime work_full = 0;
    WideTime work_last = 0;
    if (stage.size() == 1) {
      work_full = full * WideTime{transmission_time(p.full, stage.front().link->rate).ps};
      work_last = transmission_time(p.last, stage.front().link->rate).ps;
    } else {
      WideTime rate = 0;
      for (const auto& hop : stage) rate += hop.link->rate.bits_per_second;
      work_full = full * WideTime{p.full.count} * 8 * kPicosecondsPerSecond / rate;
      work_last = WideTime{p.last.count} * 8 * kPicosecondsPerSecond / rate;
    }
    const WideTime any = std::min(until_full[k], ahead + until_last[k]);
    out = std::max({out, any + work_full + work_last + delay + std::min(from_full[k + 1], from_last[k + 1]),
                    until_full[k] + work_full + delay + from_full[k + 1]});
  }
  return out;
}

}  // namespace weir::net::lone_flow
