#include "weir/result/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace weir::result {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

template <class Number>
bool parse(const std::string& field, Number& out) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), out);
  return error == std::errc{} && end == field.data() + field.size();
}

}  // namespace

Rows::Rows(std::string_view text, std::string file, const std::vector<std::string>& names)
    : reader_(text, file), kind_(find_table(last_part(file))) {
  if (!reader_.next(columns_)) throw InputError(fmt::format("{}: it is empty; its first line names the columns", file));
  const auto find = [&](std::string_view name) { return std::find(columns_.begin(), columns_.end(), name); };
  for (const auto& name : names) {
    const auto found = find(name);
    if (found == columns_.end()) throw InputError(Where{file, 1}, fmt::format("column {} is missing", name));
    at_.push_back(static_cast<std::size_t>(found - columns_.begin()));
  }
  if (kind_ == nullptr) return;
  for (const Column& column : kind_->columns)
    if (const auto found = find(column.name); found != columns_.end())
      known_.push_back({&column, static_cast<std::size_t>(found - columns_.begin())});
  values_.resize(known_.size());
}

bool Rows::next() {
  if (!reader_.next(fields_)) return false;
  if (fields_.size() != columns_.size())
    throw InputError(reader_.where(),
                     fmt::format("{} fields; the first line names {} columns", fields_.size(), columns_.size()));
  check();
  return true;
}

double Rows::number(std::size_t name) const { return read(fields_[at_[name]], columns_[at_[name]], false).number; }

Value Rows::read(const std::string& field, std::string_view column, bool whole) const {
  Value out;
  if (field.empty()) return out;
  if (whole && parse(field, out.whole)) {
    out.number = static_cast<double>(out.whole);
    return out;
  }
  if (!parse(field, out.number))
    throw InputError(reader_.where(), fmt::format("column {}: '{}' is no number", column, field));
  if (!std::isfinite(out.number))
    throw InputError(reader_.where(), fmt::format("column {}: '{}' is not finite", column, field));
  if (whole) throw InputError(reader_.where(), fmt::format("column {}: '{}' is no whole number", column, field));
  return out;
}

void Rows::check() {
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const auto& [column, at] = known_[i];
    if (column->type == Column::Type::text) continue;
    const std::string& field = fields_[at];
    values_[i] = read(field, column->name, column->type == Column::Type::whole);
    if (field.empty() && !column->may_be_empty)
      throw InputError(reader_.where(), fmt::format("column {}: it is empty; valid is a number", column->name));
    if (values_[i].number < column->least)
      throw InputError(reader_.where(),
                       fmt::format("column {}: {} is less than {}", column->name, field, column->least));
    if (values_[i].number > column->most)
      throw InputError(reader_.where(),
                       fmt::format("column {}: {} is more than {}", column->name, field, column->most));
  }
  if (kind_ == nullptr || kind_->fault == nullptr || known_.size() < kind_->columns.size()) return;
  if (const std::string fault = kind_->fault(values_); !fault.empty()) throw InputError(reader_.where(), fault);
}

}  // namespace weir::result
