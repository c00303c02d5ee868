// Checks that several sources share.
#pragma once

#include <fmt/format.h>

#include "weir/base/params.h"
#include "weir/traffic/arrivals.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

inline void check_load(double load, const Context& context) {
  if (!(load >= kLeastLoad && load <= 1))
    fail(context.where, fmt::format("load = {} is out of range; valid is {} to 1", load, kLeastLoad));
}

inline void check_window(Time start, Time stop, const Context& context) {
  if (stop <= start)
    fail(context.where, fmt::format("stop = {} is not after start = {}", format_value(stop), format_value(start)));
}

inline void check_size(Bytes size, const Context& context) {
  if (size < Bytes{1} || size > kMaxFlowSize)
    fail(context.where,
         fmt::format("size = {} is out of range; valid is 1 B to {}", format_value(size), format_value(kMaxFlowSize)));
}

// Below a picosecond, gaps round to nothing and time would not advance.
inline void check_mean_gap(double ps, const Context& context) {
  if (!(ps >= 1))
    fail(context.where, fmt::format("the mean time between arrivals is {} ps, at least 1 ps is possible; use larger "
                                    "flows or a smaller load",
                                    ps));
}

}  // namespace weir::traffic
