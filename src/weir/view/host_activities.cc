#include "weir/view/host_activities.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace weir::view {
namespace {

constexpr Time kFirstSpan{1'000'000};
constexpr Time kLastSpan{std::int64_t{1} << 61};  // no run is longer

void sort_by_host(std::vector<ActivityRow>& rows) {
  const auto key = [](const ActivityRow& r) { return std::tuple(r.driver, r.host, r.begin); };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

}  // namespace

void HostActivities::add(const net::TraceEvent& event) {
  if (event.kind != net::EventKind::did) return;
  if (rows_.size() >= kMostRows) put_together();
  if (rows_.size() >= kMostRows) {
    ++omitted_;
    return;
  }
  rows_.push_back({.begin = event.not_before,
                   .end = event.time,
                   .host = event.src,
                   .driver = event.packet.slot,
                   .activity = event.queued,
                   .waited_for = event.packet.dst == event.src ? traffic::kNobody : event.packet.dst});
}

std::vector<ActivityRow> HostActivities::sorted_rows() const {
  std::vector<ActivityRow> out = rows_;
  sort_by_host(out);
  return out;
}

void HostActivities::put_together() {
  sort_by_host(rows_);
  while (rows_.size() > kMostRows / 2 && span_ < kLastSpan) {
    span_ = span_ == Time{} ? kFirstSpan : span_ * 2;
    const auto place = [&](Time t) { return t / span_; };
    std::vector<ActivityRow> out;
    for (auto at = rows_.cbegin(); at != rows_.cend();) {
      // [at, end) is within one span.
      const auto end = std::find_if(at + 1, rows_.cend(), [&](const ActivityRow& r) {
        return r.driver != at->driver || r.host != at->host || place(r.end - Time{1}) != place(at->begin);
      });
      const std::size_t first = out.size();
      for (auto row = at; row != end; ++row) {
        const auto same = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                                       [&](const ActivityRow& r) { return r.activity == row->activity; });
        if (same == out.end()) {
          out.push_back(*row);
          continue;
        }
        same->end += row->end - row->begin;
        same->parts += row->parts;
        if (row->waited_for != traffic::kNobody) same->waited_for = row->waited_for;
      }
      Time next = at->begin;
      for (std::size_t i = first; i < out.size(); ++i) {
        const Time lasts = out[i].end - out[i].begin;
        out[i].begin = next;
        out[i].end = next = next + lasts;
      }
      at = end;
    }
    rows_ = std::move(out);
  }
}

}  // namespace weir::view
