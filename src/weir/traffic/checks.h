// Checks shared by several sources. They throw InputError about the parameter with the given name.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/traffic/arrivals.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

inline void check_load(double load) {
  if (!(load >= kLeastLoad && load <= 1))
    throw InputError("load", fmt::format("{} is out of range; valid is {} to 1", load, kLeastLoad));
}

inline void check_window(Time start, Time stop) {
  if (stop <= start)
    throw InputError("stop", fmt::format("{} is not after start = {}", format_value(stop), format_value(start)));
}

inline void check_size(Bytes size) {
  if (size < Bytes{1} || size > kMaxFlowSize)
    throw InputError(
        "size", fmt::format("{} is out of range; valid is 1 B to {}", format_value(size), format_value(kMaxFlowSize)));
}

// The divisors of n from `least` to `most`, as text for messages: "1, 2, 4, 8"; only the first sixteen, or "none".
inline std::string divisors_text(std::uint32_t n, std::uint32_t least, std::uint32_t most) {
  constexpr int kShown = 16;
  std::string out;
  int count = 0;
  for (std::uint32_t d = least; d <= most && count <= kShown; ++d)
    if (n % d == 0) out += count++ == kShown ? ", ..." : fmt::format("{}{}", out.empty() ? "" : ", ", d);
  return out.empty() ? "none" : out;
}

// Below a picosecond, gaps round to nothing and time would not advance.
inline void check_mean_gap(double ps) {
  if (!(ps >= 1))
    throw InputError("load",
                     fmt::format("the mean time between arrivals is {} ps, at least 1 ps is possible; use larger "
                                 "flows or a smaller load",
                                 ps));
}

}  // namespace weir::traffic
