// Classic BPF programs that pick out what the path looks at.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hosts/path/address.h"

namespace weir::hosts {

using Filter = std::vector<sock_filter>;

// Addresses that a filter compares at most; with more of one version user space has to look at the packets of all
// hosts.
inline constexpr std::size_t kMostAddresses = 250;

enum class End : std::uint8_t { source, destination };

// Packets from their IP header on: TCP with data, of one version of IP, of one of these addresses at that end.
Filter data_filter(bool v6, End end, std::span<const Address> addresses);
// The same for both versions, but only packets that leave this host.
Filter leaving_filter(std::span<const Address> addresses);
// For iptables, which has looked at the version, TCP and the address: segments with data, SYN, FIN or RST. What else
// there is, acknowledgements above all, need not wait and costs nothing.
Filter waiting_filter(bool v6);

// As iptables -m bpf wants it.
std::string to_bytecode(const Filter& filter);

}  // namespace weir::hosts
