// The version of Weir, for programs that report it, and that of the C++ API, for programs that must compile with
// several.
#pragma once

// The API of the headers in include/weir, whatever the release. A program that compiled with one minor version compiles
// with all later ones of the same major version: the minor version counts additions, the major one all other changes
// (docs/developers/stability.md). `#if WEIR_API_VERSION >= 1002` asks for 1.2.
#define WEIR_API_MAJOR 1
#define WEIR_API_MINOR 0
#define WEIR_API_VERSION (WEIR_API_MAJOR * 1000 + WEIR_API_MINOR)

#include <string_view>

namespace weir {

// The release and, if Weir was built from a git checkout, the commit: "0.1.0+4f1c09ab12-dirty".
std::string_view version();

}  // namespace weir
