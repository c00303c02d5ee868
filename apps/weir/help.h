// What --help says of options beside their meaning: of what type a value is, and which options belong together.
#pragma once

#include <CLI/CLI.hpp>

namespace weir::app {

// Of all commands, once they are there.
void describe_options(CLI::App& app);

}  // namespace weir::app
