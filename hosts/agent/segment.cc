#include <fmt/format.h>

#include <algorithm>

#include "hosts/agent/peers.h"

namespace weir::hosts {
namespace {

constexpr std::int64_t kNanoseconds = 8'000'000'000;  // of a byte at 1 bit/s
constexpr std::int64_t kFraming = 14 + 24;            // Ethernet's header, and what else a frame takes on the wire
constexpr std::int64_t kIpAndTcp = 40;
// Before TCP counts data, the kernel takes room for headers off gso_max_size: MAX_TCP_HEADER + 1.
constexpr std::int64_t kReserved = 321;
// Super-packets of a flow that TCP hands down before the first of them has left.
constexpr std::int64_t kHandedDown = 2;

}  // namespace

SegmentChoice choose_segment(const Config& config, const LinkFacts& link) {
  SegmentChoice out;
  if (config.segment) out.limit = *config.segment;
  if (link.rate <= 0) {
    if (!config.segment)
      out.warning =
          "the link's rate is not known, so that super-packets keep their size; set 'rate' or 'segment', since one "
          "that takes longer than T/2 defeats On-Ramp";
    return out;
  }
  const std::int64_t data = std::max<std::int64_t>(link.mtu - kIpAndTcp, 1);  // of a packet
  const auto packets_of = [&](std::int64_t size) { return std::max<std::int64_t>((size - kReserved) / data, 1); };
  const auto duration_of = [&](std::int64_t packets) {
    return packets * (link.mtu + kFraming) * kNanoseconds / link.rate;
  };
  const std::int64_t present = packets_of(link.gso_max_size);
  const std::int64_t smallest = !config.segment ? 2 : (out.limit == 0 ? present : packets_of(out.limit));
  out.least_threshold = 2 * duration_of(smallest);
  std::int64_t least = config.threshold.value_or(std::max(nanoseconds(config.headroom), out.least_threshold));
  for (const auto& peer : config.peers)
    if (peer.threshold && *peer.threshold) least = std::min(least, **peer.threshold);
  std::int64_t packets = smallest;
  if (!config.segment) {
    packets = std::max<std::int64_t>(least / 2 / kHandedDown / std::max<std::int64_t>(duration_of(1), 1), 2);
    if (packets >= present)
      packets = present;  // as it is
    else
      out.limit = static_cast<std::uint32_t>(packets * data + kReserved);
  }
  out.duration = duration_of(packets);
  if (out.duration > least / 2)
    out.warning = fmt::format(
        "a super-packet of {} packet{} takes {} us, more than half of T = {} us: On-Ramp holds too late; {}", packets,
        packets == 1 ? "" : "s", out.duration / 1'000, least / 1'000,
        config.segment ? "make 'segment' smaller or T larger" : "make T larger");
  return out;
}

std::string too_many_flows(std::size_t flows, const SegmentChoice& segment, const Config& config) {
  const std::int64_t round = static_cast<std::int64_t>(flows) * segment.duration;
  const HoldTable& hold = config.hold;
  if (config.mode == Mode::queue) {
    const std::int64_t most = nanoseconds(std::max(hold.at_most, hold.many));
    if (kHeldRounds * round <= most) return "";
    return fmt::format(
        "{} flows send at once, and {} super-packets of each take {} ms on the link, more than the {} ms of hold.many: "
        "On-Ramp shortens the queue little; smaller super-packets ('segment') or a longer bound help",
        flows, kHeldRounds, kHeldRounds * round / 1'000'000, most / 1'000'000);
  }
  const std::int64_t most = nanoseconds(std::min(hold.at_most, config.rule.max_pause));
  if (round <= most) return "";
  return fmt::format(
      "{} flows send at once, and a super-packet of each takes {} ms on the link, more than the {} ms of hold.at_most "
      "and rule.max_pause: On-Ramp shortens the queue little; mode queue does better, and larger ones help some",
      flows, round / 1'000'000, most / 1'000'000);
}

}  // namespace weir::hosts
