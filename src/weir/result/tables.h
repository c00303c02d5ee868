// The tables of a result: their files, columns and the values that are valid in them (docs/results.md). Writers take
// the header line from here, readers check each row.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::result {

struct Column {
  enum class Type : std::uint8_t { text, whole, real };
  std::string_view name;
  Type type = Type::whole;
  bool is_measure = true;  // else it tells what the row is of
  bool may_be_empty = false;
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

// A field as a number.
struct Value {
  double number = std::numeric_limits<double>::quiet_NaN();  // NaN = empty, or a text
  std::int64_t whole = 0;                                    // the same exactly, of whole numbers
};

struct TableKind {
  std::string_view file;
  std::string_view probe;  // that writes it; "" = always written
  std::string_view of;     // the column that tells what a row is of; "" = of the network
  std::vector<Column> columns;
  // What is wrong with a row whose values are valid one by one; "" = nothing.
  std::string (*fault)(std::span<const Value> values) = nullptr;

  // A column time_ps.
  bool has_time() const;
  // The header line, with its end.
  std::string header() const;
};

std::span<const TableKind> table_kinds();
// Null if there is none of this name.
const TableKind* find_table(std::string_view file);

}  // namespace weir::result
