// Any bytes are messages and computations that can all be done, or an InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "weir/base/error.h"
#include "weir/traffic/program_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::traffic::Context context;
  context.host_rates.assign(64, weir::Rate{100'000'000'000});
  context.tag_of = context.profile_of = [](const std::string&, const weir::Where&) { return std::uint16_t{1}; };
  try {
    const auto program = weir::traffic::parse_program({reinterpret_cast<const char*>(data), size}, "fuzz", context);
    if (program.in_order().size() != program.size()) std::abort();
    for (std::uint32_t node = 0; node < program.size(); ++node)
      if (program[node].is_message() != (program[node].size.count > 0)) std::abort();
  } catch (const weir::InputError&) {
  }
  return 0;
}
