#include "weir/run/starvation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "weir/base/params.h"
#include "weir/engine/model/model.h"

namespace weir::run {
namespace {

constexpr std::int64_t kRoundTrips = 100;  // that a flow must be old

// `round_trip` is the one of the empty path, with what hosts add.
bool starves(const host::FlowView& flow, Time round_trip, Time now) {
  const Time age = now - flow.start;
  if (age / kRoundTrips < round_trip || flow.next >= flow.size) return false;
  // a packet's own time at the slowest link, for rounding and what it meets in passing
  if (flow.srtt > round_trip + round_trip / 20) return false;
  const bool by_window = flow.window < flow.payload;
  const bool by_rate = flow.rate.bits_per_second > 0 && bytes_in(round_trip, flow.rate) < flow.wire;
  const double sent = static_cast<double>(flow.next.count) / static_cast<double>(flow.payload.count);
  return (by_window || by_rate) && sent * round_trip.seconds() < age.seconds();
}

}  // namespace

std::string Starvation::look(const engine::Engine& engine) {
  const Time now = engine.now();
  const auto is_due = [&] { return next_ < Time::max() && now > next_ - engine.epoch(); };
  if (!is_due()) return "";
  while (is_due()) next_ = next_ < Time::max() / 2 ? 2 * next_ : Time::max();
  if (told_ > Time{} && now / 10 < told_) return "";
  std::uint64_t active = 0;
  std::uint64_t starving = 0;
  host::FlowRecord first;
  double packets = 0;
  Time round_trip;
  double longest = 0;  // seconds until they all have ended
  engine.for_each_active([&](const host::FlowView& flow) {
    ++active;
    const Time unloaded = flow.base_rtt + model_of(engine).host.answer_delay();
    if (!starves(flow, unloaded, now)) return;
    if (starving++ == 0 || flow.id < first.id) {
      first = host::record_of(flow, now);
      packets = static_cast<double>(flow.next.count) / static_cast<double>(flow.payload.count);
      round_trip = unloaded;
    }
    const double done = static_cast<double>(std::max<std::int64_t>(flow.in_order.count, 1));
    longest =
        std::max(longest, (now - flow.start).seconds() * static_cast<double>((flow.size - flow.in_order).count) / done);
  });
  if (starving == 0) return "";
  told_ = now;
  return fmt::format(
      "at {:.6g} s of simulated time {} of {} active flows send less than a packet per round trip, and nothing is "
      "queued on their paths (the first: flow {}, host {} to {}, {:.0f} packets in {:.6g} s, round trip {}): their "
      "algorithm holds them back; see what weir validate says of delay targets. At this pace they have ended after "
      "{:.3g} s more; run.stop ends a run earlier",
      now.seconds(), starving, active, first.id, first.src, first.dst, packets, (now - first.start).seconds(),
      format_value(round_trip), longest);
}

}  // namespace weir::run
