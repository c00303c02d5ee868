#include "weir/view/port_series.h"

#include <algorithm>
#include <utility>

namespace weir::view {

using net::EventKind;

void PortSeries::add(const net::TraceEvent& event) {
  go_to(event.time);
  Port& port = now_[event.port];
  switch (event.kind) {
    case EventKind::accepted: port.queued = event.queued; break;
    case EventKind::left:
      port.queued = event.queued;
      port.bin.sent += event.packet.wire;
      break;
    case EventKind::marked: ++port.bin.marked; break;
    case EventKind::dropped: ++port.bin.dropped; break;
    case EventKind::trimmed: ++port.bin.trimmed; break;
    case EventKind::paused:
      if (port.paused_classes++ == 0) port.paused_since = event.time;
      break;
    case EventKind::resumed:
      if (port.paused_classes != 0 && --port.paused_classes == 0) add_pause(port, event.time);
      break;
    default: break;
  }
  port.bin.queue = std::max(port.bin.queue, port.queued);
}

void PortSeries::finish(Time end) {
  go_to(end);
  close_bin();
}

void PortSeries::go_to(Time time) {
  while (time >= interval_ * (std::int64_t{bin_} + 1)) {
    close_bin();
    ++bin_;
    if (bin_ >= kMostBins || rows_.size() >= kMostRows) merge();
  }
}

void PortSeries::add_pause(Port& port, Time until) const {
  const Time begin = std::max(port.paused_since, interval_ * std::int64_t{bin_});
  port.bin.paused_ps += std::max<std::int64_t>(0, (until - begin).ps);
}

bool PortSeries::is_empty(const PortBin& bin) {
  return bin.sent == 0 && bin.queue == 0 && bin.marked == 0 && bin.dropped == 0 && bin.trimmed == 0 &&
         bin.paused_ps == 0;
}

std::vector<PortBin> PortSeries::open_rows(Time now) const {
  std::vector<PortBin> out;
  for (std::uint32_t id = 0; id < now_.size(); ++id) {
    Port port = now_[id];
    if (port.paused_classes != 0) add_pause(port, now);
    if (is_empty(port.bin)) continue;
    port.bin.bin = bin_;
    port.bin.port = id;
    out.push_back(port.bin);
  }
  return out;
}

void PortSeries::close_bin() {
  const Time end = interval_ * (std::int64_t{bin_} + 1);
  for (std::uint32_t id = 0; id < now_.size(); ++id) {
    Port& port = now_[id];
    if (port.paused_classes != 0) add_pause(port, end);
    PortBin& bin = port.bin;
    if (!is_empty(bin)) {
      bin.bin = bin_;
      bin.port = id;
      rows_.push_back(bin);
    }
    bin = {.queue = port.queued};
  }
}

// Bins 2n and 2n + 1 become n. The open one has nothing yet; if it becomes the second half of a bin, that one is
// opened again.
void PortSeries::merge() {
  std::vector<PortBin> merged;
  merged.reserve(rows_.size());
  const bool reopens = bin_ % 2 == 1;
  for (std::size_t at = 0; at < rows_.size();) {
    const std::uint32_t bin = rows_[at].bin / 2;
    const std::size_t from = at;
    while (at < rows_.size() && rows_[at].bin == 2 * bin) ++at;
    std::size_t first = from;
    std::size_t second = at;
    const std::size_t middle = at;
    while (at < rows_.size() && rows_[at].bin == 2 * bin + 1) ++at;
    while (first < middle || second < at) {
      const bool takes_first = first < middle && (second == at || rows_[first].port <= rows_[second].port);
      const bool takes_second = second < at && (first == middle || rows_[second].port <= rows_[first].port);
      PortBin row;
      row.bin = bin;
      const auto take = [&row](const PortBin& part) {
        row.port = part.port;
        row.sent += part.sent;
        row.queue = std::max(row.queue, part.queue);
        row.marked += part.marked;
        row.dropped += part.dropped;
        row.trimmed += part.trimmed;
        row.paused_ps += part.paused_ps;
      };
      if (takes_first) take(rows_[first++]);
      if (takes_second) take(rows_[second++]);
      if (reopens && bin == bin_ / 2) {
        row.queue = std::max(row.queue, now_[row.port].queued);
        now_[row.port].bin = row;
      } else {
        merged.push_back(row);
      }
    }
  }
  rows_ = std::move(merged);
  interval_ = interval_ * 2;
  bin_ /= 2;
}

}  // namespace weir::view
