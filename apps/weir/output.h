// What the command writes: results on standard output, notices on standard error.
//
// Both may quote input. Control characters in it arrive at the terminal as \u001b, which stands for the same in JSON
// and TOML.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace weir::app {

// To standard output. Throws std::system_error if it cannot be written.
void show_text(std::string_view text);
template <class... Args>
void show(fmt::format_string<Args...> format, Args&&... args) {
  show_text(fmt::format(format, std::forward<Args>(args)...));
}

// One line on standard error, without the middle of what is very long. Whether anybody can read it changes nothing: a
// standard error that is closed or full is no error.
void notice_text(std::string_view line) noexcept;
template <class... Args>
void notice(fmt::format_string<Args...> format, Args&&... args) {
  notice_text(fmt::format(format, std::forward<Args>(args)...));
}

// Gives descriptors 0 to 2 that the caller has closed to something that fails on use, so that no file that is opened
// later takes their numbers and what is written for the terminal.
void hold_standard_descriptors();

// What has been written to standard output has arrived: `status`; or the command has failed, which it tells: 1.
int finish_output(int status);

}  // namespace weir::app
