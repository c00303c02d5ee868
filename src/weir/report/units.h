// Units of a sweep's measures.
#pragma once

#include <string>
#include <vector>

namespace weir::report {

// Of each column of points.csv, in the terms of a figure's axis ("ps", "KB", "1"); "" = a label of an axis, which is no
// number. As DIR/study.toml has them; where that says nothing, or cannot be read, by the end of the column's name.
std::vector<std::string> units_of(const std::vector<std::string>& columns, const std::string& directory);

}  // namespace weir::report
