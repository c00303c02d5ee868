#include "weir/net/trace.h"

#include <array>

namespace weir::net {

std::string_view name_of(EventKind kind) {
  static constexpr std::array<std::string_view, kEventKinds> names{
      "arrived", "lost",  "accepted",  "left",       "marked",  "trimmed", "dropped",  "paused", "resumed",
      "started", "ended", "told_loss", "controlled", "waiting", "sent",    "received", "did"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Cause cause) {
  static constexpr std::array<std::string_view, 7> names{"", "turn", "window", "pacing", "on-ramp", "told", "timeout"};
  return names[static_cast<std::size_t>(cause)];
}

std::string_view name_of(PacketKind kind) {
  switch (kind) {
    case PacketKind::data: return "data";
    case PacketKind::trimmed: return "trimmed";
    case PacketKind::probe: return "probe";
    case PacketKind::ack: return "ack";
    case PacketKind::nack: return "nack";
    case PacketKind::cnp: return "cnp";
    case PacketKind::or_ack: return "or-ack";
    case PacketKind::echo: return "echo";
    case PacketKind::credit: return "credit";
    case PacketKind::lost: return "lost";
    case PacketKind::pause: return "pause";
    case PacketKind::resume: break;
  }
  return "resume";
}

}  // namespace weir::net
