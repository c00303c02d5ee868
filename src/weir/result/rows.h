// Rows of a CSV file with a header line, by the names of its columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/base/csv.h"
#include "weir/result/tables.h"

namespace weir::result {

// Of a table of a result (result/tables.h), which is known by the file's name, every value of every row is checked.
// All faults are InputErrors with file and line.
class Rows {
 public:
  // `text` outlives this; `file` is its path. Throws InputError if it is empty or a column that is named is not there.
  Rows(std::string_view text, std::string file, const std::vector<std::string>& names = {});

  // False at the end.
  bool next();
  // Of the row, by place in `names`. number() is NaN if the field is empty, and throws InputError if it is no number.
  const std::string& text(std::size_t name) const { return fields_[at_[name]]; }
  double number(std::size_t name) const;
  // All of the row, as columns() has them.
  const std::vector<std::string>& fields() const { return fields_; }
  const std::vector<std::string>& columns() const { return columns_; }

 private:
  // A column of the table that the file has.
  struct Known {
    const Column* column = nullptr;
    std::size_t at = 0;  // in the file
  };

  void check();
  Value read(const std::string& field, std::string_view column, bool whole) const;

  CsvReader reader_;
  const TableKind* kind_ = nullptr;
  std::vector<std::string> columns_;
  std::vector<Known> known_;     // in the order of the kind's columns
  std::vector<std::size_t> at_;  // by name
  std::vector<std::string> fields_;
  std::vector<Value> values_;  // by place in known_
};

}  // namespace weir::result
