// weir report: results as one page that opens anywhere, and their figures for a paper.
#include "weir/report_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/probe/results.h"
#include "weir/report/render.h"

namespace weir::app {
namespace {

namespace fs = std::filesystem;

// Files that appear whole or not at all: each is written under another name, and all are renamed at the end.
class WholeFiles {
 public:
  WholeFiles() = default;
  WholeFiles(const WholeFiles&) = delete;
  ~WholeFiles() {
    for (const auto& [partial, target] : files_) std::remove(partial.c_str());
  }
  void write(const std::string& target, std::string_view text) {
    std::error_code error;
    if (fs::is_directory(target, error)) throw InputError(fmt::format("{}: it is a directory; name a file", target));
    files_.emplace_back(fmt::format("{}.partial-{}", target, ::getpid()), target);
    probe::ResultFile out = create(files_.back().first, target);
    out.write(text);
    out.close();
  }
  void commit() {
    while (!files_.empty()) {
      const auto& [partial, target] = files_.back();
      if (std::rename(partial.c_str(), target.c_str()) != 0)
        throw std::runtime_error(fmt::format("cannot create {}: {}", target, std::strerror(errno)));
      files_.pop_back();
    }
  }

 private:
  // A name under which nothing can be written is the user's to mend; a full disk, later, is not.
  static probe::ResultFile create(const std::string& path, const std::string& target) {
    try {
      return probe::ResultFile(path, target);
    } catch (const std::system_error& error) {
      throw InputError(error.what());
    }
  }

  std::vector<std::pair<std::string, std::string>> files_;
};

void make_folder(const std::string& path, const char* option) {
  std::error_code error;
  if (!path.empty()) fs::create_directories(path, error);
  if (error) throw InputError(fmt::format("{}: cannot create {}: {}", option, path, error.message()));
}

struct Options {
  std::vector<std::string> directories;
  std::string out;
  std::string svg;
};

int report_command(const Options& o) {
  report::require();
  const report::Document document = report::read(o.directories);
  const std::string page = !o.out.empty() ? o.out : o.svg.empty() ? "report.html" : "";
  WholeFiles files;
  if (!o.svg.empty()) {
    make_folder(o.svg, "--svg");
    report::SvgWriter writer;
    for (const auto& figure : document.figures) files.write(o.svg + "/" + figure.id + ".svg", writer.svg(figure));
  }
  if (!page.empty()) {
    make_folder(fs::path(page).parent_path().string(), "--out");
    files.write(page, report::html(document));
  }
  files.commit();
  for (const std::string& notice : document.notices) notice("weir: {}", notice);
  const std::size_t n = document.figures.size();
  const auto figures = fmt::format("{} figure{}", n, n == 1 ? "" : "s");
  if (!page.empty())
    show("{}: {} run{}, {}\n", page, document.runs.size(), document.runs.size() == 1 ? "" : "s", figures);
  if (!o.svg.empty()) show("{}: {} as SVG\n", o.svg, figures);
  return 0;
}

}  // namespace

bool has_report() { return report::available(); }

void write_report(const std::vector<std::string>& directories, const std::string& file, const std::string& title) {
  report::require();
  report::Document document = report::read(directories);
  document.title = title;
  WholeFiles files;
  make_folder(fs::path(file).parent_path().string(), "report");
  files.write(file, report::html(document));
  files.commit();
}

void add_report(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "Show results in one HTML page, and figures as SVG");
  command->add_option("DIR", o->directories, "directories of weir run --out, weir sweep or weir paper, any number")
      ->required()
      ->check(not_empty());
  command->add_option("-o,--out", o->out, "the page, one file (report.html; with --svg alone none)")
      ->check(not_empty());
  command->add_option("--svg", o->svg, "write each figure into this directory")->check(not_empty());
  command->callback([o, &status] { status = report_command(*o); });
}

}  // namespace weir::app
