// The measure `recovery`: how long a column over time takes to come back after a disturbance.
#pragma once

#include "weir/study/measure.h"

namespace weir::study {

// One value in ps: from `from` to the end of the first row since then from which on the column stays at or above
// `share` of what it was before `from` (the median of the rows up to then), for `hold` at least, and was below it
// before: 0 if it never was. Where a file has several rows for one time, such as one for each flow, their sum counts.
// Where the column has not come back by `until`, or the end of the file, it is `never`, or no value without that; and
// no value where the file has no row up to `from`.
Values of_recovery(const Measure& m, const RunFiles& files);

}  // namespace weir::study
