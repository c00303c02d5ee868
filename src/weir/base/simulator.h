// Which simulator this is, whatever has changed around it since.
#pragma once

#include <string_view>

namespace weir {

// A checksum of the sources that the result of a run depends on (cmake/version.cmake): two programs with the same one
// give the same scenario the same result. Commits to pages, tests, views and the rules of claims leave it as it is.
std::string_view simulator();

}  // namespace weir
