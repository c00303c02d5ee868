#include "weir/traffic/text_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "weir/base/error.h"

namespace weir::traffic {

std::string read_text_file(const std::string& path, std::string_view expected) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::string text;
  if (file) {
    std::array<char, 1 << 16> chunk;
    while (const auto n = std::fread(chunk.data(), 1, chunk.size(), file.get())) text.append(chunk.data(), n);
  }
  // a directory opens, and only reading it fails
  if (!file || std::ferror(file.get()))
    fail({path, 0},
         fmt::format("cannot be read ({}); it should be {}", std::generic_category().message(errno), expected));
  return text;
}

}  // namespace weir::traffic
