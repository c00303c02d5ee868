// What `weir run --pcap` and `--trace` have in common: options that say where, which flows and when. Their names begin
// with "--pcap" or "--trace".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/base/error.h"
#include "weir/base/units.h"
#include "weir/net/model/topology.h"
#include "weir/probe/packet_probe.h"

namespace weir::capture {

// Calls `use`, and puts the option's name before the message of an InputError.
template <class Use>
auto of_option(std::string_view option, Use&& use) {
  try {
    return std::forward<Use>(use)();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", option, error.what()));
  }
}

// The ports that a list means: numbers of nodes, which are a host's NIC or all ports of a switch, and all that
// probe::choose_ports() knows. In ascending order, each once. Throws InputError that says what is valid.
std::vector<std::uint32_t> capture_ports(const net::Topology&, const std::string& list);

// A part of a run: [from, until).
struct Span {
  Time from;
  Time until = Time::max();
};
// Of the options PREFIX-from and PREFIX-until; "" = from the beginning, to the end. Throws InputError.
Span span_of(std::string_view prefix, const std::string& from, const std::string& until);

// Of the option PREFIX-flow, several times: none = all. Throws InputError.
std::vector<probe::IdRange> flows_of(std::string_view prefix, const std::vector<std::string>& lists);
// Throws InputError if one of them cannot be, because ids end before it.
void check_flows(std::string_view prefix, const std::vector<probe::IdRange>& chosen, std::uint64_t flows);

}  // namespace weir::capture
