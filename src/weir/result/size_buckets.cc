#include "weir/result/size_buckets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace weir::result {

std::string size_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, kUnits[unit]);
}

double bucket_place(std::span<const double> edges, std::size_t i) {
  if (i < edges.size()) return edges[i];
  const double last = edges.back();
  const double before = edges.size() > 1 ? edges[edges.size() - 2] : 0;
  return last * std::max(2.0, before > 0 ? last / before : 0);
}

std::string open_bucket_text(double last_edge) { return "> " + size_text(last_edge); }

}  // namespace weir::result
