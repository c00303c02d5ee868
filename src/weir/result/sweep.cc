#include "weir/result/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "weir/base/error.h"
#include "weir/result/directory.h"
#include "weir/result/rows.h"

namespace weir::result {
namespace {

std::string runs_file(const std::string& dir) { return dir + "/runs.csv"; }

}  // namespace

bool is_sweep(const std::string& dir) {
  std::error_code error;
  return std::filesystem::exists(runs_file(dir), error);
}

SweepRuns read_sweep_runs(const std::string& dir) {
  const std::string file = runs_file(dir);
  const std::string text = read_text(file);
  Rows rows(text, file, {"run", "seed", "status", "message"});
  // the axes stand between the columns run and seed
  const auto column = [&](const char* name) {
    return std::find(rows.columns().begin(), rows.columns().end(), name) - rows.columns().begin();
  };
  const auto first = column("run") + 1;
  const auto last = column("seed");
  if (last < first)
    throw InputError(Where{file, 1}, "column seed stands before column run; it is no list of a sweep's runs");
  SweepRuns out;
  out.axes.assign(rows.columns().begin() + first, rows.columns().begin() + last);
  while (rows.next())
    out.runs.push_back({.name = rows.text(0),
                        .labels = {rows.fields().begin() + first, rows.fields().begin() + last},
                        .seed = rows.text(1),
                        .done = rows.text(2) == "done",
                        .message = rows.text(3)});
  return out;
}

}  // namespace weir::result
