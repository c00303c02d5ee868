#include "weir/report/read.h"

#include <fmt/format.h>

#include <utility>

#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/base/version.h"
#include "weir/result/rows.h"

namespace weir::report {
namespace {

constexpr std::string_view kText = "text:";

// "0.1" of "0.1.0+4f1c09ab12": releases that agree in it write the same keys.
std::string_view series_of(std::string_view version) {
  const auto first = version.find('.');
  return first == std::string_view::npos ? version : version.substr(0, version.find_first_of(".+", first + 1));
}

}  // namespace

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

Table::Table(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
  columns_ = result::Rows(text_, path_).columns();
}

void Table::each(const std::vector<std::string>& columns, const Row& row) const {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.substr(column.starts_with(kText) ? kText.size() : 0));
  std::vector<double> values(columns.size());
  std::vector<std::string> texts(columns.size());
  result::Rows rows(text_, path_, names);
  while (rows.next()) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].starts_with(kText))
        texts[i] = rows.text(i);
      else
        values[i] = rows.number(i);
    row(values, texts);
  }
}

void Table::each(const std::function<void(const std::vector<std::string>& fields)>& row) const {
  result::Rows rows(text_, path_);
  while (rows.next()) row(rows.fields());
}

}  // namespace weir::report
