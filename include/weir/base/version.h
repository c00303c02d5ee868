// The version of Weir, for programs that report it.
#pragma once

#include <string_view>

namespace weir {

// The release and, if Weir was built from a git checkout, the commit: "0.1.0+4f1c09ab12-dirty".
std::string_view version();

}  // namespace weir
