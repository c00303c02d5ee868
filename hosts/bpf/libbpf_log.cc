#include "hosts/bpf/libbpf_log.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <string_view>

namespace weir::hosts {
namespace {

// The log of the verifier may be long, and what is wrong stands at its end.
constexpr std::size_t kKept = 32'768;

std::string& text() {
  static thread_local std::string text;
  return text;
}

int print(libbpf_print_level level, const char* format, va_list arguments) {
  if (level == LIBBPF_DEBUG) return 0;
  std::array<char, 2 * kKept> line{};
  const int size = std::vsnprintf(line.data(), line.size(), format, arguments);
  if (size > 0) text().append(line.data(), std::min(static_cast<std::size_t>(size), line.size() - 1));
  if (text().size() > 2 * kKept) text().erase(0, text().size() - kKept);
  return 0;
}

bool says_nothing(std::string_view line) {
  return line.empty() || line.starts_with("processed ") || line.find("failed to load") != std::string_view::npos ||
         line.find("LOAD LOG --") != std::string_view::npos;
}

}  // namespace

LibbpfLog::LibbpfLog() : before_(libbpf_set_print(print)) { text().clear(); }

LibbpfLog::~LibbpfLog() { libbpf_set_print(before_); }

std::string LibbpfLog::reason() {
  std::string_view rest = text();
  while (!rest.empty()) {
    rest = rest.substr(0, rest.find_last_not_of("\n ") + 1);
    const auto end = rest.rfind('\n');
    const std::string_view line = end == std::string_view::npos ? rest : rest.substr(end + 1);
    if (!says_nothing(line)) return std::string(line);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
  }
  return {};
}

}  // namespace weir::hosts
