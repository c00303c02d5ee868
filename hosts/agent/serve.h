// From a configuration to a running agent and back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hosts/agent/config.h"
#include "hosts/agent/key_file.h"
#include "hosts/agent/run_dir.h"

namespace weir::hosts {

// What is wrong with this host, before anything is changed: interfaces and groups that do not exist, capabilities that
// are missing. Throws InputError.
void check_host(const Config& config);

// Whether a peer is this host itself. Throws InputError. check_host() looks for that, too.
void check_peers(const Config& config);

// Another agent is up.
class AlreadyUp : public std::runtime_error {
 public:
  AlreadyUp(int pid, const RunDir& dir);
};

// Runs the agent until it is asked to end, and puts everything back. After SIGHUP its peers are those that load()
// gives, which may throw InputError and must find what it reads from any working directory. Once packets can be held,
// `ready` is called with what people should know. Gives up privileges for ever. Returns the exit status. Throws
// InputError, Unavailable, AlreadyUp and std::runtime_error before `ready`.
int serve(const Config& config, const std::function<Config()>& load, const MasterKey& key, RunDir& dir,
          const std::function<void(const std::vector<std::string>& warnings)>& ready);

// Puts back what a crash has left, if anything, and removes the folder. Returns what was put back. The lock must be
// held.
std::vector<std::string> put_back_leftovers(RunDir& dir);

}  // namespace weir::hosts
