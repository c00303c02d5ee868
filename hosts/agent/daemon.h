// The running agent: one event loop over a data path, the clocks, the control socket and the metrics.
//
// Every 100 ms it tells the data path what is new of the peers, and that it is alive; then it tells systemd so. When
// anything here hangs, both miss it: the data path lets all packets pass, and systemd starts the agent anew.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hosts/agent/clocks.h"
#include "hosts/agent/config.h"
#include "hosts/agent/control.h"
#include "hosts/agent/event_loop.h"
#include "hosts/agent/metrics_server.h"
#include "hosts/agent/peers.h"
#include "hosts/agent/refclock.h"
#include "hosts/agent/run_dir.h"
#include "hosts/agent/status.h"
#include "hosts/agent/trace_hub.h"
#include "hosts/path/data_path.h"

namespace weir::hosts {

inline constexpr std::int64_t kBeatEvery = 100'000'000;  // ns

struct DaemonParts {
  Config config;
  std::function<Config()> load;  // the configuration as it is now; throws InputError
  std::string path_name;         // "bpf" or "queue"
  std::unique_ptr<DataPath> path;
  std::unique_ptr<Clocks> clocks;
  Peers::Derive derive;
  Peers::Local local;
  SegmentChoice segment;
  std::vector<std::string> warnings;
  Descriptor control;          // of make_control_socket()
  std::optional<gid_t> group;  // whose members may ask
};

// The group that the configuration names; nothing = none. Throws InputError: there is no such group.
std::optional<gid_t> control_group(const Config& config);

class Daemon {
 public:
  // Opens the metrics, and serves the control socket. Throws std::runtime_error.
  Daemon(EventLoop& loop, DaemonParts parts, const RunDir& dir);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon();

  // Until somebody asks for the end, or a signal does. Throws what the data path throws.
  void run();
  // Puts everything back, and tells those who asked for the end. Returns what went wrong, "" = nothing.
  std::string down();

  Status status();
  std::uint16_t metrics_port() const { return metrics_ ? metrics_->port() : 0; }

  // What happens every 100 ms; for tests.
  void beat();

  // Reads the configuration again: its peers count from now on, and clocks of those that stay are known as before. What
  // else has changed in it is logged, and counts after a new start. One that cannot be read changes nothing.
  void reload();

 private:
  void answer(const std::shared_ptr<ControlConnection>& connection, const nlohmann::json& request);
  void tick_clocks();
  void tell_changes();
  std::string trouble();
  void look_for_interfaces();

  EventLoop& loop_;
  DaemonParts parts_;
  std::int64_t since_;
  Peers peers_;
  std::optional<Refclock> refclock_;
  std::optional<Alarm> clock_alarm_;
  std::optional<TraceHub> traces_;
  std::optional<MetricsServer> metrics_;
  std::optional<ControlServer> control_;
  std::vector<std::shared_ptr<ControlConnection>> wait_for_end_;
  std::string vanished_;  // interfaces that are not there, as of the last look
  int looks_ = 0;
  // what the log has been told
  std::string told_trouble_;
  std::map<Address, PeerState> told_states_;
};

// The configuration that is in force, for status and traces.
nlohmann::ordered_json to_json(const Config& config);

}  // namespace weir::hosts
