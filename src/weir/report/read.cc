#include "weir/report/read.h"

#include <fmt/format.h>

#include <utility>

#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/result/rows.h"

namespace weir::report {
namespace {

constexpr std::string_view kText = "text:";

}  // namespace

CsvTable::CsvTable(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
  columns_ = result::Rows(text_, path_).columns();
}

void CsvTable::each(const std::vector<std::string>& columns, const Row& row) const {
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

void CsvTable::each(const std::function<void(const std::vector<std::string>& fields)>& row) const {
  result::Rows rows(text_, path_);
  while (rows.next()) row(rows.fields());
}

}  // namespace weir::report
