#include "weir/study/rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <limits>
#include <regex>

#include "weir/base/suggestion.h"
#include "weir/base/text.h"

namespace weir::study {
namespace {

struct Reference {
  std::string text;  // as it is written
  std::size_t measure = 0;
  std::size_t point = 0;
};

struct Expression {
  std::string text;  // with a variable instead of each reference
  std::vector<Reference> references;
  Labels taken;  // of the combination of `each`, in order of use
  bool compares = false;
};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string variable(std::size_t i) { return fmt::format("reference_{}_", i); }

// Of a long rule its begin is told.
InputError rule_error(const Rule& rule, const std::string& what) {
  constexpr std::size_t kTold = 100;
  const std::string text = one_line(rule.text.substr(0, kTold));
  return InputError(rule.where, fmt::format("rule '{}{}': {}", text, rule.text.size() > kTold ? "..." : "", what));
}

class Scanner {
 public:
  Scanner(const Rule& rule, const Measurements& measured, const Labels& combination)
      : rule_(rule), text_(rule.text), measured_(measured), combination_(combination) {}

  Expression scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_digit(c) || c == '.') {
        number();
      } else if (in_word(c)) {
        word();
      } else {
        sign(c);
        out_.text += text_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  // Digits and an exponent, whose letter begins no name.
  void number() {
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) out_.text += text_[at_++];
    std::size_t end = at_;
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) ++end;
    if (end < text_.size() && end > at_ && (text_[end] == '+' || text_[end] == '-')) ++end;
    if (end == text_.size() || end == at_ || !is_digit(text_[end])) return;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    out_.text += text_.substr(at_, end - at_);
    at_ = end;
  }

  // muParser would take a single '=' for an assignment, and compare the truth of the first comparison in a chain.
  void sign(char c) {
    const bool after = at_ > 0 && std::string_view("<>=!").find(text_[at_ - 1]) != std::string_view::npos;
    const bool before = at_ + 1 < text_.size() && text_[at_ + 1] == '=';
    if (c == '=' && !after && !before) throw rule_error(rule_, "'=' is no comparison; write ==, or >= or <=");
    if (c == '(') compared_.push_back(false);
    if (c == ')' && compared_.size() > 1) compared_.pop_back();
    if (c == '&' || c == '|' || c == '?' || c == ':' || c == ',') compared_.back() = false;
    if (after || (c != '<' && c != '>' && !(before && (c == '=' || c == '!')))) return;
    if (compared_.back()) throw rule_error(rule_, "two comparisons in a chain; write a <= b && b <= c");
    compared_.back() = true;
    out_.compares = true;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    const std::size_t end = at_;
    skip_space();
    const bool braces = at_ < text_.size() && text_[at_] == '{';
    const Measure* measure = measured_.study.measure(name);
    if (!braces && measure == nullptr) {  // a function or a constant
      at_ = end;
      out_.text += name;
      return;
    }
    if (measure == nullptr) {
      std::vector<std::string> names;
      for (const Measure& m : measured_.study.measures) names.push_back(m.name());
      throw rule_error(rule_, fmt::format("no measure '{}'{}; valid is {}", name, did_you_mean(name, names),
                                          fmt::join(names, ", ")));
    }
    Labels labels;
    if (braces) {
      labels = read_labels();
    } else {
      at_ = end;
    }
    const std::string written(text_.substr(begin, at_ - begin));
    try {
      refer(written, static_cast<std::size_t>(measure - measured_.study.measures.data()), labels);
    } catch (const InputError& error) {
      throw rule_error(rule_, fmt::format("{}: {}", written, error.what()));
    }
  }

  // A variable for each point, with commas between them.
  void refer(const std::string& written, std::size_t measure, const Labels& labels) {
    const Measurements::Selection selection = measured_.select(labels, combination_);
    for (std::size_t i = 0; i < selection.points.size(); ++i) {
      out_.text += fmt::format("{} {} ", i == 0 ? "" : ",", variable(out_.references.size()));
      out_.references.push_back({written, measure, selection.points[i]});
    }
    for (const auto& label : selection.taken)
      if (std::find(out_.taken.begin(), out_.taken.end(), label) == out_.taken.end()) out_.taken.push_back(label);
  }

