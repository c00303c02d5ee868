// weir report: results as one page that opens anywhere, and their figures for a paper.
#include "weir/report_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/output_files.h"
#include "weir/report/render.h"

namespace weir::app {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> directories;
  std::string out;
  std::string svg;
};

// What is shown: "2 runs", "1 host trace, 3 trainings".
std::string contents(const report::Document& document) {
  const std::pair<std::size_t, const char*> kinds[] = {{document.runs.size(), "run"},
                                                       {document.captures.size(), "host trace"},
                                                       {document.trainings.size(), "training"},
                                                       {document.claims.size(), "claim"}};
  std::vector<std::string> parts;
  for (const auto& [count, name] : kinds)
    if (count != 0) parts.push_back(fmt::format("{} {}{}", count, name, count == 1 ? "" : "s"));
  return parts.empty() ? "0 runs" : fmt::format("{}", fmt::join(parts, ", "));
}

int report_command(const ReportOptions& o) {
  report::require();
  const report::Document document = report::read(o.directories);
  const std::string page = !o.out.empty() ? o.out : o.svg.empty() ? "report.html" : "";
  OutputFiles files;
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
  for (const std::string& told : document.notices) notice("weir: {}", told);
  const std::size_t n = document.figures.size();
  const auto figures = fmt::format("{} figure{}", n, n == 1 ? "" : "s");
  if (!page.empty()) show("{}: {}, {}\n", page, contents(document), figures);
  if (!o.svg.empty()) show("{}: {} as SVG\n", o.svg, figures);
  return 0;
}

}  // namespace

bool has_report() { return report::available(); }

void write_report(const std::vector<std::string>& directories, const std::string& file, const std::string& title) {
  report::require();
  report::Document document = report::read(directories);
  document.title = title;
  OutputFiles files;
  make_folder(fs::path(file).parent_path().string(), "report");
  files.write(file, report::html(document));
  files.commit();
}

void add_report(CLI::App& app, int& status) {
  auto o = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Show results in one HTML page, and figures as SVG");
  command
      ->add_option("DIR", o->directories,
                   "directories of weir run --out, weir sweep, weir paper, weir train or weir-host trace, or policy "
                   "files; any number")
      ->required()
      ->check(not_empty());
  command->add_option("-o,--out", o->out, "the page, one file (report.html; with --svg alone none)")
      ->check(not_empty());
  command->add_option("--svg", o->svg, "write each figure into this directory")->check(not_empty());
  command->callback([o, &status] { status = report_command(*o); });
}

}  // namespace weir::app
