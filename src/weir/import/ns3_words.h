// The words of the text files of HPCC's simulator, and the numbers in them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/base/units.h"

namespace weir::scenario {

// The number at the beginning of a text, and what follows it; nothing if there is none.
std::optional<double> leading_ns3_number(std::string_view text, std::string_view& rest);
// A whole text that is a number. Throws InputError that names `name` and the place.
double read_ns3_number(const std::string& text, double min, double max, const Where& where, std::string_view name);
std::uint64_t read_ns3_whole(const std::string& text, std::uint64_t min, std::uint64_t max, const Where& where,
                             std::string_view name);
// "100Gbps", "50Mb/s", "12.5GB/s": the units of ns-3; a number alone is in bit/s. Throws InputError.
Rate parse_ns3_rate(const std::string& text, const Where& where);

std::vector<std::string> ns3_words_of(std::string_view line);

// Calls with the words of each line, and its number from 1 on.
template <class Call>
void for_each_ns3_line(std::string_view text, Call&& call) {
  for (int line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    call(ns3_words_of(text.substr(0, end)), line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The words of a file without keys, one after the other.
class Ns3Words {
 public:
  Ns3Words(std::string_view text, const std::string& file) : where_{file, 1} {
    for_each_ns3_line(text, [this](const std::vector<std::string>& words, int line) {
      for (const auto& w : words) words_.push_back({w, line});
    });
  }

  const std::string& next(std::string_view name) {
    if (at_ == words_.size())
      throw InputError(where_, fmt::format("the file ends before {}{}", name,
                                           where_.line > 1 ? "; it holds less than its first line says" : ""));
    where_.line = words_[at_].line;
    return words_[at_++].text;
  }
  std::uint32_t whole(std::string_view name, std::uint64_t min, std::uint64_t max) {
    const std::string& text = next(name);
    return static_cast<std::uint32_t>(read_ns3_whole(text, min, max, where_, name));
  }
  Bytes bytes(std::string_view name, Bytes max) {
    const std::string& text = next(name);
    return {static_cast<std::int64_t>(read_ns3_whole(text, 1, static_cast<std::uint64_t>(max.count), where_, name))};
  }
  double number(std::string_view name, double min, double max) {
    const std::string& text = next(name);
    return read_ns3_number(text, min, max, where_, name);
  }
  // What follows `all`, which the simulator does not read: where it stands, and its first line. Empty if nothing does.
  std::string rest(std::string_view all) const {
    if (at_ == words_.size()) return "";
    const int line = words_[at_].line;
    std::string first;
    for (std::size_t i = at_; i < at_ + left_in_line(); ++i) first += (i > at_ ? " " : "") + words_[i].text;
    return fmt::format("{} from line {} on, which is beyond {} ('{}'...)", where_.file, line, all,
                       one_line(first, kQuoted));
  }
  // Words from the next one to the end of its line.
  std::size_t left_in_line() const {
    std::size_t end = at_;
    while (end < words_.size() && words_[end].line == words_[at_].line) ++end;
    return end - at_;
  }
  const Where& where() const { return where_; }

 private:
  struct Word {
    std::string text;
    int line = 0;
  };
  Where where_;
  std::vector<Word> words_;
  std::size_t at_ = 0;
};

}  // namespace weir::scenario
