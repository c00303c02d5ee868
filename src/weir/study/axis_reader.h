// The axes of a study file.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "weir/study/study.h"
#include "weir/toml/reader.h"

namespace weir::study {

// An entry of [[axis]]; `study` has those before it. Throws InputError that names file, line and key.
Axis read_axis(const scenario::TableReader& table, const Study& study);

// A table of overrides, { "run.stop" = "1 ms" }; none if there is no such key. Throws InputError.
std::vector<Override> read_overrides(const scenario::TableReader& table, std::string_view key);

// Columns of the results that are neither of an axis nor of a measure.
const std::set<std::string>& reserved_columns();

}  // namespace weir::study
