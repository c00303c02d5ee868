#include "weir/result/columns.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "weir/base/csv.h"
#include "weir/base/error.h"
#include "weir/base/text.h"

namespace weir::result {
namespace {

// Appends fields to a column.
class Appender {
 public:
  explicit Appender(ColumnData& column) : column_(column) {}

  void add(std::string_view field, std::size_t row, const Where& where) {
    switch (column_.type) {
      case Column::Type::text: return add_text(field);
      case Column::Type::real: column_.real.push_back(field.empty() ? kNone : read<double>(field, where)); return;
      case Column::Type::whole: break;
    }
    column_.whole.push_back(field.empty() ? 0 : read<std::int64_t>(field, where));
    note(row, !field.empty());
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  template <class Number>
  Number read(std::string_view field, const Where& where) const {
    Number out{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), out);
    if (error != std::errc{} || end != field.data() + field.size())
      throw InputError(where, fmt::format("{} = '{}' is not a {}number", column_.name, one_line(field, kQuoted),
                                          column_.type == Column::Type::whole ? "whole " : ""));
    return out;
  }
  void add_text(std::string_view field) {
    auto at = codes_.find(field);
    if (at == codes_.end()) {
      at = codes_.emplace(std::string(field), static_cast<std::int32_t>(column_.words.size())).first;
      column_.words.emplace_back(field);
    }
    column_.codes.push_back(at->second);
  }
  // Whether the row has a value. Bits begin with the first row that has none; all before it have one.
  void note(std::size_t row, bool has_value) {
    if (has_value && column_.empty == 0) return;
    if (column_.empty == 0) column_.valid.assign(row / 8 + 1, 0xff);
    if (column_.valid.size() <= row / 8) column_.valid.push_back(0);
    std::uint8_t& bits = column_.valid[row / 8];
    const unsigned bit = 1u << row % 8;
    bits = static_cast<std::uint8_t>(has_value ? bits | bit : bits & ~bit);
    if (!has_value) ++column_.empty;
  }

  ColumnData& column_;
  std::map<std::string, std::int32_t, std::less<>> codes_;
};

}  // namespace

const ColumnData* Columns::find(std::string_view name) const {
  for (const ColumnData& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

Columns read_columns(std::string_view text, const TableKind& kind, const std::string& file) {
  Columns out;
  CsvReader reader(text, file);
  std::vector<std::string> fields;
  if (!reader.next(fields)) throw InputError(Where{file, 0}, "it is empty; a table begins with a line of names");
  for (const std::string& name : fields) {
    ColumnData& column = out.columns.emplace_back();
    column.name = name;
    column.type = Column::Type::text;
    for (const Column& known : kind.columns)
      if (known.name == name) column.type = known.type;
  }
  std::vector<Appender> appenders;
  for (ColumnData& column : out.columns) appenders.emplace_back(column);
  for (; reader.next(fields); ++out.rows) {
    if (fields.size() != appenders.size())
      throw InputError(reader.where(), fmt::format("{} fields instead of {}", fields.size(), appenders.size()));
    for (std::size_t i = 0; i < fields.size(); ++i) appenders[i].add(fields[i], out.rows, reader.where());
  }
  return out;
}

}  // namespace weir::result
