#include "weir/report/run.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "weir/base/error.h"
#include "weir/report/read.h"

namespace weir::report {

namespace fs = std::filesystem;

bool is_run(const std::string& path) {
  std::error_code error;
  return fs::exists(path + "/manifest.json", error);
}

Run read_run(const std::string& path, std::string name) {
  Run out{.name = std::move(name), .files = result::Directory(path)};
  out.manifest = out.files.manifest();
  check_made_by(out.manifest, "version", out.file(std::string(result::kManifest)));
  out.files.check_sizes();
  out.summary = out.files.document("summary.json");
  for (const char* key : {"flows", "slowdown"})
    if (!out.summary.is_object() || !out.summary.contains(key) || !out.summary.at(key).is_object())
      throw InputError(fmt::format("{}: key {} is missing", out.file("summary.json"), key));
  out.scenario = out.files.text("scenario.toml");
  return out;
}

}  // namespace weir::report
