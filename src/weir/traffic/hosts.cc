#include "weir/traffic/hosts.h"

#include <fmt/format.h>

#include <charconv>
#include <numeric>
#include <optional>
#include <utility>

#include "weir/base/number_list.h"
#include "weir/base/trim.h"

namespace weir::traffic {
namespace {

std::optional<std::int64_t> parse_number(std::string_view text) {
  text = trim(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::uint32_t checked(std::int64_t host, std::string_view text, std::string_view key, const Context& context) {
  if (host >= context.hosts())
    throw InputError(std::string(key), fmt::format("'{}': {}", text, no_such_host(host, context.hosts())));
  return static_cast<std::uint32_t>(host);
}

}  // namespace

std::string no_such_host(std::int64_t host, std::uint32_t hosts) {
  return does_not_exist("host", static_cast<std::uint64_t>(host), hosts);
}

std::vector<std::uint32_t> parse_hosts(std::string_view text, std::string_view key, const Context& context) {
  return under_key(key, [&] { return parse_number_list(text, context.hosts(), "host"); });
}

std::vector<std::uint32_t> random_order(std::uint32_t n, const RandomStream& stream) {
  std::vector<std::uint32_t> out(n);
  std::iota(out.begin(), out.end(), 0u);
  for (std::uint32_t i = n; i > 1; --i) std::swap(out[i - 1], out[stream.below(i, i)]);
  return out;
}

namespace {

std::vector<std::uint32_t> at_random(const std::vector<std::uint32_t>& hosts, std::uint32_t group,
                                     const RandomStream& stream) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t g : random_order(static_cast<std::uint32_t>(hosts.size()) / group, stream))
    for (std::uint32_t i = 0; i < group; ++i) out.push_back(hosts[std::size_t{g} * group + i]);
  for (std::size_t rest = out.size(); rest < hosts.size(); ++rest) out.push_back(hosts[rest]);
  return out;
}

}  // namespace

std::vector<std::uint32_t> place(const std::vector<std::uint32_t>& hosts, Placement placement, std::uint32_t group,
                                 const Context& context) {
  return placement == Placement::in_order ? hosts : at_random(hosts, group, context.stream(Purpose::placement));
}

std::vector<std::uint32_t> hosts_of_job(std::string_view hosts, std::string_view places, Placement placement,
                                        std::uint32_t group, const Context& context) {
  std::vector<std::uint32_t> all = parse_hosts(hosts, "hosts", context);
  const auto count = static_cast<std::uint32_t>(all.size());
  if (trim(places) == "all") return place(all, placement, group, context);
  // a subject that no host of a source can have as its number
  if (placement == Placement::random) all = at_random(all, group, {context.seed, kMaxHosts, Purpose::placement});
  std::vector<std::uint32_t> out;
  for (const std::uint32_t at : under_key("places", [&] { return parse_number_list(places, count, "place"); }))
    out.push_back(all[at]);
  return out;
}

std::uint32_t parse_host(std::string_view text, std::string_view key, const Context& context) {
  if (trim(text) == "last" && context.hosts() > 0) return context.hosts() - 1;
  const auto host = parse_number(text);
  if (!host) throw InputError(std::string(key), fmt::format("'{}' is not a host; write its number or \"last\"", text));
  return checked(*host, text, key, context);
}

}  // namespace weir::traffic
