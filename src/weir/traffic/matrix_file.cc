#include "weir/traffic/matrix_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "weir/base/csv.h"
#include "weir/base/text_file.h"
#include "weir/traffic/fields.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

std::vector<Bytes> parse_matrix(std::string_view text, const std::string& file, std::uint32_t n) {
  CsvReader csv(text, file);
  std::vector<std::string> fields;
  std::vector<Bytes> out;
  out.reserve(std::size_t{n} * n);
  std::uint32_t rows = 0;
  for (; csv.next(fields); ++rows) {
    if (rows == n) throw InputError(csv.where(), fmt::format("more than {} rows; there is one for each rank", n));
    if (fields.size() != n)
      throw InputError(csv.where(), fmt::format("{} fields; there must be one for each of {} ranks", fields.size(), n));
    for (const std::string& field : fields)
      out.push_back({whole_number(field, "size", 0, kMaxFlowSize.count, csv.where())});
  }
  bool is_empty = true;
  for (std::size_t i = 0; i < out.size(); ++i) is_empty = is_empty && (i % (n + std::size_t{1}) == 0 || out[i] == Bytes{});
  if (rows < n) throw InputError(Where{file, 0}, fmt::format("{} rows; there must be one for each of {} ranks", rows, n));
  if (is_empty) throw InputError(Where{file, 0}, "no rank has anything for another one; write at least one size");
  return out;
}

std::vector<Bytes> read_matrix(const std::string& file, std::uint32_t n, const Context& context) {
  if (file.empty()) throw InputError("sizes", "missing; name a CSV file of what each rank has for each");
  const std::string path = (std::filesystem::path(context.folder) / file).string();
  return parse_matrix(read_named_file(path, "a CSV file of sizes", "sizes"), path, n);
}

}  // namespace weir::traffic
