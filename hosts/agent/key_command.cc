// weir-host key: makes the file of the master key.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "hosts/agent/commands.h"
#include "hosts/agent/key_file.h"
#include "hosts/agent/log.h"

namespace weir::hosts {

void add_key(CLI::App& app, int& status) {
  auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("key", "Make a key; all hosts need the same");
  command->add_option("FILE", *file, "the file to be made, of mode 0600")->required();
  command->callback([file, &status] {
    make_key_file(*file);
    show_text(*file + " is made; copy it to all hosts, and let nobody else read it\n");
    status = 0;
  });
}

}  // namespace weir::hosts
