// Values that no run writes are refused, with file and line.
#include "weir/result/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "weir/base/error.h"

namespace weir::result {
namespace {

std::string refusal(const std::string& file, const std::string& row) {
  const std::string text = find_table(file)->header() + row + "\n";
  try {
    Rows rows(text, "run/" + file);
    while (rows.next()) {
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Rows, OfResultsAreValid) {
  struct Case {
    const char* file;
    const char* row;
    const char* message;  // behind "run/FILE:2: "; "" = none
  };
  const std::vector<Case> cases{
      {"flows.csv", "0,1,0,1000,5,15,10,10,1,hpcc,web,0", ""},
      {"flows.csv", "0,1,0,1000,5,,,10,,hpcc,web,0", ""},
      {"flows.csv", "0,1,0,1000,5,15,-5,10,1,hpcc,web,0", "column fct_ps: -5 is less than 0"},
      {"flows.csv", "0,1,0,1000,nan,15,10,10,1,hpcc,web,0", "column start_ps: 'nan' is not finite"},
      {"flows.csv", "0,1,0,1000,5,15,10,10,inf,hpcc,web,0", "column slowdown: 'inf' is not finite"},
      {"flows.csv", "0,1,0,1000,5,15,10,10,1e999,hpcc,web,0", "column slowdown: '1e999' is no number"},
      {"flows.csv", "0,1,0,1000,5,15,11,10,1,hpcc,web,0", "fct_ps is 11, but finish_ps - start_ps is 10"},
      {"flows.csv", "0,1,0,1000,9007199254740993,9007199254740993,1,10,1,hpcc,web,0",
       "fct_ps is 1, but finish_ps - start_ps is 0"},
      {"flows.csv", "0,1,0,1000,5,15,10,10,,hpcc,web,0",
       "finish_ps, fct_ps and slowdown must all have values, or all be empty as of an unfinished flow"},
      {"flows.csv", "0,1,0,1000,,15,10,10,1,hpcc,web,0", "column start_ps: it is empty; valid is a number"},
      {"flows.csv", "0,1,0,1.5,5,15,10,10,1,hpcc,web,0", "column size_bytes: '1.5' is no whole number"},
      {"flows.csv", "0,1,0,1 KB,5,15,10,10,1,hpcc,web,0", "column size_bytes: '1 KB' is no number"},
      {"flows.csv", "0,1,0", "3 fields; the first line names 12 columns"},
      {"queue_cdf.csv", "all,12.5,3,0.25", ""},
      {"queue_cdf.csv", "all,12.5,3,1.25", "column cumulative: 1.25 is more than 1"},
      {"queue_cdf.csv", "all,-1,3,0.25", "column queue_bytes: -1 is less than 0"},
      {"fairness.csv", "10,2,,", ""},
      {"fairness.csv", "10,2,1.5,", "column jain: 1.5 is more than 1"},
      {"rates.csv", "10,0,5,,", ""},
      {"rates.csv", "10,0,,,", "column rate_bps: it is empty; valid is a number"},
      {"delays.csv", "9,0,1,5,-3,8,,", ""},
      {"delays.csv", "9,0,1,-5,3,8,,", "column delay_ps: -5 is less than 0"},
      {"queues.csv", "9,17,9,8,x", "column queue_bytes: 'x' is no number"},
      {"paths.csv", "3,,,,", ""},
  };
  for (const Case& c : cases)
    EXPECT_EQ(refusal(c.file, c.row), *c.message == '\0' ? "" : std::string("run/") + c.file + ":2: " + c.message)
        << c.row;
}

TEST(Rows, AreReadByTheNamesOfColumns) {
  const std::string text = "b,a\n1,\nx,2.5\n";
  Rows rows(text, "t.csv", {"a", "b"});
  EXPECT_EQ(rows.columns(), (std::vector<std::string>{"b", "a"}));
  ASSERT_TRUE(rows.next());
  EXPECT_TRUE(std::isnan(rows.number(0)));
  EXPECT_EQ(rows.number(1), 1);
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.number(0), 2.5);
  EXPECT_EQ(rows.text(1), "x");
  EXPECT_THROW((void)rows.number(1), InputError);
  EXPECT_FALSE(rows.next());
  EXPECT_THROW(Rows(text, "t.csv", {"c"}), InputError);
  EXPECT_THROW(Rows("", "t.csv"), InputError);
}

TEST(Tables, NameEachColumnOnce) {
  for (const TableKind& kind : table_kinds()) {
    EXPECT_EQ(find_table(kind.file), &kind);
    EXPECT_FALSE(kind.columns.empty());
    for (const Column& column : kind.columns)
      for (const Column& other : kind.columns)
        EXPECT_TRUE(&column == &other || column.name != other.name) << kind.file << " " << column.name;
  }
}

}  // namespace
}  // namespace weir::result
