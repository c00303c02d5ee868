// The error of a system call.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace weir {

// The error of a system call that has just failed, or one with this number. `what` says what could not be done, or what
// is concerned: "cannot create out.csv".
inline std::system_error errno_error(const std::string& what, int error = errno) {
  return {error, std::generic_category(), what};
}

}  // namespace weir
