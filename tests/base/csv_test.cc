#include "weir/base/csv.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using Record = std::vector<std::string>;

std::vector<Record> read(std::string_view text) {
  CsvReader csv(text, "f.csv");
  std::vector<Record> out;
  for (Record record; csv.next(record);) out.push_back(record);
  return out;
}

std::string error_of(std::string_view text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Csv, ReadsRecords) {
  const std::pair<std::string_view, std::vector<Record>> cases[] = {
      {"", {}},
      {"\n\r\n\n", {}},
      {"a,b\n1,2\n", {{"a", "b"}, {"1", "2"}}},
      {"a,b\r\n1,2", {{"a", "b"}, {"1", "2"}}},
      {"\xEF\xBB\xBF"
       "a\n",
       {{"a"}}},
      {",\n,", {{"", ""}, {"", ""}}},
      {"a,", {{"a", ""}}},
      {"a\n\nb\n", {{"a"}, {"b"}}},
      {" a , b\n", {{" a ", " b"}}},
      {"\"a,b\",\"c\"\"d\",\"e\nf\"\n", {{"a,b", "c\"d", "e\nf"}}},
      {"\"\"\n", {{""}}},
      {"a\rb\n", {{"a\rb"}}},
  };
  for (const auto& [text, records] : cases) EXPECT_EQ(read(text), records) << text;
}

TEST(Csv, KnowsTheLineOfARecord) {
  CsvReader csv("a\n\n\"x\ny\"\nb\n", "f.csv");
  Record record;
  const int lines[] = {1, 3, 5};
  for (const int line : lines) {
    ASSERT_TRUE(csv.next(record));
    EXPECT_EQ(csv.where().line, line);
  }
  EXPECT_FALSE(csv.next(record));
}

TEST(Csv, RefusesMisplacedQuotes) {
  EXPECT_EQ(error_of("a\n\"b\nc\n"), "f.csv:2: a quoted field is not closed; end it with '\"'");
  EXPECT_EQ(error_of("\"a\"b\n"), "f.csv:1: text after the closing quote; write a quote inside a field as '\"\"'");
  EXPECT_EQ(error_of("a\nb\"c\n"),
            "f.csv:2: a quote inside an unquoted field; put the whole field in quotes and double the quote");
}

TEST(Csv, WritesWhatReadsBack) {
  const std::vector<Record> records = {{"a", "b,c", "d\"e"}, {"", "", ""}, {""}, {"x\ny"}, {"x\r\ny", " z "}};
  std::string text;
  for (const auto& record : records) append_csv_record(text, record);
  EXPECT_EQ(read(text), records);
  EXPECT_EQ(text.substr(0, 17), "a,\"b,c\",\"d\"\"e\"\n,,");
}

}  // namespace
}  // namespace weir
