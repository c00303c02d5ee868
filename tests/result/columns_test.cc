#include "weir/result/columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "weir/base/error.h"

namespace weir::result {
namespace {

const TableKind kKind{
    .file = "a.csv",
    .probe = "a",
    .if_set = "",
    .of = "",
    .columns = {
        {.name = "id"}, {.name = "share", .type = Column::Type::real}, {.name = "tier", .type = Column::Type::text}}};

TEST(Columns, HaveTheTypesOfTheirTable) {
  const Columns table = read_columns("id,share,tier\n1,0.5,edge\n2,,\"a,b\"\n9007199254740993,1e-3,edge\n", kKind, "a");
  ASSERT_EQ(table.rows, 3u);
  EXPECT_EQ(table.find("id")->whole, (std::vector<std::int64_t>{1, 2, 9007199254740993}));
  EXPECT_TRUE(table.find("id")->valid.empty());
  const auto& share = table.find("share")->real;
  EXPECT_EQ(share[0], 0.5);
  EXPECT_TRUE(std::isnan(share[1]));
  EXPECT_EQ(share[2], 1e-3);
  EXPECT_EQ(table.find("tier")->codes, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(table.find("tier")->words, (std::vector<std::string>{"edge", "a,b"}));
  EXPECT_EQ(table.find("nothing"), nullptr);
}

TEST(Columns, KnowWhichWholeNumbersAreMissing) {
  // Whatever the place of the first one that is missing, and over several bytes of bits.
  for (std::size_t first = 0; first < 20; ++first) {
    std::string text = "id\n";
    for (std::size_t row = 0; row < 20; ++row) text += row == first || (row > first && row % 3 == 0) ? "\"\"\n" : "7\n";
    const Columns table = read_columns(text, kKind, "a");
    ASSERT_EQ(table.rows, 20u);
    const ColumnData& id = *table.find("id");
    std::size_t empty = 0;
    for (std::size_t row = 0; row < 20; ++row) {
      const bool is_missing = row == first || (row > first && row % 3 == 0);
      EXPECT_EQ(id.has(row), !is_missing) << first << " " << row;
      EXPECT_EQ(id.whole[row], is_missing ? 0 : 7);
      empty += is_missing ? 1 : 0;
    }
    EXPECT_EQ(id.empty, empty);
  }
}

TEST(Columns, RefuseWhatHasNotItsType) {
  for (const char* text : {"", "id\nx\n", "id\n1.5\n", "id\n1,2\n", "share\n0,5x\n", "id\n99999999999999999999\n"})
    EXPECT_THROW(read_columns(text, kKind, "a.csv"), InputError) << text;
  try {
    read_columns("id\n1\n\x1b[31m\n", kKind, "a.csv");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().line, 3);
    EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::result
