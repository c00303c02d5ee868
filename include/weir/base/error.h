// What went wrong with an input, told so that the user can mend it.
#pragma once

#include <stdexcept>
#include <string>

namespace weir {

// The user's input cannot be used: exit status 2. The message is one line and already names
// the file, line and key as far as they are known, and what would be valid.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where in an input a value stands. line 0 = no line (a command-line override, a whole file).
struct Where {
  std::string file;
  int line = 0;

  std::string text() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
};

[[noreturn]] inline void fail(const Where& where, const std::string& what) {
  throw InputError(where.file.empty() ? what : where.text() + ": " + what);
}

}  // namespace weir
