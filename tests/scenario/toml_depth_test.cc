#include "weir/toml/depth.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weir/toml/document.h"
#include "weir/toml/parser.h"

namespace weir::scenario {
namespace {

std::string times(std::size_t n, const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += text;
  return out;
}

TEST(TomlDepth, CountsKeysListsAndTables) {
  struct Case {
    std::string text;
    int line;  // of the first value deeper than 4
  };
  const std::vector<Case> cases{
      {"", 0},
      {"a.b.c.d.e = 1", 0},
      {"a.b.c.d.e.f = 1", 1},
      {"\n[a.b.c.d.e.f]\n", 2},
      {"[[a.b.c.d.e.f]]", 1},
      {"[a.b.c]\nd = 1\n[x.y.z]\nd = 1", 0},
      {"[a.b.c]\nx = 1\nd.e.f = 1", 3},  // the header counts
      {"[a.b.c]\n[x]\nd.e.f = 1", 0},    // only as far as the next one
      {"a = [[[[[1]]]]]", 1},
      {"a = [[1], [2], [3], [4], [5]]", 0},
      {"a = [\n1,\n2,\n3,\n[[[[4]]]]]", 5},
      {"a = {b = {c = {d = {e = 1}}}}", 0},
      {"a = {b = {c = {d = {e.f = 1}}}}", 1},
      {"a = {b = 1.5, c = 2.5, d = 3.5, e = 4.5, f = 5.5}", 0},  // dots of numbers
      {"a = [1.5, 2.5, 3.5, 4.5, 5.5]\nb = 1", 0},
      {"a = \"x.x.x.x.x.x.x [[[[[[[\"", 0},  // text
      {"a = 'x.x.x.x.x.x.x [[[[[[['\nb.c.d.e.f.g = 1", 2},
      {"a = \"\\\".\\\".[[[[[[[\"", 0},
      {"a = '\\'\nb.c.d.e.f.g = 1", 2},  // no escape there
      {"a = \"\"\"\n[[[[[[\n\"\"\" # [[[[[[[\nb.c.d.e.f.g = 1", 4},
      {"a = {x = \"\"\"y\"\"\"\", z = [[[[1]]]]}", 1},  // the string ends in a quote
      {"a = '''\n'[[[[[['\n'''\nb.c.d.e.f.g = 1", 4},
      {"a = \"not closed\nb.c.d.e.f.g = 1", 2},
      {"# a.b.c.d.e.f.g\n\"a.b.c.d.e.f.g\" = 1", 0},
      {"]]]]}}}}\na.b.c.d.e = 1", 0},
  };
  for (const auto& [text, line] : cases) EXPECT_EQ(first_line_deeper_than(text, 4), line) << text;
}

TEST(TomlDepth, TextsThatNestTooDeepAreRefused) {
  const std::vector<std::string> cases{
      "\na" + times(20'000, ".a") + " = 1",
      "\n[a" + times(20'000, ".a") + "]",
      "\n[[a" + times(20'000, ".a") + "]]",
      "\na = " + times(15'000, "[") + times(15'000, "]"),
      "\na = " + times(15'000, "{a=") + "1" + times(15'000, "}"),
      "\na = " + times(15'000, "[{a.b.c="),
      "\n" + times(15'000, "["),
  };
  for (const std::string& text : cases) {
    try {
      parse_toml(text, "a.toml");
      ADD_FAILURE() << "accepted: " << text.substr(0, 20);
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what == "a.toml:2: keys, lists and tables nest deeper than 64 levels" ||
                  what.starts_with("a.toml:2: not TOML: "))
          << what.substr(0, 200);
    }
  }
  EXPECT_NO_THROW(parse_toml("a" + times(63, ".a") + " = 1", "a.toml"));
  EXPECT_FALSE(parse_toml_value(times(15'000, "["), {}));
}

}  // namespace
}  // namespace weir::scenario
