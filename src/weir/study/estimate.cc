#include "weir/study/estimate.h"

#include <algorithm>

namespace weir::study {
namespace {

// By fitting max_rss_bytes of runs with 17 to 8192 hosts and up to 63,000 flows, each then rounded up;
// docs/guides/sweeps.md compares them.
constexpr double kProcess = 10e6;
constexpr double kPort = 1600;      // with its ring, its link's events, and its share of hosts and switches
constexpr double kFlow = 600;       // its block while it is active, its record, its slowdown
constexpr double kFinished = 64;    // its slowdown, and what its statistics take
constexpr double kActive = 2e6;     // flows, of more than these not all are active at once
constexpr double kPacket = 192;     // in a ring, with its telemetry or selective acknowledgement
constexpr double kFullBuffers = 8;  // one in so many is full at the same time
constexpr double kTableEntry = 16;  // routing of graphs without tree rules: by switch and edge switch
constexpr double kThread = 4e6;
constexpr double kMargin = 1.25;

constexpr double kMostBytes = 1e18;

// Of processor time, by measuring the same runs, and made several times as long as the slowest of them took:
// docs/guides/sweeps.md compares them.
constexpr double kRunSeconds = 2;
constexpr double kPortSeconds = 20e-6;    // to make the network
constexpr double kPacketSeconds = 10e-6;  // to send, acknowledge and perhaps repeat a packet

}  // namespace

Estimate estimate(const scenario::Scenario& s, const engine::Model& model, const scenario::Expected& expected) {
  const auto& topology = model.topology;
  const double switches = topology.switches;
  const double ports = topology.ports();
  const bool per_port = s.buffer.mode == net::BufferMode::per_port;
  const double buffers = static_cast<double>(s.buffer.size.count) * (per_port ? ports : switches);
  const double waiting =
      buffers / kFullBuffers / static_cast<double>(std::max<std::int64_t>(s.transport.payload.count, 1));
  const double sent = static_cast<double>(expected.packets) * expected.of_all;
  const double flows = static_cast<double>(expected.flows - expected.unlisted) * expected.of_all;
  const double active = std::max(std::min(flows, kActive), expected.most_waiting * expected.of_all) +
                        static_cast<double>(expected.at_once);
  const double tables = topology.tree.empty() ? kTableEntry * switches * switches : 0;
  const double bytes = kProcess + kPort * ports + kFlow * active + kFinished * std::max(flows - active, 0.0) +
                       kPacket * std::min(sent, waiting) + tables + kThread * (s.run.threads - 1);
  const double seconds = kRunSeconds + kPortSeconds * ports + kPacketSeconds * sent;
  return {static_cast<std::uint64_t>(std::min(bytes * kMargin, kMostBytes)), sent, seconds,
          static_cast<int>(s.run.threads), expected.digest};
}

}  // namespace weir::study
