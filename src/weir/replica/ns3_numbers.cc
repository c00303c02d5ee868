#include "weir/replica/ns3_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "weir/base/error.h"
#include "weir/base/number_list.h"

namespace weir::replica {

std::vector<std::uint32_t> ns3_numbers(const std::string& switches, const net::Topology& t) {
  std::vector<std::uint32_t> out(t.nodes());
  std::iota(out.begin(), out.end(), 0u);
  if (switches.empty()) return out;
  const std::vector<std::uint32_t> of_switches = parse_number_list(switches, t.nodes(), "node");
  if (of_switches.size() != t.switches)
    throw InputError(
        fmt::format("'{}' are {} numbers, but there are {} switches", switches, of_switches.size(), t.switches));
  if (!std::is_sorted(of_switches.begin(), of_switches.end()))
    throw InputError(fmt::format("'{}' is not in ascending order; write it so", switches));
  // Hosts have the numbers that are left.
  const auto end = std::remove_if(out.begin(), out.end(), [&](std::uint32_t n) {
    return std::binary_search(of_switches.begin(), of_switches.end(), n);
  });
  std::copy(of_switches.begin(), of_switches.end(), end);
  return out;
}

}  // namespace weir::replica
