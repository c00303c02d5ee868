#include "weir/view/flow_courses.h"

#include <algorithm>
#include <utility>

namespace weir::view {
namespace {

using net::EventKind;
using net::PacketKind;

// Into one of twice the length; `b` comes later.
CourseBin joined(const CourseBin& a, const CourseBin& b) {
  CourseBin out = b;
  out.sent += a.sent;
  out.again += a.again;
  out.acked += a.acked;
  out.lost += a.lost;
  out.timeouts += a.timeouts;
  out.rtt_ps = std::max(a.rtt_ps, b.rtt_ps);
  return out;
}

}  // namespace

void Course::close() {
  if (!is_new) return;
  if (!rows.empty() && rows.back().bin == now.bin)
    rows.back() = joined(rows.back(), now);
  else
    rows.push_back(now);
  is_new = false;
  now = {.bin = now.bin, .window = now.window, .rate = now.rate};
  if (rows.size() < kMostRows) return;
  std::vector<CourseBin> merged;
  for (CourseBin row : rows) {
    row.bin /= 2;
    if (!merged.empty() && merged.back().bin == row.bin)
      merged.back() = joined(merged.back(), row);
    else
      merged.push_back(row);
  }
  rows = std::move(merged);
  interval = interval * 2;
  now.bin /= 2;
}

void FlowCourses::go_to(Course& course, Time time) {
  const auto bin_at = [&] { return static_cast<std::uint32_t>((time - course.start) / course.interval); };
  if (bin_at() != course.now.bin) {
    course.close();
    course.now.bin = bin_at();
  }
  course.is_new = true;
}

void FlowCourses::add(const net::TraceEvent& event) {
  if (event.kind == EventKind::started) {
    Course& course = active_.start(event);
    course.start = event.time;
    course.interval = interval_;
    course.now.window = cc::kNoWindow.count;
    return;
  }
  if (net::is_of_port(event.kind)) return;
  Course* const course = active_.find(event);
  if (course == nullptr) return;
  const net::PacketView& p = event.packet;
  CourseBin& now = course->now;
  switch (event.kind) {
    case EventKind::controlled:
      go_to(*course, event.time);
      now.window = event.window.count;
      now.rate = event.rate.bits_per_second;
      break;
    case EventKind::told_loss:
      go_to(*course, event.time);
      now.lost += static_cast<std::uint32_t>(event.window.count);
      now.timeouts += event.cause == net::Cause::timeout ? 1 : 0;
      break;
    case EventKind::left: {
      if (!p.to_receiver()) break;
      auto at = std::find_if(course->ports.begin(), course->ports.end(),
                             [&](const PortBytes& used) { return used.port == event.port; });
      if (at == course->ports.end()) at = course->ports.insert(at, {event.port, 0});
      at->bytes += p.wire;
      if (p.kind != PacketKind::data || model_.topology.port_owner(event.port) != event.src) break;
      go_to(*course, event.time);
      (p.seq < course->snd_max ? now.again : now.sent) += p.payload;
      course->snd_max = std::max(course->snd_max, p.seq + p.payload);
      break;
    }
    case EventKind::arrived: {
      if (!p.is_acknowledgement() || model_.topology.port_peer(event.port) != event.src) break;
      go_to(*course, event.time);
      now.rtt_ps = std::max(now.rtt_ps, (event.time - p.sent).ps);
      const bool tells_gap = p.kind == PacketKind::nack && model_.profiles[p.profile].recovery.selective();
      if (tells_gap || p.seq <= course->acked) break;
      now.acked += static_cast<std::uint32_t>(p.seq - course->acked);
      course->acked = p.seq;
      break;
    }
    case EventKind::ended:
      course->close();
      ended_.push_back(std::move(*course));
      active_.end(event);
      break;
    default: break;
  }
}

}  // namespace weir::view
