// Where the data are that are installed with the command: papers and scenarios.
#pragma once

#include <filesystem>

namespace weir::app {

// share/weir of the prefix that this command is installed in; whether it is there is for the caller to see.
std::filesystem::path installed_data();

}  // namespace weir::app
