#include "weir/report/run.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "weir/base/error.h"
#include "weir/report/read.h"

namespace weir::report {

namespace fs = std::filesystem;

bool Run::has(const std::string& of) const {
  std::error_code error;
  return fs::is_regular_file(file(of), error);
}

bool is_run(const std::string& path) {
  std::error_code error;
  return fs::exists(path + "/manifest.json", error);
}

Run read_run(const std::string& path, std::string name) {
  Run out;
  out.path = path;
  out.name = std::move(name);
  out.manifest = parse_json(read_text(out.file("manifest.json")), out.file("manifest.json"));
  check_made_by(out.manifest, "version", out.file("manifest.json"));
  out.summary = parse_json(read_text(out.file("summary.json")), out.file("summary.json"));
  for (const char* key : {"flows", "slowdown"})
    if (!out.summary.is_object() || !out.summary.contains(key) || !out.summary.at(key).is_object())
      throw InputError(fmt::format("{}: key {} is missing", out.file("summary.json"), key));
  out.scenario = read_text(out.file("scenario.toml"));
  return out;
}

}  // namespace weir::report
