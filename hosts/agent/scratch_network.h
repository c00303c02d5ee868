// A network namespace of its own for a moment: what is tried there changes nothing on this host, and goes away with the
// process that tried it.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

namespace weir::hosts {

// Runs `work` in a child process in a new network namespace, whose loopback is up, and returns what it returns. Throws
// std::runtime_error: no namespace can be made, the work threw, or it took longer than timeout_ms.
nlohmann::json in_scratch_network(const std::function<nlohmann::json()>& work, int timeout_ms);

}  // namespace weir::hosts
