#include "weir/base/text.h"

#include <fmt/format.h>

#include <cstdint>

namespace weir {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0 = not UTF-8
};

// The first one of a text that is not empty.
Character first_of(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = at(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((at(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (at(i) & 0x3f);
  }
  const bool too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (too_long || surrogate || code > 0x10ffff) return {};
  return {code, bytes};
}

bool is_hidden(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool line_end = code == 0x2028 || code == 0x2029;
  const bool direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return control || line_end || direction;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = first_of(text.substr(at)).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::string_view::npos;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_of(text);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes == 0) {
      out += "\xEF\xBF\xBD";
    } else if (is_hidden(c.code) && c.code != '\n' && c.code != '\t') {
      out += fmt::format("\\u{:04x}", c.code);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string markup(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string one_line(std::string_view text, std::size_t most) {
  if (text.size() > most) {
    const auto inside = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80; };
    std::size_t head = most - most / 3;
    std::size_t tail = text.size() - most / 3;
    while (head > 0 && inside(head)) --head;
    while (tail < text.size() && inside(tail)) ++tail;
    return fmt::format("{} [... {} bytes ...] {}", one_line(text.substr(0, head)), tail - head,
                       one_line(text.substr(tail)));
  }
  std::string spaced(text);
  for (char& c : spaced)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return printable(spaced);
}

}  // namespace weir
