#include "hosts/agent/log.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#include "hosts/path/system_error.h"
#include "weir/base/text.h"

namespace weir::hosts {
namespace {

constexpr std::size_t kLongestLine = 2'000;

}  // namespace

void log_text(std::string_view line) noexcept {
  try {
    const std::string out = "weir-host: " + one_line(line, kLongestLine) + "\n";
    std::fwrite(out.data(), 1, out.size(), stderr);
  } catch (const std::exception&) {
    std::fputs("weir-host: out of memory\n", stderr);
  }
}

void show_text(std::string_view text) {
  const std::string out = printable(text);
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) throw errno_error("cannot write standard output");
}

}  // namespace weir::hosts
