// A table of a result as columns in memory: what programs, NumPy and Arrow compute with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/result/tables.h"

namespace weir::result {

// A column. Which of the vectors has the values depends on the type; the others are empty.
struct ColumnData {
  std::string name;
  Column::Type type = Column::Type::whole;
  std::vector<std::int64_t> whole;  // an empty field is 0
  std::vector<double> real;         // an empty field is NaN
  // A text is words[code]; words are in the order in which they come up. An empty field is the word "".
  std::vector<std::int32_t> codes;
  std::vector<std::string> words;
  // Only for whole numbers: bit i, counted from the lowest bit of the first byte, is set if the field of row i is not
  // empty. An empty vector means that no field is empty.
  std::vector<std::uint8_t> valid;
  std::size_t empty = 0;  // number of empty fields of whole numbers

  bool has(std::size_t row) const { return valid.empty() || (valid[row / 8] >> row % 8 & 1) != 0; }
};

struct Columns {
  std::vector<ColumnData> columns;
  std::size_t rows = 0;

  // The column of this name; null if there is none.
  const ColumnData* find(std::string_view name) const;
};

// Reads the text of a CSV file of the result (docs/reference/results.md). `kind` gives the types of its columns; a
// column that `kind` does not have is read as text. `file` is its name for messages. Throws InputError with file and
// line if a field is not of its column's type.
Columns read_columns(std::string_view text, const TableKind& kind, const std::string& file);

}  // namespace weir::result
