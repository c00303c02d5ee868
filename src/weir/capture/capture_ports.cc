#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/capture/capture.h"
#include "weir/probe/port_choice.h"

namespace weir::capture {
namespace {

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::uint64_t> node_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::uint32_t> capture_ports(const net::Topology& topology, const std::string& list) {
  std::vector<std::uint32_t> out;
  for (std::string_view rest = list;;) {
    const auto comma = rest.find(',');
    const std::string_view item = without_blanks(rest.substr(0, comma));
    if (const auto node = node_number(item)) {
      if (*node >= topology.nodes())
        throw InputError(fmt::format("there is no node {}; hosts are 0 to {}, switches {} to {}", *node,
                                     topology.hosts - 1, topology.hosts, topology.nodes() - 1));
      for (std::uint32_t port = 0; port < topology.ports(); ++port)
        if (topology.port_owner(port) == *node) out.push_back(port);
    } else {
      try {
        for (const std::uint32_t port : probe::choose_ports(topology, std::string(item))) out.push_back(port);
      } catch (const InputError& error) {
        const std::string what = error.what();
        if (what.find("names no ports") == std::string::npos) throw;
        throw InputError(what + "; a number alone is a node: a host's NIC, or all ports of a switch");
      }
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace weir::capture
