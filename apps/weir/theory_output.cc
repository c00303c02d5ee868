#include "weir/theory_output.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace weir::app {

std::string rate_text(double bits_per_second) {
  constexpr std::pair<double, std::string_view> kUnits[] = {
      {1e12, "Tbps"}, {1e9, "Gbps"}, {1e6, "Mbps"}, {1e3, "Kbps"}};
  for (const auto& [size, unit] : kUnits)
    if (bits_per_second >= size) return fmt::format("{:.6g} {}", bits_per_second / size, unit);
  return fmt::format("{:.6g} bps", bits_per_second);
}

nlohmann::ordered_json rounded(double x) {
  if (!std::isfinite(x)) return nullptr;
  const std::string text = fmt::format("{:.9g}", x);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace weir::app
