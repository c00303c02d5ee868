// A connection matrix of uet-htsim as a program (traffic/program_file.h): starts become delays, and what a trigger
// waits for becomes what the connections that it starts come after.
#pragma once

#include <string>
#include <string_view>

#include "weir/import/htsim_files.h"

namespace weir::scenario {

// CSV. Rows with `prio 7` have the profile `one_path`; "" = there is none, and no such column. Throws InputError with
// file and line of a trigger that a program cannot express.
std::string format_htsim_program(const HtsimMatrix& matrix, std::string_view one_path);

}  // namespace weir::scenario
