// Texts of figures and tables: what columns, statistics and measures are called there.
#pragma once

#include <string>
#include <string_view>

#include "weir/study/result_files.h"
#include "weir/study/statistics.h"

namespace weir::study {

// What a column holds, without the unit, which the axis tells: "FCT slowdown", "completion time", "queue".
std::string quantity_of_column(std::string_view column);
// "95th percentile", "median", "mean", "largest value", ...
std::string in_words(const Statistic& statistic);
// Which flows a filter lets through, behind a noun: " of web, up to 10 KB"; "" = all.
std::string in_words(const FlowFilter& filter);
// The name of an axis or of a key: "fan in" of fan_in.
std::string with_spaces(std::string_view name);

}  // namespace weir::study
