// The tables (CSV files) of a result: their columns and the values that are valid in them (docs/reference/results.md).
// Probes take the header lines of their tables from this list, readers check each row by it, and studies take their
// measures from it. It does not depend on probes, since results are also read where nothing is simulated.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::result {

// A column of a table: its name and its valid values.
struct Column {
  enum class Type : std::uint8_t { text, whole, real };
  std::string name;
  Type type = Type::whole;
  bool is_measure = true;  // false: it says what the row is about
  bool may_be_empty = false;
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

// A field of a row, as a number.
struct Value {
  double number = std::numeric_limits<double>::quiet_NaN();  // NaN = the field is empty or a text
  std::int64_t whole = 0;                                    // the exact value of a whole number
};

// A table.
struct TableKind {
  std::string file;
  std::string probe;   // the probe that writes it
  std::string if_set;  // the flag of the probe that turns the table on; "" = written whenever the probe is on
  std::string of;      // the column that says what a row is about, such as "port"; "" = it is about the network
  std::vector<Column> columns;
  // Says what is wrong with a row whose values are valid one by one; "" = nothing. Null: no check of whole rows.
  std::string (*fault)(std::span<const Value> values) = nullptr;

  // Whether the first column is time_ps.
  bool has_time() const;
  // The header line, with a newline.
  std::string header() const;
};

// All tables. Entries stay in place when others are added.
const std::deque<TableKind>& table_kinds();
// The table with this file name; null if there is none.
const TableKind* find_table(std::string_view file);

// Adds tables of a program that embeds Weir; probe::add_kind() calls it. Throws InputError, and adds none, if a file
// name is taken or is not NAME.csv, if a table has no columns, or if a column has no name or that of another column. It
// must not be called while another thread looks at tables.
void add_tables(std::vector<TableKind> tables);

}  // namespace weir::result
