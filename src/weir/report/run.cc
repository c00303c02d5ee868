#include "weir/report/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "weir/base/error.h"
#include "weir/report/read.h"

namespace weir::report {

namespace fs = std::filesystem;

namespace {

std::vector<PausedPort> paused_ports(const Run& run) {
  std::vector<PausedPort> out;
  if (!run.has("pfc.csv")) return out;
  const CsvTable table = run.table("pfc.csv");
  table.each({"port", "from", "to", "pauses", "paused_ps", "share"},
             [&](std::span<const double> v, std::span<const std::string>) {
               if (v[4] > 0)
                 out.push_back({static_cast<std::uint32_t>(v[0]), static_cast<std::uint32_t>(v[1]),
                                static_cast<std::uint32_t>(v[2]), static_cast<std::uint64_t>(v[3]), v[4], v[5]});
             });
  std::stable_sort(out.begin(), out.end(),
                   [](const PausedPort& a, const PausedPort& b) { return a.paused_ps > b.paused_ps; });
  return out;
}

}  // namespace

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
  out.paused = paused_ports(out);
  return out;
}

}  // namespace weir::report
