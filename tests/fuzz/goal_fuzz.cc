// Any bytes are a schedule whose operations can all be done, or an InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "weir/base/error.h"
#include "weir/traffic/goal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint32_t> hosts(64);
  std::iota(hosts.begin(), hosts.end(), 0u);
  try {
    const auto program =
        weir::traffic::parse_goal({reinterpret_cast<const char*>(data), size}, "fuzz", weir::Time{1'000}, hosts, {});
    if (program.in_order().size() != program.size()) std::abort();
    for (std::uint32_t node = 0; node < program.size(); ++node)
      if (program[node].is_message() != (program[node].size.count > 0)) std::abort();
  } catch (const weir::InputError&) {
  }
  return 0;
}
