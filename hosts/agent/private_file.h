// Small files that only the agent writes, in its run folder.
#pragma once

#include <string>

namespace weir::hosts {

// The file's content; "" if there is no file. Throws std::runtime_error where it cannot be read or others may have
// written it.
std::string read_private_file(const std::string& file);

// Puts it in the place of the file in one go: who dies leaves the one or the other, and with `sync` so does a host that
// loses its power. False: it cannot be written (errno).
bool replace_private_file(const std::string& file, const std::string& text, bool sync);

}  // namespace weir::hosts
