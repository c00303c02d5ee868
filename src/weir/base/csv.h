// Comma-separated values (RFC 4180), read strictly and written so that they read back.
//
// A reader of our own because the packaged ones fix the number of columns at compile time or
// know no line numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"

namespace weir {

// Records of a text that outlives the reader. Fields are separated by commas; a field in double
// quotes may hold commas, line ends and doubled quotes. Lines end in LF or CRLF; empty lines and
// a byte-order mark are skipped. Throws InputError for misplaced or unclosed quotes.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string file);

  // The next record's fields; false at the end. `fields` keeps its memory from call to call.
  bool next(std::vector<std::string>& fields);
  // The line on which the last record began.
  const Where& where() const { return where_; }

 private:
  void read_field(std::string& field);

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Where where_;
};

// Appends a field, in quotes if it needs them.
void append_csv_field(std::string& out, std::string_view field);
// Appends a record and its line end.
void append_csv_record(std::string& out, const std::vector<std::string>& fields);

}  // namespace weir
