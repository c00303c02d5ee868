#include "units.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <cstdint>
#include <utility>

namespace nb = nanobind;

namespace weir::python {
namespace {

template <class Parse>
std::int64_t number_of(nb::handle value, const char* key, const char* unit, Parse&& parse) {
  if (nb::isinstance<nb::str>(value)) {
    std::string text;
    if (!nb::try_cast(value, text)) throw InputError(key, "valid is text that can be written as UTF-8");
    return under_key(key, [&] { return parse(text); });
  }
  std::int64_t out = 0;
  if (nb::isinstance<nb::bool_>(value) || !nb::try_cast(value, out))
    throw nb::type_error(
        (std::string(key) + ": valid is a whole number of " + unit + ", or a text with a unit").c_str());
  return out;
}

}  // namespace

Time time_of(nb::handle value, const char* key) {
  return {number_of(value, key, "picoseconds", [](const std::string& text) { return parse_time(text).ps; })};
}

Bytes bytes_of(nb::handle value, const char* key) {
  return {number_of(value, key, "bytes", [](const std::string& text) { return parse_bytes(text).count; })};
}

std::int64_t answer_of(nb::handle value, const char* key, std::int64_t none) {
  if (value.is_none()) return none;
  double number = 0;
  std::int64_t whole = 0;
  if (nb::try_cast(value, whole, false))
    number = static_cast<double>(whole);
  else if (nb::try_cast(value, number))
    whole = std::abs(number) < 9e18 ? static_cast<std::int64_t>(number) : -1;
  else
    throw nb::type_error((std::string(key) + ": valid is a number").c_str());
  if (!(number >= 0) || whole < 0) throw InputError(key, "valid is a finite number of 0 or more");
  return whole;
}

}  // namespace weir::python
