// What messages and tables for people are made of.
#include <gtest/gtest.h>

#include "weir/base/suggestion.h"
#include "weir/base/text_table.h"

namespace weir {
namespace {

TEST(DidYouMean, NamesTheNearestOrNothing) {
  EXPECT_EQ(did_you_mean("hpc", {"dctcp", "hpcc"}), " (did you mean 'hpcc'?)");
  EXPECT_EQ(did_you_mean("xyz", {"dctcp", "hpcc"}), "");
  EXPECT_EQ(did_you_mean("xyz", {}), "");
  EXPECT_EQ(did_you_mean("--jobs"), " (did you mean '--jobs'?)");
  EXPECT_EQ(did_you_mean(""), "");
}

TEST(TextTable, ColumnsAreAsWideAsTheirLongestWord) {
  const TextRows rows{{"load", "", "p99"}, {"0.3", "HPCC", "12.5"}, {"0.5"}, {}};
  const struct {
    std::size_t left;
    const char* indent;
    const char* text;
  } cases[] = {
      {1, "",
       "load         p99\n"
       "0.3   HPCC  12.5\n"
       "0.5\n"
       "\n"},
      {0, "  ",
       "  load         p99\n"
       "   0.3  HPCC  12.5\n"
       "   0.5\n"
       "\n"},
      {kAllColumns, "",
       "load        p99\n"
       "0.3   HPCC  12.5\n"
       "0.5\n"
       "\n"},
  };
  for (const auto& c : cases) EXPECT_EQ(text_table(rows, c.left, c.indent), c.text) << c.left;
  EXPECT_EQ(text_table({}), "");
}

}  // namespace
}  // namespace weir
