#include "hosts/path/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

namespace weir::hosts {
namespace {

std::string with_port(const Address& address, unsigned port) {
  return address.v6 ? fmt::format("[{}]:{}", to_text(address), port) : fmt::format("{}:{}", to_text(address), port);
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  const std::string whole(text);
  Address out;
  if (::inet_pton(AF_INET, whole.c_str(), out.bytes.data()) == 1) return out;
  out.v6 = true;
  if (::inet_pton(AF_INET6, whole.c_str(), out.bytes.data()) == 1) return out;
  return std::nullopt;
}

std::string to_text(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> out{};
  ::inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), out.data(), out.size());
  return out.data();
}

std::string to_text(const Flow& flow) {
  return with_port(flow.source, flow.source_port) + " > " + with_port(flow.destination, flow.destination_port);
}

}  // namespace weir::hosts
