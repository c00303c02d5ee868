#include "weir/engine/regime.h"

#include <fmt/format.h>

namespace weir::engine {

std::string to_text(const Regime& r) {
  std::string out = fmt::format("events {}{}", r.events, r.sides == 2 ? ", two sides" : "");
  if (r.epochs_at_once > 1) out += fmt::format(", {} epochs at once", r.epochs_at_once);
  out += fmt::format("; {} ports of switches, {} of hosts; ports {}", r.switch_ports, r.host_ports,
                     r.cache == "none" ? "exceed a core's caches" : fmt::format("fit in {}", r.cache));
  if (r.on_one_thread > 0 && r.on_one_thread < 1)
    out += fmt::format("; {:.0f} % of the events on one thread alone", 100 * r.on_one_thread);
  if (r.traced) out += "; single events are recorded";
  return out;
}

}  // namespace weir::engine
