#include "weir/base/number_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "weir/base/error.h"
#include "weir/base/trim.h"

namespace weir {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  text = trim(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t step = 1;
};

std::optional<Range> range(std::string_view item) {
  const auto dash = item.find('-');
  const auto first = number(item.substr(0, dash));
  if (dash == std::string_view::npos) return first ? std::optional(Range{*first, *first, 1}) : std::nullopt;
  const std::string_view rest = item.substr(dash + 1);
  const auto colon = rest.find(':');
  const auto last = number(rest.substr(0, colon));
  const auto step = colon == std::string_view::npos ? std::optional<std::uint64_t>(1) : number(rest.substr(colon + 1));
  if (!first || !last || !step || *first > *last || *step == 0) return std::nullopt;
  return Range{*first, *last, std::min(*step, *last - *first + 1)};
}

}  // namespace

std::string does_not_exist(std::string_view what, std::uint64_t number, std::uint32_t count) {
  if (count == 0) return fmt::format("{} {} does not exist: there are no {}s", what, number, what);
  return fmt::format("{} {} does not exist: {}s are 0 to {}", what, number, what, count - 1);
}

std::vector<std::uint32_t> parse_number_list(std::string_view text, std::uint32_t count, std::string_view what) {
  std::vector<std::uint32_t> out;
  if (trim(text) == "all") {
    out.resize(count);
    std::iota(out.begin(), out.end(), 0u);
    return out;
  }
  std::vector<bool> seen(count);
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    const auto item = rest.substr(0, comma);
    const auto r = range(item);
    if (!r)
      throw InputError(
          fmt::format("'{}': '{}' is not a {} or a range; write \"all\", \"0-15\", \"0-255:32\" or "
                      "\"0-3,8\"",
                      text, trim(item), what));
    if (r->last >= count) throw InputError(fmt::format("'{}': {}", text, does_not_exist(what, r->last, count)));
    for (std::uint64_t n = r->first; n <= r->last; n += r->step) {
      if (seen[n]) throw InputError(fmt::format("'{}': {} {} is listed twice", text, what, n));
      seen[n] = true;
      out.push_back(static_cast<std::uint32_t>(n));
    }
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace weir
