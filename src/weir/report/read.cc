#include "weir/report/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "weir/base/csv.h"
#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/base/version.h"

namespace weir::report {
namespace {

constexpr std::string_view kText = "text:";

// "0.1" of "0.1.0+4f1c09ab12": releases that agree in it write the same keys.
std::string_view series_of(std::string_view version) {
  const auto first = version.find('.');
  return first == std::string_view::npos ? version : version.substr(0, version.find_first_of(".+", first + 1));
}

double number(const std::string& text, const Where& where, const std::string& column) {
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(where, fmt::format("column {}: '{}' is no number", column, text));
  return value;
}

}  // namespace

std::string read_text(const std::string& path) { return read_text_file(path, "a file of a result"); }

nlohmann::ordered_json parse_json(const std::string& text, const std::string& file) {
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto upto = std::min(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(upto), '\n');
    throw InputError(fmt::format("{}:{}: this is no whole JSON document", file, line));
  }
}

void check_made_by(const nlohmann::ordered_json& document, const std::string& key, const std::string& file) {
  if (!document.is_object() || !document.contains(key) || !document.at(key).is_string())
    throw InputError(fmt::format("{}: it does not tell which weir wrote it (key {})", file, key));
  const auto made_by = document.at(key).get<std::string>();
  if (series_of(made_by) != series_of(version()))
    throw InputError(fmt::format("{}: written by weir {}, this is {}; report it with that version, or run it again",
                                 file, made_by, version()));
  if (document.contains("format") && document.at("format") != 1)
    throw InputError(fmt::format("{}: format {}; this weir reads format 1", file, document.at("format").dump()));
}

Table::Table(const std::string& path) : path_(path), text_(read_text(path)) {
  CsvReader reader(text_, path_);
  if (!reader.next(columns_)) throw InputError(fmt::format("{}: it is empty; its first line names the columns", path_));
}

void Table::each(const std::vector<std::string>& columns, const Row& row) const {
  std::vector<std::size_t> at;
  for (const auto& column : columns) {
    const std::string name = column.substr(column.starts_with(kText) ? kText.size() : 0);
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    if (found == columns_.end()) fail({path_, 1}, fmt::format("column {} is missing", name));
    at.push_back(static_cast<std::size_t>(found - columns_.begin()));
  }
  std::vector<double> values(columns.size());
  std::vector<std::string> texts(columns.size());
  CsvReader reader(text_, path_);
  std::vector<std::string> fields;
  reader.next(fields);
  while (reader.next(fields)) {
    if (fields.size() != columns_.size())
      fail(reader.where(), fmt::format("{} fields; the first line names {} columns", fields.size(), columns_.size()));
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::string& field = fields[at[i]];
      if (columns[i].starts_with(kText))
        texts[i] = field;
      else
        values[i] = number(field, reader.where(), columns[i]);
    }
    row(values, texts);
  }
}

void Table::each(const std::function<void(const std::vector<std::string>& fields)>& row) const {
  CsvReader reader(text_, path_);
  std::vector<std::string> fields;
  reader.next(fields);
  while (reader.next(fields)) {
    if (fields.size() != columns_.size())
      fail(reader.where(), fmt::format("{} fields; the first line names {} columns", fields.size(), columns_.size()));
    row(fields);
  }
}

}  // namespace weir::report
