// The synchronisation of clocks as the agent uses it, so that tests can put a fake in its place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hosts/agent/config.h"
#include "hosts/agent/peers.h"

namespace weir::hosts {

class Clocks {
 public:
  virtual ~Clocks() = default;
  // Times of CLOCK_MONOTONIC, ns.
  virtual std::int64_t next_timer() = 0;
  virtual void on_timer(std::int64_t now) = 0;
  virtual std::map<Address, ClockNews> news(std::int64_t now) = 0;
  // These are the peers from now on; what is known of the clocks of those that stay is kept. Throws std::system_error.
  virtual void set_peers(const std::vector<PeerConfig>& peers) = 0;
  // For weir-host sync: {"peers": [...], ...}.
  virtual nlohmann::ordered_json details(std::int64_t now) = 0;
};

// The service of clock/service.h, with the peers of the configuration. `start`: of the test clock. It begins with what
// an agent before it has left in the file `memory`, and writes it anew every second. Throws std::system_error where its
// port is taken.
std::unique_ptr<Clocks> make_clocks(const Config& config, Peers::Derive derive, std::int64_t start,
                                    const std::string& memory);

// For people, of details().
std::string clocks_text(const nlohmann::json& details);

}  // namespace weir::hosts
