#include "weir/capture/choice.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "weir/base/params.h"
#include "weir/base/text.h"
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

Span span_of(std::string_view prefix, const std::string& from, const std::string& until) {
  const auto time = [&](std::string_view which, const std::string& text) {
    return of_option(fmt::format("{}-{}", prefix, which), [&] {
      const Time at = parse_time(text);
      if (at < Time{}) throw InputError(fmt::format("{} is before the run begins, which is at 0", printable(text)));
      return at;
    });
  };
  Span out;
  if (!from.empty()) out.from = time("from", from);
  if (!until.empty()) out.until = time("until", until);
  if (out.until <= out.from)
    throw InputError(fmt::format("{0}-until: {1} is not after {0}-from, {2}", prefix, format_value(out.until),
                                 format_value(out.from)));
  return out;
}

std::vector<probe::IdRange> flows_of(std::string_view prefix, const std::vector<std::string>& lists) {
  return of_option(fmt::format("{}-flow", prefix),
                   [&] { return probe::parse_ids(fmt::format("{}", fmt::join(lists, ","))); });
}

void check_flows(std::string_view prefix, const std::vector<probe::IdRange>& chosen, std::uint64_t flows) {
  for (const probe::IdRange& range : chosen)
    if (range.last >= flows)
      throw InputError(
          flows == 0 ? fmt::format("{}-flow: there is no flow {}; there are none", prefix, range.last)
                     : fmt::format("{}-flow: there is no flow {}; flows are 0 to {}", prefix, range.last, flows - 1));
}

}  // namespace weir::capture
