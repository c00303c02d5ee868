#include "weir/run_text.h"

#include <fmt/format.h>

#include "weir/signals.h"

namespace weir::app {

int status_of(const run::Outcome& o) {
  if (o.manifest.interrupted) return 128 + pending_signal();
  return o.is_whole() ? 0 : 1;
}

std::string engine_text(const probe::Manifest& m) {
  const auto& c = m.counters;
  return fmt::format(
      "network  {} packet-hops; switches dropped {} packets and trimmed {}, links lost {}; {} data packets arrived "
      "marked; {} retransmitted, {} timeouts, {} pauses\n"
      "engine   {:.2f} s on {} thread{}, {:.2f} s of processor time: {:.2f} M packet-hops per processor second; "
      "{:.0f} MB of memory\n"
      "digest   {:016x}\n",
      c.packet_hops, c.dropped, c.trimmed, c.lost, c.marked, c.retransmitted, c.timeouts, c.pauses, m.wall_s, m.threads,
      m.threads == 1 ? "" : "s", m.cpu_s, static_cast<double>(c.packet_hops) / m.cpu_s * 1e-6,
      static_cast<double>(m.max_rss_bytes) * 1e-6, m.digest);
}

}  // namespace weir::app
