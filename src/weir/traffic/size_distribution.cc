#include "weir/traffic/size_distribution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "weir/base/params.h"
#include "weir/base/suggestion.h"
#include "weir/base/text_file.h"
#include "weir/traffic/flow.h"
#include "weir/traffic/workloads.h"

namespace weir::traffic {
namespace {

constexpr std::int64_t kMaxSize = kMaxFlowSize.count;

constexpr std::string_view kLineForm = "a line is 'size_bytes cumulative_percent', like '1000 50'";

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The next run of characters that do not separate columns, cut from the front of `line`.
std::string_view next_word(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t\r,";
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const auto word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

struct Line {
  Where where;
  double size = 0;
  double cumulative = 0;
};
struct Lines {
  std::vector<Line> points;
  double percent = 1;  // of `cumulative`
  bool steps = false;
};

Line parse_line(std::string_view first, std::string_view second, const Where& where) {
  const auto size = parse_number<std::int64_t>(first);
  if (!size || *size < 0 || *size > kMaxSize)
    throw InputError(where,
                     fmt::format("'{}' is not a size; valid is a whole number of bytes, 0 to {}", first, kMaxSize));
  const auto cumulative = parse_number<double>(second);
  if (!cumulative || !(*cumulative >= 0 && *cumulative <= 100))
    throw InputError(where,
                     fmt::format("'{}' is not a cumulative percentage; valid is a number from 0 to 100", second));
  return {where, static_cast<double>(*size), *cumulative};
}

Lines read_lines(std::string_view text, const std::string& file) {
  Lines out;
  Where where{file, 0};
  for (bool more = true; more;) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    more = end != std::string_view::npos;
    if (more) text.remove_prefix(end + 1);
    ++where.line;

    line = line.substr(0, line.find('#'));
    const auto first = next_word(line);
    const auto second = next_word(line);
    if (first.empty()) continue;
    if (second.empty() && out.points.empty() && !out.steps && parse_number<double>(first)) {
      out.steps = true;
      continue;
    }
    if (second.empty()) throw InputError(where, fmt::format("one column; {}", kLineForm));
    if (const auto third = next_word(line); !third.empty())
      throw InputError(where, fmt::format("unexpected '{}'; {}", third, kLineForm));
    out.points.push_back(parse_line(first, second, where));
  }
  if (!out.points.empty() && out.points.back().cumulative == 1) out.percent = 100;
  return out;
}

}  // namespace

SizeDistribution SizeDistribution::fixed(Bytes size) {
  if (size.count < 1 || size.count > kMaxSize)
    throw InputError(fmt::format("a flow of {} B is out of range; valid is 1 B to {} B", size.count, kMaxSize));
  SizeDistribution out;
  out.percent_ = {0};
  out.size_ = {static_cast<double>(size.count)};
  return out;
}

SizeDistribution SizeDistribution::parse(std::string_view text, const std::string& file) {
  const Lines lines = read_lines(text, file);
  SizeDistribution out;
  for (const Line& line : lines.points) {
    const double percent = line.cumulative * lines.percent;
    const bool first = out.size_.empty();
    const double before = first ? 0 : out.percent_.back();
    if (!first && line.size < out.size_.back())
      throw InputError(line.where,
                       fmt::format("size {} after {}; sizes must not decrease", line.size, out.size_.back()));
    if (percent < before)
      throw InputError(line.where,
                       fmt::format("{} % after {} %; the cumulative percentage must not decrease", percent, before));
    // sizes beyond 100 % are never drawn
    if (before == 100 && line.size > out.size_.back()) continue;
    if (lines.steps || (first && percent > 0)) out.add(line.size, before);
    out.add(line.size, percent);
  }

  if (lines.points.size() < 2)
    throw InputError(Where{file, 0}, fmt::format("{} {}; a distribution has at least 2, and {}", lines.points.size(),
                                                 lines.points.size() == 1 ? "point" : "points", kLineForm));
  if (out.percent_.back() != 100)
    throw InputError(Where{file, 0}, fmt::format("the last point is at {}, it must be at 100 %, or at 1 in fractions",
                                                 lines.points.back().cumulative));
  if (out.mean() < 1)
    throw InputError(Where{file, 0}, fmt::format("the mean is {} bytes; it must be at least 1", out.mean()));
  return out;
}

void SizeDistribution::add(double size, double percent) {
  size_.push_back(size);
  percent_.push_back(percent);
}

SizeDistribution SizeDistribution::named(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& workload : workloads()) {
    if (workload.name == name) return parse(workload.cdf, std::string(name));
    names.emplace_back(workload.name);
  }
  throw InputError(
      fmt::format("unknown workload '{}'{}; valid is {}, a size like \"1 MB\", or a file like \"my.cdf.txt\"", name,
                  did_you_mean(name, names), fmt::join(names, ", ")));
}

bool SizeDistribution::names_file(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return true;
  const std::string extension = std::filesystem::path(text).extension().string();
  return extension.size() > 1 && std::isalpha(static_cast<unsigned char>(extension[1])) != 0;
}

SizeDistribution SizeDistribution::from_text(std::string_view text, std::string_view key, const std::string& folder) {
  if (names_file(text)) {
    const std::string path = (std::filesystem::path(folder) / text).string();
    return parse(read_named_file(path, "a file of lines 'size_bytes cumulative_percent'", key), path);
  }
  return under_key(key, [&] {
    // no workload's name starts with a digit
    const bool quantity = !text.empty() && ((text[0] >= '0' && text[0] <= '9') || text[0] == '-' || text[0] == '.');
    return quantity ? fixed(parse_bytes(text)) : named(text);
  });
}

double SizeDistribution::mean() const {
  if (size_.size() == 1) return size_.front();
  double sum = 0;
  for (std::size_t i = 1; i < size_.size(); ++i) sum += (size_[i] + size_[i - 1]) * (percent_[i] - percent_[i - 1]);
  return std::min(sum / 200, size_.back());  // if all sizes are equal, the sum may be rounded up
}

Bytes SizeDistribution::quantile(double u) const {
  if (size_.size() == 1) return {static_cast<std::int64_t>(size_.front())};
  const double y = u * 100;
  // the segment with percent_[i - 1] <= y < percent_[i], so its width is not 0
  const auto i = static_cast<std::size_t>(std::upper_bound(percent_.begin(), percent_.end(), y) - percent_.begin());
  if (i == percent_.size()) return largest();
  if (i == 0) return {std::max<std::int64_t>(1, static_cast<std::int64_t>(size_.front()))};
  const double x0 = size_[i - 1];
  const double x1 = size_[i];
  const double x = x0 + (x1 - x0) * (y - percent_[i - 1]) / (percent_[i] - percent_[i - 1]);
  // the quotient's rounding must not carry a draw beyond its segment
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(x, x1)))};
}

Bytes SizeDistribution::largest() const { return {static_cast<std::int64_t>(size_.back())}; }

}  // namespace weir::traffic
