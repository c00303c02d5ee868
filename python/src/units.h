// Times, sizes and rates as Python has them: a whole number of picoseconds, bytes or bits per second, or a text with a
// unit, such as "10 us".
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/units.h"

namespace weir::python {

// Throw weir.InputError about `key`, or TypeError.
Time time_of(nanobind::handle value, const char* key);
Bytes bytes_of(nanobind::handle value, const char* key);

// What an algorithm or a decision answers, which it has computed: also a float, of which the whole part counts; None is
// `none`. Throws TypeError, or InputError unless it is 0 or more and finite.
std::int64_t answer_of(nanobind::handle value, const char* key, std::int64_t none);

}  // namespace weir::python
