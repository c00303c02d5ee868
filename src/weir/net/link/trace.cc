#include "weir/net/trace.h"

#include <array>

namespace weir::net {

std::string_view name_of(EventKind kind) {
  static constexpr std::array<std::string_view, kEventKinds> names{
      "arrived", "lost",    "accepted", "left",      "marked",     "trimmed", "dropped", "paused",
      "resumed", "started", "ended",    "told_loss", "controlled", "waiting", "sent",    "received"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace weir::net
