#include "weir/traffic/matrix_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "weir/base/csv.h"
#include "weir/base/text_file.h"
#include "weir/traffic/fields.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

std::vector<Bytes> parse_matrix(std::string_view text, const std::string& file, std::uint32_t rows,
                                std::uint32_t columns) {
  CsvReader csv(text, file);
  std::vector<std::string> fields;
  std::vector<Bytes> out;
  out.reserve(std::size_t{rows} * columns);
  std::uint32_t row = 0;
  for (; csv.next(fields); ++row) {
    if (row == rows) throw InputError(csv.where(), fmt::format("more than {} rows; there is one for each rank", rows));
    if (fields.size() != columns)
      throw InputError(csv.where(), fmt::format("{} fields; there must be {} in each row", fields.size(), columns));
    for (const std::string& field : fields)
      out.push_back({whole_number(field, "size", 0, kMaxFlowSize.count, csv.where())});
  }
  if (row < rows)
    throw InputError(Where{file, 0}, fmt::format("{} rows; there must be one for each of {} ranks", row, rows));
  return out;
}

std::vector<Bytes> read_matrix(const std::string& file, const std::string& key, std::uint32_t rows,
                               std::uint32_t columns, const Context& context) {
  if (file.empty()) throw InputError(key, "missing; name a CSV file of what each rank has for each other");
  const std::string path = (std::filesystem::path(context.folder) / file).string();
  return parse_matrix(read_named_file(path, "a CSV file of sizes", key), path, rows, columns);
}

}  // namespace weir::traffic
