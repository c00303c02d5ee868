#include "weir/base/csv.h"

namespace weir {

CsvReader::CsvReader(std::string_view text, std::string file) : text_(text), where_{std::move(file), 0} {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

bool CsvReader::next(std::vector<std::string>& fields) {
  // skip empty lines
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with("\n") && !rest.starts_with("\r\n")) break;
    at_ += rest.front() == '\n' ? 1 : 2;
    ++line_;
  }
  if (at_ == text_.size()) return false;

  where_.line = line_;
  std::size_t count = 0;
  for (;;) {
    if (fields.size() == count) fields.emplace_back();
    read_field(fields[count++]);
    if (at_ == text_.size()) break;
    const char separator = text_[at_++];
    if (separator == ',') continue;
    if (separator == '\r') ++at_;
    ++line_;
    break;
  }
  fields.resize(count);
  return true;
}

// Leaves at_ on the comma, CRLF or LF behind the field, or at the end of the text.
void CsvReader::read_field(std::string& field) {
  field.clear();
  const auto at_end = [&] {
    return at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
  };
  if (at_ < text_.size() && text_[at_] == '"') {
    const Where opened{where_.file, line_};
    for (++at_;; ++at_) {
      if (at_ == text_.size()) throw InputError(opened, "a quoted field is not closed; end it with '\"'");
      if (text_[at_] == '"') {
        ++at_;
        if (at_ == text_.size() || text_[at_] != '"') break;
      }
      if (text_[at_] == '\n') ++line_;
      field += text_[at_];
    }
    if (!at_end())
      throw InputError(Where{where_.file, line_},
                       "text after the closing quote; write a quote inside a field as '\"\"'");
    return;
  }
  for (; !at_end(); ++at_) {
    if (text_[at_] == '"')
      throw InputError(Where{where_.file, line_},
                       "a quote inside an unquoted field; put the whole field in quotes and double the quote");
    field += text_[at_];
  }
}

void append_csv_field(std::string& out, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

void append_csv_record(std::string& out, const std::vector<std::string>& fields) {
  // A lone empty field would read back as an empty line, that is, as no record.
  if (fields.size() == 1 && fields.front().empty()) out += "\"\"";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    append_csv_field(out, fields[i]);
  }
  out += '\n';
}

}  // namespace weir
