// Files of a result directory, read so that whoever gave the wrong one learns which and why.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "weir/result/directory.h"

namespace weir::report {

using Json = nlohmann::ordered_json;
using result::check_made_by;
using result::parse_json;
using result::read_text;

// Rows of a CSV file by the names of their columns.
class CsvTable {
 public:
  // Reads the file. Throws InputError.
  explicit CsvTable(const std::string& path) : CsvTable(path, read_text(path)) {}
  // `text` is that of the file.
  CsvTable(std::string path, std::string text);

  // Calls `row` for each row with the values of these columns, an empty one as NaN; those of columns that are asked for
  // as "text:NAME" stand in `texts`, at the same place.
  using Row = std::function<void(std::span<const double> values, std::span<const std::string> texts)>;
  void each(const std::vector<std::string>& columns, const Row& row) const;
  // All fields of each row; columns() tells their names.
  void each(const std::function<void(const std::vector<std::string>& fields)>& row) const;
  const std::vector<std::string>& columns() const { return columns_; }

 private:
  std::string path_;
  std::string text_;
  std::vector<std::string> columns_;
};

}  // namespace weir::report
