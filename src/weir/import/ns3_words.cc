#include "weir/import/ns3_words.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "weir/base/params.h"
#include "weir/base/text.h"

namespace weir::scenario {

std::optional<double> leading_ns3_number(std::string_view text, std::string_view& rest) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return value;
}

double read_ns3_number(const std::string& text, double min, double max, const Where& where, std::string_view name) {
  std::string_view rest;
  const auto value = leading_ns3_number(text, rest);
  if (!value || !rest.empty() || *value < min || *value > max)
    throw InputError(where, fmt::format("{}: '{}' is not valid; write a number from {} to {}", name,
                                        one_line(text, kQuoted), min, max));
  return *value;
}

std::uint64_t read_ns3_whole(const std::string& text, std::uint64_t min, std::uint64_t max, const Where& where,
                             std::string_view name) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max)
    throw InputError(
        where, fmt::format("{}: '{}' is not valid; write {}", name, one_line(text, kQuoted),
                           min == max ? std::to_string(min) : fmt::format("a whole number from {} to {}", min, max)));
  return value;
}

std::vector<std::string> ns3_words_of(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::vector<std::string> words;
  for (;;) {
    const auto begin = line.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const auto end = std::min(line.find_first_of(kSpace), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

Rate parse_ns3_rate(const std::string& text, const Where& where) {
  struct Unit {
    std::string_view name;
    double bits = 0;
  };
  constexpr double kKi = 1024;
  constexpr Unit kPrefixes[] = {{"", 1},    {"k", 1e3},  {"K", 1e3},        {"M", 1e6},
                                {"G", 1e9}, {"Ki", kKi}, {"Mi", kKi * kKi}, {"Gi", kKi * kKi * kKi}};
  constexpr Unit kUnits[] = {{"bps", 1}, {"b/s", 1}, {"Bps", 8}, {"B/s", 8}};
  const auto fits = [](std::string_view rest, const Unit& prefix, const Unit& unit) {
    return rest == fmt::format("{}{}", prefix.name, unit.name) || (rest.empty() && prefix.bits * unit.bits == 1);
  };
  std::string_view rest;
  if (const auto value = leading_ns3_number(text, rest))
    for (const Unit& prefix : kPrefixes)
      for (const Unit& unit : kUnits)
        if (fits(rest, prefix, unit)) {
          const double rate = *value * (prefix.bits * unit.bits);
          if (rate >= 1 && rate <= static_cast<double>(kMaxRate.bits_per_second))
            return {static_cast<std::int64_t>(rate)};
        }
  throw InputError(where, fmt::format("rate: '{}' is not valid; write 1 bps to {}, like 100Gbps or 50Mb/s",
                                      one_line(text, kQuoted), format_value(kMaxRate)));
}

}  // namespace weir::scenario