  Labels read_labels() {
    Labels out;
    ++at_;  // {
    for (;;) {
      skip_space();
      if (at_ < text_.size() && text_[at_] == '}') break;
      std::string first = label();
      if (at_ < text_.size() && text_[at_] == '=') {
        ++at_;
        out.emplace_back(std::move(first), label());
      } else {
        out.emplace_back("", std::move(first));
      }
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
      } else if (at_ == text_.size() || text_[at_] != '}') {
        throw rule_error(rule_, "a '{' without its '}'");
      }
    }
    ++at_;
    return out;
  }

  // Up to the next = , or }, without spaces around it; or in quotes.
  std::string label() {
    skip_space();
    std::string out;
    if (at_ < text_.size() && text_[at_] == '"') {
      const auto close = text_.find('"', at_ + 1);
      if (close == std::string_view::npos) throw rule_error(rule_, "a label in quotes does not end");
      out = std::string(text_.substr(at_ + 1, close - at_ - 1));
      at_ = close + 1;
      skip_space();
      return out;
    }
    while (at_ < text_.size() && std::string_view("=,}").find(text_[at_]) == std::string_view::npos)
      out += text_[at_++];
    while (!out.empty() && std::isspace(static_cast<unsigned char>(out.back())) != 0) out.pop_back();
    if (out.empty()) throw rule_error(rule_, "a label is empty");
    return out;
  }

  const Rule& rule_;
  const std::string_view text_;
  const Measurements& measured_;
  const Labels& combination_;
  std::size_t at_ = 0;
  std::vector<bool> compared_{false};  // by depth of brackets
  Expression out_;
};

class Evaluator {
 public:
  Evaluator(const Rule& rule, const Expression& expression) : rule_(rule), expression_(expression) {
    try {
      parser_.SetExpr(expression.text);
      for (std::size_t i = 0; i < expression.references.size(); ++i) {
        values_.push_back(1);
        parser_.DefineVar(variable(i), &values_.back());
      }
      // a first evaluation finds what is wrong with the text
      one();
    } catch (const mu::Parser::exception_type& error) {
      throw error_of(error);
    }
  }

  double& value(std::size_t i) { return values_[i]; }

  double evaluate() {
    try {
      return one();
    } catch (const mu::Parser::exception_type& error) {
      throw error_of(error);
    }
  }

 private:
  double one() {
    int results = 0;
    const double* all = parser_.Eval(results);
    if (results != 1) throw rule_error(rule_, "a comma, or a label '*', outside min() and max()");
    return all[0];
  }

  // Without muParser's places, which are in the text that it was given.
  InputError error_of(const mu::Parser::exception_type& error) const {
    static const std::regex place(R"( (found )?at position \d+)");
    std::string what = std::regex_replace(error.GetMsg(), place, "");
    for (std::size_t i = 0; i < expression_.references.size(); ++i)
      if (const auto at = what.find(variable(i)); at != std::string::npos)
        what.replace(at, variable(i).size(), expression_.references[i].text);
    return rule_error(rule_, one_line(what));
  }

  const Rule& rule_;
  const Expression& expression_;
  mu::Parser parser_;
  std::deque<double> values_;  // whose addresses the parser has
};

// How many elements each seed has.
std::size_t length_of(const Rule& rule, const Expression& e, const Measurements& measured) {
  std::size_t length = 1;
  const Reference* by = nullptr;
  for (const Reference& r : e.references) {
    if (!measured.study.measures[r.measure].is_list()) continue;
    for (std::size_t seed = 0; seed < measured.seeds; ++seed) {
      const std::size_t n = measured.values(r.point, seed, r.measure).size();
      if (n == 0 || (by != nullptr && n == length)) continue;
      if (by != nullptr)
        throw rule_error(rule, fmt::format("{} has {} elements, and {} has {}", by->text, length, r.text, n));
      length = n;
      by = &r;
    }
  }
  return length;
}

// Of a reference; NaN = none.
double element(const Reference& r, const Measurements& measured, std::size_t seed, std::size_t i) {
  const Values& v = measured.values(r.point, seed, r.measure);
  if (v.empty()) return kNoValue;
  return measured.study.measures[r.measure].is_list() ? v[i] : v.front();
}

bool is_complete(const Expression& e, const Measurements& measured) {
  for (const Reference& r : e.references)
    for (std::size_t seed = 0; seed < measured.seeds; ++seed)
      if (measured.runs[r.point * measured.seeds + seed].status != Record::Status::done) return false;
  return true;
}

