// How a failed system call is reported.
#pragma once

#include <cerrno>
#include <system_error>

namespace weir::hosts {

// Throws what errno says.
[[noreturn]] inline void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace weir::hosts
