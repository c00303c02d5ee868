#include "weir/figure/figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir::figure {

bool has_values(const Figure& figure) {
  return std::any_of(figure.series.begin(), figure.series.end(), [](const Series& s) {
    return std::any_of(s.y.begin(), s.y.end(), [](double y) { return !std::isnan(y); });
  });
}

void add_printed(Figure& figure, Series series) {
  const auto has_its_name = [&](const Series& other) { return other.name == series.name; };
  while (std::any_of(figure.series.begin(), figure.series.end(), has_its_name)) series.name += ", printed";
  series.printed = true;
  figure.series.push_back(std::move(series));
}

}  // namespace weir::figure
