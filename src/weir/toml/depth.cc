#include "weir/toml/depth.h"

#include <algorithm>
#include <string>
#include <vector>

namespace weir::scenario {
namespace {

// Follows brackets and dots outside of strings and comments.
class Scanner {
 public:
  Scanner(std::string_view text, std::size_t most) : text_(text), most_(most) {}

  int scan() {
    while (at_ < text_.size() && depth_ <= most_) step();
    return depth_ > most_ ? line_ : 0;
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') return skip_string(c);
    ++at_;
    switch (c) {
      case '#': at_ = std::min(text_.find('\n', at_), text_.size()); break;
      case '\n': end_line(); break;
      case '=': is_value_ = true; break;
      case '.': ++depth_; break;
      case ',':
        if (!open_.empty()) depth_ = open_.back() + 1;
        break;
      case '[':
      case '{': open(); break;
      case ']':
      case '}': close(); break;
      default: break;
    }
  }

  // What stands in a header counts for all keys below it.
  void end_line() {
    ++line_;
    if (!open_.empty()) return;
    if (is_header_) header_ = depth_;
    depth_ = header_;
    is_header_ = false;
    is_value_ = false;
  }

  void open() {
    if (open_.empty() && !is_value_) {  // [header] or [[header]]
      is_header_ = true;
      depth_ = 1;
      return;
    }
    open_.push_back(depth_++);
  }

  void close() {
    if (open_.empty()) return;
    depth_ = open_.back();
    open_.pop_back();
  }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool has_lines = text_.substr(at_).starts_with(triple);
    at_ += has_lines ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        if (!has_lines) return;  // it is not closed
        ++line_;
      } else if (c == '\\' && quote == '"') {
        if (text_.substr(at_ + 1).starts_with('\n')) ++line_;
        ++at_;
      } else if (c == quote && !has_lines) {
        ++at_;
        return;
      } else if (c == quote && text_.substr(at_).starts_with(triple)) {
        at_ += 3;
        for (int more = 0; more < 2 && text_.substr(at_).starts_with(quote); ++more)
          ++at_;  // the string ends in quotes
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t most_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<std::size_t> open_;  // the depth around each bracket
  std::size_t header_ = 0;
  std::size_t depth_ = 0;
  bool is_header_ = false;
  bool is_value_ = false;
};

}  // namespace

int first_line_deeper_than(std::string_view text, std::size_t most) { return Scanner(text, most).scan(); }

}  // namespace weir::scenario
