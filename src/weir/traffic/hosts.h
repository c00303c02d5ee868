// Which hosts take part in a traffic source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/traffic/context.h"

namespace weir::traffic {

// "all", one host ("7"), ranges ("0-15") or a comma-separated list of both ("0-3,8,12-15"), in
// the order written. Throws InputError that names `key` for hosts that do not exist or are
// listed twice.
std::vector<std::uint32_t> parse_hosts(std::string_view text, std::string_view key, const Context&);

// One host: a number, or "last".
std::uint32_t parse_host(std::string_view text, std::string_view key, const Context&);

// "host 400 does not exist: hosts are 0 to 319"
std::string no_such_host(std::int64_t host, std::uint32_t hosts);

}  // namespace weir::traffic
