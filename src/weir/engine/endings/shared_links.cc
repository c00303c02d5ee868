#include "weir/engine/endings/shared_links.h"

#include <algorithm>

namespace weir::engine {

using net::WideTime;

void SharedLink::add(WideTime now, WideTime head, WideTime work, WideTime tail, WideTime ack) {
  auto next = waiting_.cbegin();
  end_ = served(now, next);
  waiting_.erase(waiting_.cbegin(), next);
  waiting_[head] += work;
  tail_ = std::min(tail_, tail);
  tail_and_ack_ = std::min(tail_and_ack_, tail + ack);
}

WideTime SharedLink::served(WideTime before, std::map<WideTime, WideTime>::const_iterator& next) const {
  WideTime end = end_;
  for (; next != waiting_.cend() && next->first < before; ++next) end = std::max(end, next->first) + next->second;
  return end;
}

WideEnds SharedLink::ends() const {
  if (tail_ == net::kNever) return {};
  auto next = waiting_.cbegin();
  const WideTime end = served(net::kNever, next);
  return {end + tail_, end + tail_and_ack_};
}

SharedLinks::SharedLinks(const Model& model) {
  for (auto& links : of_hosts_) links.resize(model.topology.hosts);
  for (net::Division& division : net::narrow_divisions(model.topology)) {
    const std::size_t groups = division.capacity.size();
    cuts_.push_back({std::move(division), std::vector<SharedLink>(groups), std::vector<SharedLink>(groups)});
  }
}

void SharedLinks::add(WideTime now, WideTime start, std::uint32_t src, std::uint32_t dst, const MessageFacts& f) {
  of_hosts_[up][src].add(now, start, f.up_work, f.up_tail, f.ack.ps);
  of_hosts_[down][dst].add(now, start + f.down_head, f.down_work, f.down_tail, f.ack.ps);
  for (Cut& cut : cuts_) {
    const std::uint32_t from = cut.division.group[src];
    const std::uint32_t to = cut.division.group[dst];
    if (from == to) continue;
    const auto add_to = [&](SharedLink& link, Rate rate) {
      const WideTime work = f.cut_bits * kPicosecondsPerSecond / rate.bits_per_second;
      link.add(now, start + f.cut_head, work, f.cut_tail, f.ack.ps);
    };
    add_to(cut.out[from], cut.division.capacity[from]);
    add_to(cut.in[to], cut.division.capacity[to]);
  }
}

void SharedLinks::move(WideTime now, std::uint32_t src, std::uint32_t dst, Bytes size, const traffic::ScaleUp& by,
                       bool shares_ways_in) {
  const WideTime work = least_scale_up_time(size, by).ps;
  of_hosts_[scale_up][src].add(now, now, work, by.latency.ps, 0);
  if (shares_ways_in) of_hosts_[scale_down][dst].add(now, now, work, by.latency.ps, 0);
}

WideEnds SharedLinks::ends() const {
  WideEnds out;
  const auto take = [&](const std::vector<SharedLink>& links) {
    for (const SharedLink& link : links) out.move_to(link.ends().received, link.ends().acknowledged);
  };
  for (const auto& links : of_hosts_) take(links);
  for (const Cut& cut : cuts_) {
    take(cut.out);
    take(cut.in);
  }
  return out;
}

}  // namespace weir::engine
