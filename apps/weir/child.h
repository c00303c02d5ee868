// Programs in processes of their own: this command once more, or another one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir::app {

struct ChildResult {
  std::string output;  // what it wrote to standard output
  double wall_s = 0;
  double cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
};

// Runs `weir ARGUMENTS` to its end, and tells what that cost. Throws std::runtime_error unless it exits with 0.
ChildResult run_child(const std::vector<std::string>& arguments);

struct Ended {
  std::string output;  // what it wrote to standard output
  int status = 0;      // its exit status, or 128 + n if signal n ended it
};
// What a program writes to standard error.
enum class Messages : std::uint8_t { shown, dropped };
// Runs a program to its end: of PATH, unless the first word is a path. Throws std::system_error if it cannot be
// started.
Ended run_to_end(std::vector<std::string> words, Messages messages = Messages::shown);

// Whether PATH has such a program.
bool has_program(const std::string& name);
// The same: what it wrote to standard output, or nothing unless it exits with 0.
std::optional<std::string> run_program(const std::vector<std::string>& words);

}  // namespace weir::app
