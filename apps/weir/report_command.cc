// weir report: results as one page that opens anywhere, and their figures for a paper.
#include "weir/report_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/probe/whole_files.h"
#include "weir/report/render.h"

namespace weir::app {
namespace {

namespace fs = std::filesystem;

// A name under which nothing can be written is the user's to mend; a full disk is not.
bool is_name_at_fault(const std::error_code& code) {
  for (const auto fault : {std::errc::permission_denied, std::errc::operation_not_permitted,
                           std::errc::no_such_file_or_directory, std::errc::not_a_directory, std::errc::is_a_directory,
                           std::errc::filename_too_long, std::errc::read_only_file_system,
                           std::errc::too_many_symbolic_link_levels, std::errc::no_such_device_or_address})
    if (code == fault) return true;
  return false;
}

// All of these, or none; throws InputError if one of the names is at fault.
class Outputs {
 public:
  void write(const std::string& target, std::string_view text) {
    attempt([&] { files_.write(target, text); });
  }
  void commit() {
    attempt([&] { files_.commit(); });
  }

 private:
  template <class F>
  static void attempt(F&& act) {
    try {
      act();
    } catch (const std::system_error& error) {
      if (is_name_at_fault(error.code())) throw InputError(error.what());
      throw;
    }
  }

  probe::WholeFiles files_;
};

void make_folder(const std::string& path, const char* option) {
  std::error_code error;
  if (!path.empty()) fs::create_directories(path, error);
  if (error) throw InputError(fmt::format("{}: cannot create {}: {}", option, path, error.message()));
}

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
  Outputs files;
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
  Outputs files;
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
