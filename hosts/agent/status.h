// What the agent knows of itself, as JSON for the control socket, as metrics for Prometheus, and as text for people.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/agent/config.h"
#include "hosts/agent/peers.h"
#include "hosts/agent/refclock.h"
#include "hosts/path/data_path.h"

namespace weir::hosts {

struct Status {
  Mode mode = Mode::observe;
  std::string path;  // "bpf" or "queue": what observes or holds
  pid_t pid = 0;
  std::int64_t since = 0;  // when it went up
  std::int64_t now = 0;
  std::vector<std::string> interfaces;
  std::uint32_t segment = 0;  // limit of super-packets that was set; 0 = as it was
  std::string trouble;        // "" = none
  std::vector<std::string> warnings;
  Counters counters;
  std::vector<PeerStatus> peers;
  std::optional<RefclockStatus> refclock;  // nothing: no clock is steered
  std::vector<FlowView> flows;
};

// One member of Counters: its name in JSON, in metrics (weir_host_<name>, with _total if it only grows) and in text.
struct CounterKind {
  std::string_view name;
  std::string_view meaning;
  std::uint64_t Counters::*value;
  bool grows = true;
};
std::span<const CounterKind> counter_kinds();

nlohmann::ordered_json to_json(const Status& status);
// Format 0.0.4 of Prometheus. Flows are not in it, as they come and go.
std::string to_metrics(const Status& status);

// For people, of to_json(Status): all, or the peers alone.
std::string status_text(const nlohmann::json& status);
std::string peers_text(const nlohmann::json& status);
// weir-host top: rates are those between two statuses; as many lines as there are rows at most.
std::string top_text(const nlohmann::json& status, const nlohmann::json& before, int rows);

// "1.234 ms", "56 us", "-3 ns", at most four digits.
std::string duration_text(double ns);

}  // namespace weir::hosts
