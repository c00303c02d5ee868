#include "weir/parquet.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/child.h"
#include "weir/result/tables.h"

namespace weir::app {
namespace {

// As python/weir/_parquet.py knows them.
const char* kind_of(const result::Column& column) {
  switch (column.type) {
    case result::Column::Type::whole: return "whole";
    case result::Column::Type::real: return "real";
    case result::Column::Type::text: break;
  }
  return "text";
}

// -P: without what lies in the current folder.
Ended run_python(const std::string& python, const std::vector<std::string>& arguments, Messages messages) {
  std::vector<std::string> words{python, "-P", "-B", "-c", kParquetProgram};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_to_end(std::move(words), messages);
}

std::string name_of(const result::TableKind& kind) { return kind.file.substr(0, kind.file.rfind('.')) + ".parquet"; }

}  // namespace

void Parquet::find_python() {
  const char* const named = std::getenv("WEIR_PYTHON");
  python_ = named == nullptr || *named == '\0' ? "python3" : named;
  const std::string shown = printable(python_);
  const std::string how =
      "make an environment by `python3 -m venv ENV` and `ENV/bin/pip install pyarrow`, and name it by "
      "WEIR_PYTHON=ENV/bin/python";
  Ended ended;
  try {
    ended = run_python(python_, {}, Messages::dropped);
  } catch (const std::system_error& error) {
    throw InputError(
        fmt::format("--format parquet needs Python 3.11 or later with pyarrow, and {} cannot be run: {}; {}", shown,
                    error.code().message(), how));
  }
  if (ended.status != 0)
    throw InputError(
        fmt::format("--format parquet needs Python 3.11 or later with pyarrow, which {} lacks; {}", shown, how));
}

std::string Parquet::write(probe::ResultDirectory& directory) const {
  nlohmann::ordered_json tables = nlohmann::ordered_json::object();
  std::vector<std::string> written;
  const result::Contents contents = directory.contents();
  for (const result::TableKind& kind : result::table_kinds()) {
    if (!contents.contains(kind.file)) continue;
    for (const result::Column& column : kind.columns) tables[kind.file][column.name] = kind_of(column);
    written.push_back(name_of(kind));
  }
  std::string why;
  try {
    const Ended ended = run_python(python_, {directory.partial(), tables.dump()}, Messages::shown);
    if (ended.status != 0)
      why = ended.output.empty() ? fmt::format("{} ended with status {}", printable(python_), ended.status)
                                 : one_line(ended.output, kQuoted * 4);
  } catch (const std::system_error& error) {
    why = fmt::format("{} cannot be run: {}", printable(python_), error.code().message());
  }
  for (const std::string& name : written)
    if (why.empty() && !std::filesystem::exists(directory.within(name)))
      why = fmt::format("{} has not written {}", printable(python_), name);
  for (const std::string& name : written)
    if (why.empty())
      directory.adopt(name);
    else
      directory.remove(name);
  return why;
}

}  // namespace weir::app
