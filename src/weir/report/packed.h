// Tables of numbers as a page's script reads them: typed arrays, compressed, as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/report/read.h"

namespace weir::report {

enum class Packing : std::uint8_t { u8, u16, u32, f64 };

// One column. Values are whole and fit its type, but for f64. NaN is the type's largest value, and NaN in f64.
struct PackedColumn {
  std::string name;
  Packing packing = Packing::u32;
  bool delta = false;  // each value is told as its difference to the one before
  std::vector<double> values = {};
};

// False if this build has no zlib.
bool can_pack();

// {"rows": n, "columns": {NAME: {"type": "u32", "data": base64, "delta": true}}}. All columns have as many values.
Json packed(const std::vector<PackedColumn>& columns);

std::string base64(std::string_view bytes);

}  // namespace weir::report
