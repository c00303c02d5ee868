// Any text is either flows on links whose max-min fair rates can be told, or an InputError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "weir/base/error.h"
#include "weir/scenario/flows_on_links.h"
#include "weir/theory/max_min.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weir;
  scenario::FlowsOnLinks input;
  try {
    input = scenario::parse_flows_on_links({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const InputError&) {
    return 0;
  }
  theory::check(input.network);
  const auto filling = theory::max_min(input.network);
  for (const auto& b : theory::bottlenecks(input.network, filling.rates))
    if (!b) std::abort();
  return 0;
}
