// The table that iptables makes in the kernel (nf_tables) with the first rule in "mangle", and never takes away.
#pragma once

#include <cstdint>
#include <optional>

namespace weir::hosts {

// Whether it is there. With iptables' older way (x_tables) it never is.
bool has_mangle_table(bool v6);

// Takes it away if nothing is in it but iptables' own chains, without rules and with the policy to accept. The kernel
// itself refuses to delete what is not empty, so that nobody's rule is lost. Asks for no memory and takes no lock, so
// that the watchdog's process may call it. True if it has gone.
bool remove_empty_mangle_table(bool v6);

// Changes whenever anybody changes a rule of nf_tables in this network namespace; nothing: the kernel has none. Rules
// of iptables' older way do not count.
std::optional<std::uint32_t> ruleset_generation();

}  // namespace weir::hosts
