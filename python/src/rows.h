// A table that is made row by row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "table.h"
#include "weir/result/columns.h"

namespace weir::python {

// All rows have the same columns, in the same order.
class Rows {
 public:
  void whole(const char* name, std::int64_t value) { cell(name, result::Column::Type::whole).whole.push_back(value); }
  void real(const char* name, double value) { cell(name, result::Column::Type::real).real.push_back(value); }
  void text(const char* name, std::string_view value) {
    result::ColumnData& column = cell(name, result::Column::Type::text);
    auto at = std::find(column.words.begin(), column.words.end(), value);
    if (at == column.words.end()) at = column.words.insert(at, std::string(value));
    column.codes.push_back(static_cast<std::int32_t>(at - column.words.begin()));
  }
  void end_row() {
    at_ = 0;
    ++table_.rows;
  }
  Table take() { return {std::make_shared<const result::Columns>(std::move(table_))}; }

 private:
  result::ColumnData& cell(const char* name, result::Column::Type type) {
    if (at_ == table_.columns.size()) {
      table_.columns.emplace_back();
      table_.columns.back().name = name;
      table_.columns.back().type = type;
    }
    return table_.columns[at_++];
  }

  result::Columns table_;
  std::size_t at_ = 0;
};

}  // namespace weir::python
