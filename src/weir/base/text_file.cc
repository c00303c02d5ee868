#include "weir/base/text_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "weir/base/error.h"
#include "weir/base/text.h"

namespace weir {
namespace {

std::string size_text(std::size_t bytes) {
  return bytes >> 30 > 0 && bytes % (std::size_t{1} << 30) == 0 ? fmt::format("{} GiB", bytes >> 30)
                                                                : fmt::format("{} MiB", bytes >> 20);
}

InputError length_error(const std::string& path, std::string_view expected, std::size_t most, bool regular) {
  return InputError(Where{path, 0}, fmt::format("cannot be read (more than {}{}); it should be {}", size_text(most),
                                                regular ? ", which is the most that is read of such a file"
                                                        : ", and it is no regular file",
                                                expected));
}

// Not beyond a NUL, which no text has, unless what is read need not be text.
std::string read(const std::string& path, std::string_view expected, std::size_t most, bool any_bytes) {
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::string text;
  if (file) {
    struct stat status {};
    const bool regular = ::fstat(::fileno(file.get()), &status) == 0 && S_ISREG(status.st_mode);
    if (!regular) most = std::min(most, kLargestStream);
    if (regular && static_cast<std::size_t>(status.st_size) > most) throw length_error(path, expected, most, regular);
    if (regular) text.reserve(static_cast<std::size_t>(status.st_size) + 1);
    constexpr std::size_t kChunk = std::size_t{1} << 16;
    std::size_t length = 0;
    for (;;) {
      text.resize(length + kChunk);
      const std::size_t n = std::fread(text.data() + length, 1, kChunk, file.get());
      const bool nul =
          !any_bytes && std::find(text.data() + length, text.data() + length + n, '\0') != text.data() + length + n;
      length += n;
      if (n < kChunk || nul) break;
      if (length > most) throw length_error(path, expected, most, regular);
    }
    text.resize(length);
  }
  // a directory opens, and only reading it fails
  if (!file || std::ferror(file.get()))
    throw InputError(Where{path, 0}, fmt::format("cannot be read ({}); it should be {}",
                                                 std::generic_category().message(errno), expected));
  if (text.size() > most) throw length_error(path, expected, most, false);
  return text;
}

// Editors of Windows begin a text with a mark that it is UTF-8.
void remove_byte_order_mark(std::string& text) {
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
}

std::string read_text(const std::string& path, std::string_view expected, std::size_t most) {
  std::string text = read(path, expected, most, false);
  check_is_text(text, path, expected);
  remove_byte_order_mark(text);
  return text;
}

}  // namespace

void check_is_text(std::string_view text, const std::string& path, std::string_view expected) {
  const std::size_t at = std::min(text.find('\0'), find_invalid_utf8(text));
  if (at == std::string_view::npos) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  throw InputError(
      Where{path, static_cast<int>(line)},
      fmt::format("{}, so it is no text (UTF-8); it should be {}",
                  text[at] == '\0' ? "it has a NUL character"
                                   : fmt::format("it has a byte 0x{:02x} where none can be",
                                                 static_cast<unsigned>(static_cast<unsigned char>(text[at]))),
                  expected));
}

std::string read_text_file(const std::string& path, std::string_view expected) {
  return read_text(path, expected, kLargestData);
}

std::string read_named_file(const std::string& path, std::string_view expected, std::string_view key) {
  std::string text = under_key(key, [&] { return read(path, expected, kLargestData, false); });
  check_is_text(text, path, expected);
  remove_byte_order_mark(text);
  return text;
}

std::string read_document(const std::string& path, std::string_view expected) {
  return read_text(path, expected, kLargestDocument);
}

std::string read_bytes(const std::string& path, std::string_view expected) {
  return read(path, expected, kLargestData, true);
}

}  // namespace weir
