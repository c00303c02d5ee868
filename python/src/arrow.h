// Tables for other programs without copies: the Arrow C data interface and its PyCapsules.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "weir/result/columns.h"

namespace weir::python {

// Capsules named "arrow_schema", "arrow_array" and "arrow_array_stream", each of a struct of one member per column. The
// arrays are the columns' own memory, which lives until the last of them is released. Whole numbers are int64, real
// ones float64, with null where a field is empty, and texts are dictionaries of int32 and utf8.
nanobind::capsule arrow_schema(const result::Columns& table);
nanobind::capsule arrow_array(const std::shared_ptr<const result::Columns>& table);
nanobind::capsule arrow_stream(std::shared_ptr<const result::Columns> table);

}  // namespace weir::python
