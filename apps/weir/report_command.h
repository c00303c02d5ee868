// What other commands need of weir report.
#pragma once

#include <string>
#include <vector>

namespace weir::app {

// False if this build cannot draw.
bool has_report();

// Writes the page for these directories, whole or not at all. Throws InputError if this build cannot draw.
void write_report(const std::vector<std::string>& directories, const std::string& file, const std::string& title);

}  // namespace weir::app
