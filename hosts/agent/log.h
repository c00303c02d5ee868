// Lines of the agent's log on standard error, where systemd's journal or a file takes them.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace weir::hosts {

// One line, "weir-host: ..."; control characters in it arrive as \u001b.
void log_text(std::string_view line) noexcept;
template <class... Args>
void log(fmt::format_string<Args...> format, Args&&... args) {
  log_text(fmt::format(format, std::forward<Args>(args)...));
}

// The same for results on standard output, as they are. Throws std::system_error if it cannot be written.
void show_text(std::string_view text);

}  // namespace weir::hosts
