#include "weir/figure/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace weir::figure {
namespace {

constexpr std::array<Kind, 7> kKinds{{
    {"lines"},
    {"steps"},
    {"bars", Shorter::never},
    {"scatter"},
    {"stack", Shorter::means},
    {"radar", Shorter::never, true, false},
    {"surface", Shorter::never, false, true},
}};

}  // namespace

std::span<const Kind> kinds() { return kKinds; }

const Kind* find_kind(std::string_view name) {
  for (const Kind& kind : kKinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

bool has_values(const Figure& figure) {
  return std::any_of(figure.series.begin(), figure.series.end(), [](const Series& s) {
    const std::vector<double>& values = s.z.empty() ? s.y : s.z;
    return std::any_of(values.begin(), values.end(), [](double v) { return !std::isnan(v); });
  });
}

void add_printed(Figure& figure, Series series) {
  const auto has_its_name = [&](const Series& other) { return other.name == series.name; };
  while (std::any_of(figure.series.begin(), figure.series.end(), has_its_name)) series.name += ", printed";
  series.printed = true;
  figure.series.push_back(std::move(series));
}

}  // namespace weir::figure
