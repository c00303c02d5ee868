#include "weir/study/firmness.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/study/range_text.h"
#include "weir/study/statistics.h"

namespace weir::study {
namespace {

// Differences that a mean can be taken of.
std::vector<double> finite(const Compared& c) {
  if (std::all_of(c.by.begin(), c.by.end(), [](double v) { return std::isfinite(v); })) return c.by;
  std::vector<double> out;
  for (const double v : c.by) out.push_back(v > 0 || (v == 0 && !c.strict) ? 1 : -1);
  return out;
}

Answer answer_of(const Interval& i, bool strict) {
  if (strict ? i.low > 0 : i.low >= 0) return Answer::holds;
  return (strict ? i.high <= 0 : i.high < 0) ? Answer::fails : Answer::undecided;
}

// How many half widths of its interval a mean is from 0.
double distance(const Interval& i) {
  const double half = (i.high - i.low) / 2;
  return half == 0 ? std::copysign(INFINITY, i.mean) : i.mean / half;
}

struct Judged {
  const Compared* comparison = nullptr;
  Interval interval;
  Answer answer = Answer::undecided;
};

std::string text_of(const Judged& decisive, std::size_t comparisons) {
  const Interval& i = decisive.interval;
  const std::string which = comparisons == 1 ? "" : fmt::format(", of {} comparisons", comparisons);
  const std::string mean = fmt::format("{:.3g}", i.mean);
  const std::string range = range_text("{:.3g}", i.low, i.high);
  return fmt::format("{}: by {}{}{}; {} seeds", decisive.comparison->text, mean,
                     range == mean ? "" : fmt::format(" ({})", range), which, i.count);
}

bool is_true(const Compared& c) { return c.by.front() > 0 || (c.by.front() == 0 && !c.strict); }

// Where a scanner of a rule stands: inside brackets, or inside the braces of labels.
class Depth {
 public:
  void take(char c) {
    if (c == '"' && braces_ > 0) quoted_ = !quoted_;
    if (quoted_) return;
    if (c == '{') ++braces_;
    if (c == '}') --braces_;
    if (braces_ > 0) return;
    if (c == '(') ++brackets_;
    if (c == ')') --brackets_;
  }
  bool in_labels() const { return braces_ > 0; }
  int brackets() const { return brackets_; }

 private:
  int braces_ = 0;
  int brackets_ = 0;
  bool quoted_ = false;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The parts between && that are in no brackets; none if there is an || or a choice.
std::vector<std::string_view> conjuncts(std::string_view rule) {
  std::vector<std::string_view> out;
  Depth depth;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    depth.take(rule[i]);
    if (depth.in_labels()) continue;
    if (rule[i] == '|' || rule[i] == '?') return {};
    if (rule.substr(i, 2) != "&&") continue;
    if (depth.brackets() > 0) return {};
    out.push_back(trimmed(rule.substr(begin, i - begin)));
    begin = ++i + 1;
  }
  out.push_back(trimmed(rule.substr(begin)));
  return out;
}

// Nothing if it has no comparison outside brackets, or one inside them.
std::optional<Comparison> comparison_of(std::string_view part) {
  std::optional<Comparison> out;
  Depth depth;
  for (std::size_t i = 0; i < part.size(); ++i) {
    depth.take(part[i]);
    const char c = part[i];
    if (depth.in_labels() || (c != '<' && c != '>' && c != '=' && c != '!')) continue;
    if (depth.brackets() > 0 || out) return std::nullopt;
    const std::size_t length = part.substr(i + 1, 1) == "=" ? 2 : 1;
    out = {std::string(part), std::string(trimmed(part.substr(0, i))), std::string(part.substr(i, length)),
           std::string(trimmed(part.substr(i + length)))};
    i += length - 1;
  }
  return out;
}

}  // namespace

std::string_view name_of(Answer answer) {
  return answer == Answer::holds ? "holds" : answer == Answer::fails ? "fails" : "undecided";
}

Answer both(Answer a, Answer b) {
  if (a == Answer::fails || b == Answer::fails) return Answer::fails;
  return a == Answer::holds && b == Answer::holds ? Answer::holds : Answer::undecided;
}

Finding judge_perturbed(std::span<const Perturbed> runs) {
  const std::size_t n = runs.size();
  if (n == 0) return {Answer::undecided, "nothing could be perturbed"};
  std::vector<std::uint32_t> against;
  for (const Perturbed& run : runs)
    if (!run.is_true) against.push_back(run.number);
  const std::size_t k = n - against.size();
  const Answer answer = 9 * k >= 8 * n ? Answer::holds : 9 * k <= n ? Answer::fails : Answer::undecided;
  const bool tells = k > 0 && k < n;
  return {answer, fmt::format("{} of {}{}", k, n, tells ? fmt::format("; not with {}", fmt::join(against, ", ")) : "")};
}

Finding judge_over_seeds(std::span<const Compared> comparisons) {
  if (comparisons.front().by.size() < 2) {
    const bool holds = std::all_of(comparisons.begin(), comparisons.end(), is_true);
    return {Answer::undecided, fmt::format("one seed: {}", holds ? "true" : "false")};
  }
  Answer all = Answer::holds;
  std::vector<Judged> judged;
  for (const Compared& c : comparisons) {
    const Interval interval = confidence(finite(c));
    judged.push_back({&c, interval, answer_of(interval, c.strict)});
    all = both(all, judged.back().answer);
  }
  // told is the least firm one of those that decide
  std::erase_if(judged, [&](const Judged& j) { return j.answer != all; });
  const auto decisive = std::min_element(judged.begin(), judged.end(), [](const Judged& a, const Judged& b) {
    return distance(a.interval) < distance(b.interval);
  });
  return {all, text_of(*decisive, comparisons.size())};
}

std::string Comparison::difference() const {
  return op.front() == '<' ? fmt::format("({}) - ({})", right, left) : fmt::format("({}) - ({})", left, right);
}

std::vector<Comparison> comparisons_of(std::string_view rule) {
  std::vector<Comparison> out;
  for (const std::string_view part : conjuncts(rule)) {
    auto comparison = comparison_of(part);
    if (!comparison || !comparison->is_ordered()) return {};
    out.push_back(std::move(*comparison));
  }
  return out;
}

}  // namespace weir::study
