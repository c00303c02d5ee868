#include "weir/base/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "weir/base/suggestion.h"
#include "weir/base/trim.h"

namespace weir {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
// Doubles from here on do not fit 64 bits, or mean the largest value.
constexpr double kUnbounded = 9.2e18;

struct Unit {
  std::string_view name;
  std::int64_t factor;
  bool decimal = true;  // a power of ten: any value is a decimal fraction of it
  std::array<std::string_view, 3> other_names = {};

  bool is_called(std::string_view text) const {
    return text == name || std::find(other_names.begin(), other_names.end(), text) != other_names.end();
  }
};

// The last is the base unit; messages use the second as their example.
constexpr std::array kTimeUnits{Unit{"s", 1'000'000'000'000}, Unit{"ms", 1'000'000'000}, Unit{"us", 1'000'000},
                                Unit{"ns", 1'000}, Unit{"ps", 1}};
constexpr std::array kByteUnits{Unit{"GiB", 1'073'741'824, false},
                                Unit{"MiB", 1'048'576, false},
                                Unit{"KiB", 1'024, false},
                                Unit{"PB", 1'000'000'000'000'000},
                                Unit{"TB", 1'000'000'000'000},
                                Unit{"GB", 1'000'000'000},
                                Unit{"MB", 1'000'000},
                                Unit{"KB", 1'000},
                                Unit{"B", 1}};
constexpr std::array kRateUnits{
    Unit{"Tbps", 1'000'000'000'000, true, {"Tb/s", "Tbit/s", "T"}},
    Unit{"Gbps", 1'000'000'000, true, {"Gb/s", "Gbit/s", "G"}}, Unit{"Mbps", 1'000'000, true, {"Mb/s", "Mbit/s", "M"}},
    Unit{"Kbps", 1'000, true, {"Kb/s", "kb/s", "kbps"}}, Unit{"bps", 1, true, {"b/s", "bit/s"}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

InputError quantity_error(std::string_view text, std::span<const Unit> units, std::string_view what,
                          std::string_view why) {
  std::string names;
  for (const auto& u : units) names += fmt::format("{}{}", names.empty() ? "" : ", ", u.name);
  return InputError(fmt::format("'{}' is not a {}: {}; write a number and one of {}, like \"1.5 {}\"", text, what, why,
                                names, units[1].name));
}

// "<number> <unit>" as an exact whole number of base units. The decimal is scaled in integers,
// so "0.1 us" is 100000 ps and nothing is lost to binary fractions.
std::int64_t parse_quantity(std::string_view text, std::span<const Unit> units, std::string_view what) {
  const auto error = [&](std::string_view why) { return quantity_error(text, units, what, why); };
  const std::string_view t = trim(text);
  std::size_t i = 0;
  std::int64_t mantissa = 0;
  int decimals = 0;
  bool dot = false;
  bool digit = false;
  for (; i < t.size() && (is_digit(t[i]) || (t[i] == '.' && !dot)); ++i) {
    if (t[i] == '.') {
      dot = true;
      continue;
    }
    digit = true;
    if (__builtin_mul_overflow(mantissa, std::int64_t{10}, &mantissa) ||
        __builtin_add_overflow(mantissa, std::int64_t{t[i] - '0'}, &mantissa) || decimals >= 18)
      throw error("too many digits");
    if (dot) ++decimals;
  }
  if (!digit) throw error(t.starts_with('-') ? "it may not be negative" : "it has no number");
  const auto name = trim(t.substr(i));
  if (name.empty() && mantissa == 0) return 0;
  if (name.empty()) throw error("it has no unit");
  const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.is_called(name); });
  if (unit == units.end()) throw quantity_error(text, units, what, fmt::format("unknown unit '{}'", name));
  auto value = static_cast<__int128>(mantissa) * unit->factor;
  for (; decimals > 0; --decimals) {
    if (value % 10 != 0) throw error(fmt::format("it is not a whole number of {}", units.back().name));
    value /= 10;
  }
  if (value > kMax) throw error("it is too large");
  return static_cast<std::int64_t>(value);
}

// value / factor as an exact decimal; factor is a power of ten.
std::string decimal(std::int64_t value, std::int64_t factor) {
  std::string out = fmt::format("{}", value / factor);
  std::int64_t rest = value % factor;
  if (rest != 0) out += '.';
  for (; rest != 0; rest %= factor) {
    factor /= 10;
    out += static_cast<char>('0' + rest / factor);
  }
  return out;
}

// The shortest notation without a leading zero; of several, that with the largest unit.
std::string format_quantity(std::int64_t value, std::span<const Unit> units) {
  if (value < 0) return fmt::format("{} {}", value, units.back().name);
  std::string best = fmt::format("{} {}", value, units.back().name);
  std::int64_t best_factor = 1;
  for (const auto& u : units) {
    if (value < u.factor || (!u.decimal && value % u.factor != 0)) continue;
    auto text =
        fmt::format("{} {}", u.decimal ? decimal(value, u.factor) : fmt::format("{}", value / u.factor), u.name);
    if (text.size() > best.size() || (text.size() == best.size() && u.factor < best_factor)) continue;
    best = std::move(text);
    best_factor = u.factor;
  }
  return best;
}

double as_double(const ParamValue& v) {
  if (auto p = std::get_if<std::int64_t>(&v)) return static_cast<double>(*p);
  if (auto p = std::get_if<double>(&v)) return *p;
  if (auto p = std::get_if<Time>(&v)) return static_cast<double>(p->ps);
  if (auto p = std::get_if<Bytes>(&v)) return static_cast<double>(p->count);
  if (auto p = std::get_if<Rate>(&v)) return static_cast<double>(p->bits_per_second);
  return 0;
}

// A bound in the parameter's own notation.
std::string bound_text(const ParamValue& type, double bound) {
  if (std::holds_alternative<double>(type)) return fmt::format("{}", bound);
  const auto whole = std::abs(bound) < kUnbounded ? static_cast<std::int64_t>(bound) : (bound < 0 ? -kMax : kMax);
  if (std::holds_alternative<Time>(type)) return format_value(Time{whole});
  if (std::holds_alternative<Bytes>(type)) return format_value(Bytes{whole});
  if (std::holds_alternative<Rate>(type)) return format_value(Rate{whole});
  return format_value(whole);
}

// Levenshtein distance regardless of case, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto above = row[j];
      const std::size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]) ? 1 : 0);
      row[j] = std::min({above + 1, row[j - 1] + 1, replaced});
      diagonal = above;
    }
  }
  return row.back();
}

// A whole number, also one written like 1e6.
std::optional<std::int64_t> parse_integer(std::string_view t) {
  std::int64_t whole = 0;
  const auto* last = t.data() + t.size();
  if (const auto [end, error] = std::from_chars(t.data(), last, whole); end == last) {
    if (error == std::errc{}) return whole;
    return std::nullopt;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(t.data(), last, number);
  if (error != std::errc{} || end != last || number != std::floor(number) || std::abs(number) > 9e15)
    return std::nullopt;
  return static_cast<std::int64_t>(number);
}

// Whether a text that parse_integer does not take is a whole number all the same, and only too large.
bool is_whole(std::string_view t) {
  double number = 0;  // stays if it is beyond even a double
  const auto* last = t.data() + t.size();
  const auto [end, error] = std::from_chars(t.data(), last, number);
  return error != std::errc::invalid_argument && end == last && number == std::floor(number);
}

std::optional<double> parse_number(std::string_view t) {
  double number = 0;
  const auto* last = t.data() + t.size();
  const auto [end, error] = std::from_chars(t.data(), last, number);
  if (error != std::errc{} || end != last || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace

Time parse_time(std::string_view text) { return {parse_quantity(text, kTimeUnits, "time")}; }
Bytes parse_bytes(std::string_view text) { return {parse_quantity(text, kByteUnits, "size")}; }
Rate parse_rate(std::string_view text) { return {parse_quantity(text, kRateUnits, "rate")}; }

std::string_view Param::type_name() const {
  static constexpr std::array<std::string_view, 7> names{"boolean", "integer", "number", "time",
                                                         "bytes",   "rate",    "text"};
  if (!choices.empty()) return "choice";
  return names[fallback.index()];
}

std::string Param::valid() const {
  if (!choices.empty()) {
    std::string out = "one of";
    for (const auto& c : choices) out += (&c == &choices.front() ? " " : ", ") + c;
    return out;
  }
  if (std::holds_alternative<bool>(fallback)) return "true or false";
  if (std::holds_alternative<std::string>(fallback)) return "any text";
  if (!valid_text.empty()) return valid_text;
  if (max >= kUnbounded) return fmt::format("at least {}", bound_text(fallback, min));
  return fmt::format("{} to {}", bound_text(fallback, min), bound_text(fallback, max));
}

void check_value(const Param& param, const ParamValue& value) {
  if (!param.choices.empty()) {
    const auto& word = std::get<std::string>(value);
    if (std::find(param.choices.begin(), param.choices.end(), word) != param.choices.end()) return;
    throw InputError(param.name,
                     fmt::format("cannot be '{}'; it is {}{}", word, param.valid(), did_you_mean(word, param.choices)));
  }
  if (std::holds_alternative<bool>(value) || std::holds_alternative<std::string>(value)) return;
  const double v = as_double(value);
  if (!(v >= param.min && v <= param.max))
    throw InputError(param.name, fmt::format("{} is out of range; valid is {}", format_value(value), param.valid()));
}

ParamValue parse_value(const Param& param, std::string_view text) {
  struct Parser {
    std::string_view text;
    const Param& param;

    ParamValue operator()(bool) const {
      const auto word = trim(text);
      if (word != "true" && word != "false") throw InputError(fmt::format("'{}' is neither true nor false", text));
      return word == "true";
    }
    ParamValue operator()(std::int64_t) const {
      if (const auto whole = parse_integer(trim(text))) return *whole;
      if (is_whole(trim(text)))
        throw InputError(fmt::format("{} is out of range; valid is {} to {}", trim(text),
                                     bound_text(param.fallback, param.min), bound_text(param.fallback, param.max)));
      throw InputError(fmt::format("'{}' is not a whole number", text));
    }
    ParamValue operator()(double) const {
      if (const auto number = parse_number(trim(text))) return *number;
      throw InputError(fmt::format("'{}' is not a number", text));
    }
    ParamValue operator()(Time) const { return parse_time(text); }
    ParamValue operator()(Bytes) const { return parse_bytes(text); }
    ParamValue operator()(Rate) const { return parse_rate(text); }
    ParamValue operator()(const std::string&) const { return std::string(text); }
  };
  ParamValue value = under_key(param.name, [&] { return std::visit(Parser{text, param}, param.fallback); });
  check_value(param, value);
  return value;
}

std::string format_value(const ParamValue& value) {
  struct Formatter {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(Time v) const { return format_quantity(v.ps, kTimeUnits); }
    std::string operator()(Bytes v) const { return format_quantity(v.count, kByteUnits); }
    std::string operator()(Rate v) const { return format_quantity(v.bits_per_second, kRateUnits); }
    std::string operator()(const std::string& v) const { return v; }
  };
  return std::visit(Formatter{}, value);
}

bool ParamSet::meets(const Need& need, const void* object) const {
  const Param* p = find(need.key);
  return p != nullptr && need.is_met_by(format_value(p->get(object)));
}

bool ParamSet::has_effect(const Param& param, const void* object) const {
  const auto holds = [&](const Need& need) { return !need.is_of_component() || meets(need, object); };
  return std::all_of(param.needs.begin(), param.needs.end(), [&](const Need& need) {
    return holds(need) || std::any_of(need.or_else.begin(), need.or_else.end(), holds);
  });
}

void ParamSet::reset_unmet(void* object) const {
  for (const Param& p : params_)
    if (!has_effect(p, object)) p.set(object, p.fallback);
}

void check_new_name(std::string_view what, std::string_view name, bool is_taken) {
  constexpr std::string_view kValid = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  if (name.empty() || name.find_first_not_of(kValid) != std::string_view::npos)
    throw InputError(
        fmt::format("'{}' cannot be the name of {}; write lower-case letters, digits, '-' and '_'", name, what));
  if (is_taken) throw InputError(fmt::format("there is {} of the name '{}' already; choose another", what, name));
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::size_t tolerance = std::max<std::size_t>(2, word.size() / 2);
  std::string best;
  std::size_t best_distance = tolerance + 1;
  for (const auto& c : candidates) {
    // Words are at least as far from each other as their lengths.
    if (std::max(word.size(), c.size()) - std::min(word.size(), c.size()) >= best_distance) continue;
    const auto distance = edit_distance(word, c);
    // Two words without a common letter are not near, however short.
    if (distance >= best_distance || distance >= std::max(word.size(), c.size())) continue;
    best_distance = distance;
    best = c;
  }
  if (!best.empty()) return best;
  // "size" of "size_bytes"
  const auto longer = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& c) {
    return !word.empty() && c.size() > word.size() && c.starts_with(word) && c[word.size()] == '_';
  });
  return longer == candidates.end() ? "" : *longer;
}

std::size_t Param::place_of(const ParamValue& choice) const {
  const auto found = std::find(choices.begin(), choices.end(), std::get<std::string>(choice));
  if (found == choices.end()) throw std::logic_error("parameter " + name + " has no choice of this name");
  return static_cast<std::size_t>(found - choices.begin());
}

Param& ParamSet::add(Text name, ParamValue fallback, Text meaning, Text source, const ParamAccess& access,
                     std::size_t at) {
  Param& p = params_.emplace_back();
  p.name = name;
  p.fallback = std::move(fallback);
  p.meaning = meaning;
  p.source = source;
  p.access = &access;
  p.at = at;
  return p;
}

void ParamSet::add_part(Text prefix, const ParamSet& part, const void* defaults, std::size_t at) {
  for (Param p : part.params()) {
    p.fallback = p.get(defaults);
    p.name.insert(0, prefix);
    const auto lengthen = [&](Need& need) {
      if (need.key.find('.') == std::string::npos) need.key.insert(0, prefix);
    };
    for (Need& need : p.needs) {
      lengthen(need);
      std::for_each(need.or_else.begin(), need.or_else.end(), lengthen);
    }
    p.at += at;
    params_.push_back(std::move(p));
  }
}

void ParamSet::check() const {
  for (const auto& p : params_) {
    if (find(p.name) != &p) throw std::logic_error("parameter " + p.name + " is described twice");
    if (p.required) continue;  // its default is never used
    try {
      check_value(p, p.fallback);
    } catch (const InputError& error) {
      throw std::logic_error(std::string("invalid default: ") + error.what());
    }
  }
}

const Param* ParamSet::find(std::string_view name) const {
  for (const auto& p : params_)
    if (p.name == name) return &p;
  return nullptr;
}

std::vector<std::string> ParamSet::names() const {
  std::vector<std::string> out;
  for (const auto& p : params_) out.push_back(p.name);
  return out;
}

}  // namespace weir
