#include "weir/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>

#include "weir/base/system_error.h"
#include "weir/base/text.h"

namespace weir::app {
namespace {

constexpr std::size_t kLongestNotice = 2'000;

}  // namespace

void show_text(std::string_view text) {
  const std::string out = printable(text);
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) throw errno_error("cannot write standard output");
}

void notice_text(std::string_view line) noexcept {
  try {
    const std::string out = one_line(line, kLongestNotice) + "\n";
    std::fwrite(out.data(), 1, out.size(), stderr);
  } catch (const std::exception&) {  // out of memory
    std::fputs("weir: out of memory\n", stderr);
  }
}

void hold_standard_descriptors() {
  // those of output cannot be written, that of input cannot be read; each takes the lowest free number
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int finish_output(int status) {
  errno = 0;
  const bool good = std::cout.flush().good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (good) return status;
  notice("weir: cannot write standard output{}{}", errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
  return 1;
}

}  // namespace weir::app
