// Whole small input files.
#pragma once

#include <string>
#include <string_view>

namespace weir::traffic {

// The file's content. Throws InputError with the reason and what was `expected`.
std::string read_text_file(const std::string& path, std::string_view expected);

}  // namespace weir::traffic
