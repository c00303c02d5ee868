// The words of a text file of uet-htsim.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/text.h"

namespace weir::scenario {

constexpr std::uint32_t kMostHtsimNodes = 1u << 20;

// The words of a file, line by line, without comments and empty lines.
class HtsimLines {
 public:
  HtsimLines(std::string_view text, const std::string& file) : text_(text), where_{file, 0} {}

  bool next() {
    words_.clear();
    at_ = 0;
    while (words_.empty() && !text_.empty()) {
      const auto end = text_.find('\n');
      split(text_.substr(0, end));
      text_ = end == std::string_view::npos ? "" : text_.substr(end + 1);
      ++where_.line;
    }
    return !words_.empty();
  }
  const Where& where() const { return where_; }
  Where whole_file() const { return {where_.file, 0}; }
  // An error about the present line.
  InputError error(const std::string& what) const { return {where_, one_line(what)}; }

  bool more() const { return at_ < words_.size(); }
  // Whether the next word begins so.
  bool next_begins(std::string_view with) const { return more() && words_[at_].starts_with(with); }
  std::string_view word(std::string_view what) {
    if (!more()) throw error(fmt::format("the line ends before {}", what));
    return words_[at_++];
  }
  std::int64_t whole(std::string_view what, std::int64_t min, std::int64_t max) {
    return whole(word(what), what, min, max);
  }
  std::int64_t whole(std::string_view text, std::string_view what, std::int64_t min, std::int64_t max) const {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || value < min || value > max)
      throw error(fmt::format("{}: '{}' is not valid; write a whole number from {} to {}", what, text, min, max));
    return value;
  }
  void end() const {
    if (more()) throw error(fmt::format("'{}' is too much; end the line before it", words_[at_]));
  }

 private:
  void split(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r";
    for (auto begin = line.find_first_not_of(kBlank); begin != std::string_view::npos;) {
      const auto end = std::min(line.find_first_of(kBlank, begin), line.size());
      if (words_.empty() && line[begin] == '#') return;
      words_.push_back(line.substr(begin, end - begin));
      begin = line.find_first_not_of(kBlank, end);
    }
  }

  std::string_view text_;
  Where where_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

}  // namespace weir::scenario
