#include "weir/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weir {
namespace {

TEST(Utf8, InvalidBytesAreFound) {
  struct Case {
    std::string text;
    std::size_t at;
  };
  constexpr std::size_t kNone = std::string::npos;
  const std::vector<Case> cases{
      {"", kNone},
      {"plain", kNone},
      {std::string("a\0b", 3), kNone},
      {"\u00b5 \u20ac \U0001f600", kNone},
      {"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", kNone},
      {"a\xff", 1},
      {"ab\x80", 2},            // no first byte
      {"\xc3", 0},              // cut off
      {"x\xe2\x82", 1},         // cut off
      {"x\xe2\x82x", 1},        // something else follows
      {"\xc0\xaf", 0},          // longer than need be
      {"\xe0\x9f\xbf", 0},      // longer than need be
      {"\xf0\x8f\xbf\xbf", 0},  // longer than need be
      {"\xed\xa0\x80", 0},      // a surrogate
      {"\xf4\x90\x80\x80", 0},  // beyond U+10FFFF
      {"\xf5\x80\x80\x80", 0},
      {"\u20ac\u20ac\xfe", 6},
  };
  for (const auto& [text, at] : cases) EXPECT_EQ(find_invalid_utf8(text), at) << testing::PrintToString(text);
}

TEST(Printable, HasNoControlCharacters) {
  struct Case {
    std::string text;
    std::string shown;
    std::string in_one_line;
  };
  const std::vector<Case> cases{
      {"plain \u00b5", "plain \u00b5", "plain \u00b5"},
      {"a\nb\tc", "a\nb\tc", "a b c"},
      {"a\r\nb", "a\\u000d\nb", "a  b"},
      {"\x1b[31mred", "\\u001b[31mred", "\\u001b[31mred"},
      {std::string("a\0b", 3), "a\\u0000b", "a\\u0000b"},
      {"\x7f", "\\u007f", "\\u007f"},
      {"\u009b2J", "\\u009b2J", "\\u009b2J"},                 // ESC [ in one character
      {"x\u202exe.txt", "x\\u202exe.txt", "x\\u202exe.txt"},  // from right to left
      {"a\u2028b", "a\\u2028b", "a\\u2028b"},
      {"a\xff\xfe", "a\ufffd\ufffd", "a\ufffd\ufffd"},
  };
  for (const auto& [text, shown, in_one_line] : cases) {
    EXPECT_EQ(printable(text), shown);
    EXPECT_EQ(one_line(text), in_one_line);
  }
}

TEST(Markup, IsTextInXmlAndHtml) {
  EXPECT_EQ(markup("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(markup("\x1b[1m\xff ü\n"), "\\u001b[1m\xEF\xBF\xBD ü\n") << "XML has no place for control characters";
}

TEST(OneLine, LeavesOutTheMiddle) {
  EXPECT_EQ(one_line("0123456789", 10), "0123456789");
  EXPECT_EQ(one_line("0123456789abcde", 9), "012345 [... 6 bytes ...] cde");
  EXPECT_LT(one_line(std::string(5'000'000, 'k'), 100).size(), 130u);
  // characters stay whole
  EXPECT_EQ(one_line("\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac", 9), "\u20ac\u20ac [... 9 bytes ...] \u20ac");
  EXPECT_EQ(one_line("\u20ac\u20ac\u20ac\u20ac\u20ac", 8), "\u20ac\u20ac [... 9 bytes ...] ");
}

}  // namespace
}  // namespace weir
