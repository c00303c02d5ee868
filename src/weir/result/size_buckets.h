// Buckets of flow sizes as figures show them: each at its upper edge.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace weir::result {

// "1 KB" of 1000, "64 B" of 64: up to four digits, in decimal units.
std::string size_text(double bytes);

// The label of the axis on which buckets stand.
inline constexpr const char* kBucketAxis = "flow size, up to";

// Where bucket i of those with these upper edges is drawn, in bytes: at its upper edge. The edges ascend and are not
// empty; bucket edges.size() is open, and stands as far from the last edge as that from the one before, on a
// logarithmic axis, at least at twice the last edge.
double bucket_place(std::span<const double> edges, std::size_t i);

// What the tick of an open bucket says instead of a size: "> 10 MB".
std::string open_bucket_text(double last_edge);

}  // namespace weir::result