std::vector<double> elements(const Rule& rule, const Expression& e, const Measurements& measured) {
  Evaluator evaluator(rule, e);
  const std::size_t length = length_of(rule, e, measured);
  std::vector<double> out;
  for (std::size_t seed = 0; seed < measured.seeds; ++seed)
    for (std::size_t i = 0; i < length; ++i) {
      bool has_all = true;
      for (std::size_t r = 0; r < e.references.size(); ++r) {
        evaluator.value(r) = element(e.references[r], measured, seed, i);
        has_all = has_all && !std::isnan(evaluator.value(r));
      }
      out.push_back(has_all ? evaluator.evaluate() : kNoValue);
    }
  return out;
}

std::vector<std::string> labels_of(const Rule& rule, const Measurements& measured, const std::string& axis) {
  std::vector<std::string> out;
  for (const Axis& a : measured.study.axes)
    if (a.name == axis)
      for (const auto& p : a.points) out.push_back(p.label);
  if (out.empty())
    throw InputError(rule.where, fmt::format("'each' names an axis '{}', which the study has not", axis));
  return out;
}

// Of the labels in `each`, the last axis fastest; a single one without labels if there are none.
std::vector<Labels> combinations(const Rule& rule, const Measurements& measured) {
  std::vector<Labels> out{{}};
  for (const auto& [name, labels] : rule.each) {
    std::vector<std::string> wanted = labels;
    if (labels.size() == 1 && labels.front() == kAnyLabel) wanted = labels_of(rule, measured, name);
    std::vector<Labels> longer;
    for (const Labels& begin : out)
      for (const std::string& label : wanted) {
        longer.push_back(begin);
        longer.back().emplace_back(name, label);
      }
    out = std::move(longer);
  }
  return out;
}

Evaluation evaluate(const Rule& rule, const Expression& e, const Measurements& measured) {
  Evaluation out;
  out.labels = e.taken;
  out.complete = is_complete(e, measured);
  out.values = elements(rule, e, measured);
  double sum = 0;
  double n = 0;
  out.min = out.max = kNoValue;
  for (const double v : out.values) {
    if (std::isnan(v)) continue;
    sum += v;
    n += 1;
    out.min = std::fmin(out.min, v);
    out.max = std::fmax(out.max, v);
  }
  out.mean = n > 0 ? sum / n : kNoValue;
  return out;
}

}  // namespace

void check_expression(const Rule& expression, const Measurements& measured) {
  for (const Labels& combination : combinations(expression, measured)) {
    const Expression e = Scanner(expression, measured, combination).scan();
    const Evaluator evaluator(expression, e);
  }
}

void check(const Rule& rule, const Measurements& measured) {
  check_expression(rule, measured);
  const Expression e = Scanner(rule, measured, combinations(rule, measured).front()).scan();
  if (!e.compares || e.references.empty())
    throw rule_error(rule, "it compares no measure with anything; write one like p95{HPCC} <= 24");
}

std::vector<Evaluation> evaluate(const Rule& expression, const Measurements& measured) {
  std::vector<Evaluation> out;
  for (const Labels& combination : combinations(expression, measured)) {
    const Expression e = Scanner(expression, measured, combination).scan();
    const bool known = std::any_of(out.begin(), out.end(), [&](const Evaluation& o) { return o.labels == e.taken; });
    if (!known) out.push_back(evaluate(expression, e, measured));
  }
  return out;
}

RuleOutcome judge(const Rule& rule, const Measurements& measured) {
  RuleOutcome out;
  out.complete = true;
  for (const Evaluation& e : evaluate(rule, measured)) {
    out.complete = out.complete && e.complete;
    std::size_t good = 0;
    for (const double v : e.values) {
      if (std::isnan(v)) {
        ++out.missing;
      } else if (v == 1) {
        ++good;
      } else if (v != 0) {
        throw rule_error(rule, fmt::format("it gives {}, which is neither true nor false; compare it with something",
                                           number_text(v)));
      }
    }
    if (good < e.values.size() && !e.labels.empty()) out.against.push_back(e.labels);
    out.good += good;
    out.elements += e.values.size();
  }
  out.holds = out.complete && out.share() >= rule.in_share;
  return out;
}

}  // namespace weir::study
