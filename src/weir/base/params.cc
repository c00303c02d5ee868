#include "weir/base/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace weir {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

// Largest first: formatting takes the first unit that divides the value exactly.
constexpr std::array<Unit, 5> kTimeUnits{{{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000},
                                          {"ns", 1'000}, {"ps", 1}}};
constexpr std::array<Unit, 7> kByteUnits{{{"GB", 1'000'000'000}, {"MiB", 1'048'576}, {"MB", 1'000'000},
                                          {"GiB", 1'073'741'824}, {"KiB", 1'024}, {"KB", 1'000}, {"B", 1}}};
constexpr std::array<Unit, 5> kRateUnits{{{"Tbps", 1'000'000'000'000}, {"Gbps", 1'000'000'000},
                                          {"Mbps", 1'000'000}, {"Kbps", 1'000}, {"bps", 1}}};

std::string unit_names(std::span<const Unit> units) {
  std::string out;
  for (const auto& u : units) out += (out.empty() ? "" : ", ") + std::string(u.name);
  return out;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// "<number> <unit>" as an exact whole number of base units. The decimal is scaled in integers,
// so "0.1 us" is 100000 ps and nothing is lost to binary fractions.
std::int64_t parse_quantity(std::string_view text, std::span<const Unit> units, std::string_view what) {
  const auto bad = [&](std::string_view why) {
    throw InputError(fmt::format("'{}' is not a {}: {}; write a number and one of {}, like \"1.5 {}\"", text, what,
                                 why, unit_names(units), units[1].name));
  };
  const std::string_view t = trim(text);
  std::size_t i = 0;
  std::int64_t mantissa = 0;
  int decimals = 0;
  bool dot = false;
  bool digit = false;
  for (; i < t.size() && (std::isdigit(static_cast<unsigned char>(t[i])) || (t[i] == '.' && !dot)); ++i) {
    if (t[i] == '.') {
      dot = true;
      continue;
    }
    digit = true;
    if (__builtin_mul_overflow(mantissa, std::int64_t{10}, &mantissa) ||
        __builtin_add_overflow(mantissa, std::int64_t{t[i] - '0'}, &mantissa) || decimals >= 18)
      bad("too many digits");
    if (dot) ++decimals;
  }
  if (!digit) bad(t.starts_with('-') ? "it may not be negative" : "it has no number");
  const auto name = trim(t.substr(i));
  if (name.empty() && mantissa == 0) return 0;
  if (name.empty()) bad("it has no unit");
  const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
  if (unit == units.end()) bad(fmt::format("unknown unit '{}'", name));
  auto value = static_cast<__int128>(mantissa) * unit->factor;
  for (; decimals > 0; --decimals) {
    if (value % 10 != 0) bad(fmt::format("it is not a whole number of {}", units.back().name));
    value /= 10;
  }
  if (value > std::numeric_limits<std::int64_t>::max()) bad("it is too large");
  return static_cast<std::int64_t>(value);
}

std::string format_quantity(std::int64_t value, std::span<const Unit> units) {
  if (value == 0) return fmt::format("0 {}", units.back().name);
  const Unit* best = &units.back();
  for (const auto& u : units)
    if (value % u.factor == 0 && u.factor > best->factor) best = &u;
  return fmt::format("{} {}", value / best->factor, best->name);
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
  const auto whole = bound >= 9.2e18 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(bound);
  if (std::holds_alternative<Time>(type)) return format_value(Time{whole});
  if (std::holds_alternative<Bytes>(type)) return format_value(Bytes{whole});
  if (std::holds_alternative<Rate>(type)) return format_value(Rate{whole});
  return fmt::format("{}", bound);
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
  if (max >= 9.2e18) return fmt::format("at least {}", bound_text(fallback, min));
  return fmt::format("{} to {}", bound_text(fallback, min), bound_text(fallback, max));
}

void check_value(const Param& param, const ParamValue& value) {
  if (!param.choices.empty()) {
    const auto& word = std::get<std::string>(value);
    if (std::find(param.choices.begin(), param.choices.end(), word) != param.choices.end()) return;
    const auto near = nearest(word, param.choices);
    throw InputError(fmt::format("{} cannot be '{}'; it is {}{}", param.name, word, param.valid(),
                                 near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  }
  if (std::holds_alternative<bool>(value) || std::holds_alternative<std::string>(value)) return;
  const double v = as_double(value);
  if (!(v >= param.min && v <= param.max))
    throw InputError(fmt::format("{} = {} is out of range; valid is {}", param.name, format_value(value), param.valid()));
}

ParamValue parse_value(const Param& param, std::string_view text) {
  ParamValue value;
  if (std::holds_alternative<Time>(param.fallback)) {
    value = parse_time(text);
  } else if (std::holds_alternative<Bytes>(param.fallback)) {
    value = parse_bytes(text);
  } else if (std::holds_alternative<Rate>(param.fallback)) {
    value = parse_rate(text);
  } else if (std::holds_alternative<std::string>(param.fallback)) {
    value = std::string(text);
  } else if (std::holds_alternative<bool>(param.fallback)) {
    if (text != "true" && text != "false") throw InputError(fmt::format("{} = '{}' is neither true nor false", param.name, text));
    value = text == "true";
  } else {
    const auto t = trim(text);
    double number = 0;
    const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), number);
    if (error != std::errc{} || end != t.data() + t.size() || !std::isfinite(number))
      throw InputError(fmt::format("{} = '{}' is not a number", param.name, text));
    if (std::holds_alternative<std::int64_t>(param.fallback)) {
      if (number != std::floor(number) || std::abs(number) > 9e15)
        throw InputError(fmt::format("{} = '{}' is not a whole number", param.name, text));
      value = static_cast<std::int64_t>(number);
    } else {
      value = number;
    }
  }
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

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const auto& c : candidates) {
    // Levenshtein distance, one row at a time.
    std::vector<std::size_t> row(c.size() + 1);
    for (std::size_t j = 0; j <= c.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= c.size(); ++j) {
        const auto above = row[j];
        const auto replace = diagonal + (std::tolower(static_cast<unsigned char>(word[i - 1])) !=
                                         std::tolower(static_cast<unsigned char>(c[j - 1])));
        row[j] = std::min({above + 1, row[j - 1] + 1, replace});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = c;
    }
  }
  return best;
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
