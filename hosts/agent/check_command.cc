// weir-host check.
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "hosts/agent/check.h"
#include "hosts/agent/commands.h"
#include "hosts/agent/key_file.h"
#include "hosts/agent/log.h"

namespace weir::hosts {
namespace {

struct CheckOptions {
  std::vector<std::string> interfaces;
  std::string mode;
  bool json = false;
};

// The configuration, if there is one.
std::optional<Config> config_of(const Common& common, const CheckOptions& o) {
  const bool is_default = common.config == Common{}.config;
  if (!o.interfaces.empty() || (is_default && ::access(common.config.c_str(), F_OK) != 0)) return std::nullopt;
  Config out = load_config(common.config);
  if (!o.mode.empty()) out.mode = parse_mode(o.mode);
  return out;
}

}  // namespace

void add_check(CLI::App& app, const Common& common, int& status) {
  auto o = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Tell which data path this host can have, and why; nothing is changed");
  command->add_option("--interface", o->interfaces, "look at these interfaces, whatever the configuration says");
  command->add_option("--mode", o->mode, "judge this mode instead of the configuration's");
  command->add_flag("--json", o->json, "print it as JSON");
  command->callback([o, &common, &status] {
    const auto config = config_of(common, *o);
    CheckReport report = check_this_host(config, o->interfaces);
    if (!config && !o->mode.empty()) report.wanted = parse_mode(o->mode);
    show_text(o->json ? to_json(report).dump(2) + "\n" : to_text(report));
    if (config) read_key_file(config->key_file);
    status = report.good() ? 0 : 1;
  });
}

}  // namespace weir::hosts
