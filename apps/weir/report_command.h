// What other commands need of weir report.
#pragma once

#include <string>
#include <vector>

namespace weir::app {

// Throws InputError if this build cannot draw.
void require_report();

// Writes the page for these directories, whole or not at all.
void write_report(const std::vector<std::string>& directories, const std::string& file);

}  // namespace weir::app
