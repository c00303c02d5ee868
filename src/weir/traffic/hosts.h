// Which hosts take part in a traffic source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/traffic/context.h"

namespace weir::traffic {

// "all", one host ("7"), ranges ("0-15", "0-255:32" = every 32nd) or a comma-separated list of both ("0-3,8,12-15"), in
// the order written. Throws InputError about `key` for hosts that do not exist or are
// listed twice.
std::vector<std::uint32_t> parse_hosts(std::string_view text, std::string_view key, const Context&);

// One host: a number, or "last".
std::uint32_t parse_host(std::string_view text, std::string_view key, const Context&);

// "host 400 does not exist: hosts are 0 to 319"
std::string no_such_host(std::int64_t host, std::uint32_t hosts);

// Which host gets which rank: in the order of the list, or at random.
enum class Placement : std::uint8_t { in_order, random };

// The hosts in that order. At random, groups of `group` consecutive hosts stay together; an incomplete group comes
// last.
std::vector<std::uint32_t> place(const std::vector<std::uint32_t>& hosts, Placement, std::uint32_t group,
                                 const Context&);

// A job's hosts: those at the given places (written as parse_hosts() takes them) of `hosts`, after placement. Random
// placement gives all sources with as many hosts and an equal `group` the same order, so that jobs at other places get
// other hosts; with places "all" each source has an order of its own. Throws InputError about `hosts` and `places`.
std::vector<std::uint32_t> hosts_of_job(std::string_view hosts, std::string_view places, Placement, std::uint32_t group,
                                        const Context&);

// The numbers 0 to n-1 in random order, all orders equally likely; uses draws 2 to n of the stream.
std::vector<std::uint32_t> random_order(std::uint32_t n, const RandomStream& stream);

}  // namespace weir::traffic
