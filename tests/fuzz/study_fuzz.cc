// Any text is either a study, whose runs can be planned if its scenario is in it and they are few, or an InputError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "weir/base/error.h"
#include "weir/study/plan.h"

namespace {

using namespace weir;

void require(bool good) {
  if (!good) std::abort();
}

bool reads_files(const study::Study& s) {
  if (!s.scenario.empty()) return true;
  for (const auto& axis : s.axes)
    for (const auto& point : axis.points)
      if (!point.scenario.empty()) return true;
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    auto s = study::parse_study({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (reads_files(s) || s.points().size() * (s.seeds.size() + 1) > 100) return 0;
    const auto plan = study::make_plan(std::move(s));
    require(plan.runs.size() == plan.points.size() * plan.seeds);
  } catch (const InputError& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
