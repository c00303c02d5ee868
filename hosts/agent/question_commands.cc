// weir-host status, peers, sync: what the agent knows.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include <CLI/CLI.hpp>

#include "hosts/agent/clocks.h"
#include "hosts/agent/commands.h"
#include "hosts/agent/control.h"
#include "hosts/agent/log.h"
#include "hosts/agent/status.h"

namespace weir::hosts {
namespace {

// A question and how its answer is told to people.
void add(CLI::App& app, const Common& common, int& status, const char* name, const char* meaning, const char* question,
         std::string (*text)(const nlohmann::json&), const char* part = nullptr) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(name, meaning);
  command->add_flag("--json", *json, "print it as JSON");
  command->callback([=, &common, &status] {
    const auto answer = ask_agent(RunDir(common.run).socket(), question);
    show_text(*json ? (part == nullptr ? answer : answer.at(part)).dump(2) + "\n" : text(answer));
    status = 0;
  });
}

}  // namespace

void add_questions(CLI::App& app, const Common& common, int& status) {
  add(app, common, status, "status", "Tell what the agent does: counters, peers, and flows as JSON", "status",
      status_text);
  add(app, common, status, "peers", "Tell which peers are held, and why others are not", "status", peers_text, "peers");
  add(app, common, status, "sync", "Tell how the peers' clocks run, and within what that is known", "sync",
      clocks_text);
}

}  // namespace weir::hosts
