// weir view: a result looked at from inside, in a browser.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/output_files.h"
#include "weir/page_server.h"
#include "weir/report/view.h"
#include "weir/signals.h"

namespace weir::app {
namespace {

struct ViewOptions {
  std::string directory;
  std::string out;
};

int view(const ViewOptions& o) {
  if (o.out.empty() && !PageServer::available())
    throw InputError(
        "this build cannot serve the page: libmicrohttpd was missing (Debian: libmicrohttpd-dev); install it and build "
        "again, or write the page to a file with --out FILE.html");
  std::string page = report::view_html(o.directory);
  if (!o.out.empty()) {
    OutputFiles files;
    make_folder(std::filesystem::path(o.out).parent_path().string(), "--out");
    files.write(o.out, page);
    files.commit();
    show("{}: {:.1f} MB\n", o.out, static_cast<double>(page.size()) * 1e-6);
    return 0;
  }
  catch_signals();
  const PageServer server(std::move(page));
  show("{}\n", server.address());
  finish_output(0);
  notice("weir: open this address in a browser on this machine; Ctrl-C ends it");
  while (pending_signal() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return 0;
}

}  // namespace

void add_view(CLI::App& app, int& status) {
  auto o = std::make_shared<ViewOptions>();
  CLI::App* command = app.add_subcommand("view", "Look into a run in a browser: ports, queues, pauses, single flows");
  command->add_option("DIR", o->directory, "directory of a run that was made with weir run --view-data")
      ->required()
      ->check(not_empty());
  command->add_option("-o,--out", o->out, "write the page to this file; without it, it is served to this machine")
      ->check(not_empty());
  command->callback([o, &status] { status = view(*o); });
}

}  // namespace weir::app
