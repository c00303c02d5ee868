// Other programs: tc, ip, iptables and their like.
#pragma once

#include <string>
#include <vector>

namespace weir::hosts {

struct ProgramResult {
  int status = 0;      // 127: not there; 128 + n: ended by signal n
  std::string output;  // standard output and standard error, the first 64 KB
  bool ok() const { return status == 0; }
};

// Runs a program, which is looked for in the system's folders alone, without a shell and with an empty environment but
// for a fixed PATH. After timeout_ms it is killed.
ProgramResult run_program(const std::vector<std::string>& command, int timeout_ms = 5'000);

// "ip link show", for messages.
std::string to_text(const std::vector<std::string>& command);

}  // namespace weir::hosts
