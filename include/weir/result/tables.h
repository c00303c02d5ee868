// The tables of a result: their files, columns and the values that are valid in them (docs/results.md). Writers take
// the header line from here, readers check each row, and studies measure what is a measure here. It stands below the
// probes, which write the tables, since results are also read where nothing is simulated.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::result {

struct Column {
  enum class Type : std::uint8_t { text, whole, real };
  std::string name;
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
  std::string file;
  std::string probe;   // that writes it
  std::string if_set;  // the flag of the probe without which it is not written; "" = written whenever the probe is on
  std::string of;      // the column that tells what a row is of; "" = of the network
  std::vector<Column> columns;
  // What is wrong with a row whose values are valid one by one; "" = nothing.
  std::string (*fault)(std::span<const Value> values) = nullptr;

  // A column time_ps.
  bool has_time() const;
  // The header line, with its end.
  std::string header() const;
};

// Entries stay where they are when others are added.
const std::deque<TableKind>& table_kinds();
// Null if there is none of this name.
const TableKind* find_table(std::string_view file);

// Adds tables of a program that embeds Weir; probe::add_kind() calls it. Throws InputError, and adds none, if a file is
// taken or is not called NAME.csv, if a table has no columns, or if one of its columns has no name or that of another.
// Not while another thread looks at tables.
void add_tables(std::vector<TableKind> tables);

}  // namespace weir::result
