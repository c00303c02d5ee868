// Text that came from outside: whether it is UTF-8, how to show it, and what it may have meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

// Where the first byte stands that is not UTF-8 (RFC 3629); npos if all are.
std::size_t find_invalid_utf8(std::string_view text);

// What may be written to a terminal: control characters (but line ends and tabs), and marks that turn the direction of
// writing, as \u001b, which is also what JSON writes; bytes that are not UTF-8 as U+FFFD.
std::string printable(std::string_view text);

// The text in XML or HTML, between tags or in a quoted attribute: printable, and &, <, > and quotes are entities.
std::string markup(std::string_view text);

// What a message quotes of an input at most.
inline constexpr std::size_t kQuoted = 100;

// For messages: printable, and line ends and tabs are spaces. Of more than `most` bytes the middle is left out and
// the message says how much that is.
std::string one_line(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace weir
