// Files of text that people and other programs write.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

// What a file may hold: data such as flow lists, matrices and results; documents such as scenarios, studies, claims and
// configs; and what is no regular file, whose end nobody knows.
inline constexpr std::size_t kLargestData = std::size_t{16} << 30;
inline constexpr std::size_t kLargestDocument = std::size_t{16} << 20;
inline constexpr std::size_t kLargestStream = std::size_t{64} << 20;

// The file's content, which is UTF-8 without NUL, of kLargestData or kLargestDocument bytes at most; a byte order mark
// is left out. They throw InputError that names the file (and the line of what is no text), gives the reason and what
// was `expected`, and quotes nothing of the content.
std::string read_text_file(const std::string& path, std::string_view expected);
std::string read_document(const std::string& path, std::string_view expected);
// The same as read_text_file for a file that a value of a scenario names: where the file cannot be read at all, the
// error is about that value, `key` (InputError::key).
std::string read_named_file(const std::string& path, std::string_view expected, std::string_view key);
// The same of data that may be anything, such as what a run left that was cut short.
std::string read_bytes(const std::string& path, std::string_view expected);

// Throws InputError as above if `text` is not UTF-8, or has a NUL.
void check_is_text(std::string_view text, const std::string& path, std::string_view expected);

}  // namespace weir
