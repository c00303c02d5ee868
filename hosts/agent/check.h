// Which data path this host can have, and why not another: each is tried in a network namespace of its own, so that
// nothing is changed.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hosts/agent/config.h"

namespace weir::hosts {

struct Fact {
  std::string name;
  bool good = false;
  std::string value;  // what was found, or what is missing and what to do
};

struct ModeFact {
  Mode mode = Mode::observe;
  bool possible = false;
  std::string by;   // the path that it would have
  std::string why;  // it is not possible, or not the first choice
};

struct InterfaceCheck {
  std::string name;
  bool exists = false;
  std::uint32_t mtu = 0;
  std::int64_t rate = 0;  // bit/s, 0 = it does not say
  bool hardware_timestamps = false;
  std::uint32_t gso_max_size = 0;
  std::string qdisc;  // the root one
};

struct CheckReport {
  std::string kernel;
  std::vector<Fact> facts;
  std::vector<ModeFact> modes;
  std::vector<InterfaceCheck> interfaces;
  std::optional<Mode> wanted;  // by the configuration
  std::string segment;         // what would be set, or the warning; "": there is no configuration
  bool segment_good = true;

  // The wanted mode, or any without one.
  bool good() const;
};

// `config`: nothing = of the host alone, with these interfaces.
CheckReport check_this_host(const std::optional<Config>& config, const std::vector<std::string>& interfaces);

nlohmann::ordered_json to_json(const CheckReport& report);
std::string to_text(const CheckReport& report);

}  // namespace weir::hosts
