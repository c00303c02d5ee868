// What --help says of options beside their meaning: of what type a value is, and which options belong together. And the
// description of all commands, of which manual pages and completions of shells are made.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace weir::app {

// Of all commands, once they are there.
void describe_options(CLI::App& app);

// The command, its options and all commands below it, as JSON.
std::string description(const CLI::App& app);

}  // namespace weir::app
