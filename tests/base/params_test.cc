#include "weir/base/params.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace weir {
namespace {

using namespace weir::literals;

enum class Mode { slow, fast, off };

struct Sample {
  double eta = 0.95;
  int stages = 5;
  std::uint8_t small = 7;
  std::int64_t whole = -3;
  bool enabled = true;
  Time T = 12_us;
  Bytes W_AI = 80_B;
  Rate rate;
  Mode mode = Mode::fast;
  std::string label = "x";

  static void describe(ParamList<Sample>& p) {
    p.number("eta", &Sample::eta, 0.5, 1, "target utilisation", "HPCC 3.3");
    p.integer("stages", &Sample::stages, 1, 1000, "stages");
    p.integer("small", &Sample::small, -1, 1e6, "a byte");
    p.integer("whole", &Sample::whole, -1e30, 1e30, "any");
    p.flag("enabled", &Sample::enabled, "switch");
    p.time("T", &Sample::T, "base RTT", "HPCC 5.1", 1_us, 1_ms);
    p.bytes("W_AI", &Sample::W_AI, "step");
    p.rate("rate", &Sample::rate, "0 = line rate", "", {}, 400_Gbps);
    p.choice("mode", &Sample::mode, {"slow", "fast", "off"}, "mode");
    p.text("label", &Sample::label, "free text");
  }
};

const Param& param(std::string_view name) {
  const Param* p = params_of<Sample>().find(name);
  if (p == nullptr) throw std::logic_error("no such parameter");
  return *p;
}

// The message with which `parse` refuses its input, or "" if it does not.
template <class Parse, class... Input>
std::string refusal(Parse parse, const Input&... input) {
  try {
    parse(input...);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

struct Quantity {
  std::string text;
  std::int64_t value;
};

TEST(Quantity, Times) {
  for (const auto& [text, ps] : std::vector<Quantity>{{"1.5 us", 1'500'000},
                                                      {"0.1 us", 100'000},
                                                      {"12us", 12'000'000},
                                                      {"  3   ns ", 3'000},
                                                      {"1 ps", 1},
                                                      {"1.000 ps", 1},
                                                      {"0.001 ns", 1},
                                                      {"0.000000000001 s", 1},
                                                      {".5 ns", 500},
                                                      {"5. ns", 5'000},
                                                      {"0", 0},
                                                      {"0.0", 0},
                                                      {"0 s", 0},
                                                      {"007 ps", 7},
                                                      {"9223372 s", 9'223'372'000'000'000'000},
                                                      {"9223372036854775807 ps", INT64_MAX}})
    EXPECT_EQ(parse_time(text).ps, ps) << text;
}

TEST(Quantity, Sizes) {
  for (const auto& [text, bytes] : std::vector<Quantity>{{"32 MiB", 33'554'432},
                                                         {"32 MB", 32'000'000},
                                                         {"1 GiB", 1'073'741'824},
                                                         {"2 GB", 2'000'000'000},
                                                         {"1.5 KiB", 1'536},
                                                         {"64 KB", 64'000},
                                                         {"1 B", 1}})
    EXPECT_EQ(parse_bytes(text).count, bytes) << text;
}

TEST(Quantity, Rates) {
  for (const auto& [text, bps] : std::vector<Quantity>{{"100 Gbps", 100'000'000'000},
                                                       {"1.6 Tbps", 1'600'000'000'000},
                                                       {"2.5Mbps", 2'500'000},
                                                       {"9.6 Kbps", 9'600},
                                                       {"9.6 kb/s", 9'600},
                                                       {"400 Gb/s", 400'000'000'000},
                                                       {"400Gbit/s", 400'000'000'000},
                                                       {"400G", 400'000'000'000},
                                                       {"1.6T", 1'600'000'000'000},
                                                       {"10 M", 10'000'000},
                                                       {"1 bps", 1}})
    EXPECT_EQ(parse_rate(text).bits_per_second, bps) << text;
}

TEST(Quantity, RefusalsSayWhy) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "it has no number"},
      {"us", "it has no number"},
      {".", "it has no number"},
      {"+1 us", "it has no number"},
      {"5", "it has no unit"},
      {"-1 us", "it may not be negative"},
      {"1 minute", "unknown unit 'minute'"},
      {"1 US", "unknown unit 'US'"},
      {"1.2.3 us", "unknown unit '.3 us'"},
      {"1e3 us", "unknown unit 'e3 us'"},
      {"0.5 ps", "it is not a whole number of ps"},
      {"0.0001 ns", "it is not a whole number of ps"},
      {"9223373 s", "it is too large"},
      {"99999999999999999999 ps", "too many digits"},
      {"0.0000000000000000001 s", "too many digits"},
  };
  for (const auto& [text, why] : cases)
    EXPECT_EQ(refusal(parse_time, text), "'" + text + "' is not a time: " + why +
                                             "; write a number and one of s, ms, us, ns, ps, like \"1.5 ms\"");
  EXPECT_EQ(
      refusal(parse_bytes, "3 kB"),
      "'3 kB' is not a size: unknown unit 'kB'; write a number and one of GiB, MiB, KiB, PB, TB, GB, MB, KB, B, like "
      "\"1.5 MiB\"");
  EXPECT_EQ(refusal(parse_rate, "100 GB/s"),
            "'100 GB/s' is not a rate: unknown unit 'GB/s'; write a number and one of Tbps, Gbps, Mbps, Kbps, bps, "
            "like \"1.5 Gbps\"");
}

TEST(FormatValue, IsShort) {
  const std::vector<std::pair<ParamValue, std::string>> cases{
      {true, "true"},
      {std::int64_t{-3}, "-3"},
      {0.95, "0.95"},
      {1.0, "1"},
      {1e-20, "1e-20"},
      {0.1 + 0.2, "0.30000000000000004"},
      {std::string("words"), "words"},
      {0_ps, "0 ps"},
      {1_s, "1 s"},
      {12_us, "12 us"},
      {12'500_ns, "12.5 us"},
      {1500_ns, "1.5 us"},
      {320_ps, "320 ps"},
      {1'000'001_ps, "1000001 ps"},
      {999_ns, "999 ns"},
      {Time::max(), "9223372.036854775807 s"},
      {Time{-1500}, "-1500 ps"},
      {0_B, "0 B"},
      {80_B, "80 B"},
      {1048_B, "1048 B"},
      {64_KB, "64 KB"},
      {64_KiB, "64 KiB"},
      {32_MiB, "32 MiB"},
      {1_GiB, "1 GiB"},
      {1'024'000_B, "1024 KB"},
      {150_KB, "150 KB"},
      {0_bps, "0 bps"},
      {100_Gbps, "100 Gbps"},
      {1600_Gbps, "1.6 Tbps"},
      {2500_Mbps, "2.5 Gbps"},
      {Rate{123'456'789'012}, "123456789012 bps"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(format_value(value), text);
}

TEST(FormatValue, ReadsBackExactly) {
  // Values around all powers of 2 and 10, and those with few digits in between.
  std::vector<std::int64_t> values;
  for (std::int64_t v = 1; v < INT64_MAX / 2; v *= 2) values.insert(values.end(), {v - 1, v, v + 1, v + v / 2});
  for (std::int64_t v = 1; v < INT64_MAX / 10; v *= 10) values.insert(values.end(), {v - 1, v, v + 1, v / 8, 7 * v});
  values.push_back(INT64_MAX);
  for (const auto v : values) {
    EXPECT_EQ(parse_time(format_value(Time{v})).ps, v);
    EXPECT_EQ(parse_bytes(format_value(Bytes{v})).count, v);
    EXPECT_EQ(parse_rate(format_value(Rate{v})).bits_per_second, v);
    EXPECT_EQ(std::get<std::int64_t>(parse_value(param("whole"), format_value(v))), v);
  }
  for (const double v : {0.5, 0.1 + 0.5, 1.0 / 3 + 0.5, 0.99999999999999989})
    EXPECT_EQ(std::get<double>(parse_value(param("eta"), format_value(v))), v);
}

TEST(ParseValue, TakesTheTypeOfTheParameter) {
  EXPECT_EQ(parse_value(param("eta"), " 0.9 "), ParamValue(0.9));
  EXPECT_EQ(parse_value(param("eta"), "1"), ParamValue(1.0));
  EXPECT_EQ(parse_value(param("eta"), "9e-1"), ParamValue(0.9));
  EXPECT_EQ(parse_value(param("stages"), "12"), ParamValue(std::int64_t{12}));
  EXPECT_EQ(parse_value(param("stages"), "1e3"), ParamValue(std::int64_t{1000}));
  EXPECT_EQ(parse_value(param("whole"), "-9223372036854775807"), ParamValue(-INT64_MAX));
  EXPECT_EQ(parse_value(param("enabled"), "false"), ParamValue(false));
  EXPECT_EQ(parse_value(param("T"), "1 ms"), ParamValue(1_ms));
  EXPECT_EQ(parse_value(param("W_AI"), "1 KiB"), ParamValue(1_KiB));
  EXPECT_EQ(parse_value(param("rate"), "0"), ParamValue(0_bps));
  EXPECT_EQ(parse_value(param("mode"), "off"), ParamValue(std::string("off")));
  EXPECT_EQ(parse_value(param("label"), " as it is "), ParamValue(std::string(" as it is ")));
}

TEST(ParseValue, RefusalsNameTheParameterAndWhatIsValid) {
  const std::vector<std::array<std::string, 3>> cases{
      {"eta", "high", "eta: 'high' is not a number"},
      {"eta", "0.9x", "eta: '0.9x' is not a number"},
      {"eta", "nan", "eta: 'nan' is not a number"},
      {"eta", "inf", "eta: 'inf' is not a number"},
      {"eta", "1.01", "eta: 1.01 is out of range; valid is 0.5 to 1"},
      {"stages", "2.5", "stages: '2.5' is not a whole number"},
      {"stages", "", "stages: '' is not a whole number"},
      {"stages", "0", "stages: 0 is out of range; valid is 1 to 1000"},
      {"small", "256", "small: 256 is out of range; valid is 0 to 255"},
      {"small", "-1", "small: -1 is out of range; valid is 0 to 255"},
      {"whole", "9223372036854775808",
       "whole: 9223372036854775808 is out of range; valid is -9223372036854775807 to 9223372036854775807"},
      {"enabled", "yes", "enabled: 'yes' is neither true nor false"},
      {"T", "12",
       "T: '12' is not a time: it has no unit; write a number and one of s, ms, us, ns, ps, like \"1.5 ms\""},
      {"T", "2 ms", "T: 2 ms is out of range; valid is 1 us to 1 ms"},
      {"rate", "800 Gbps", "rate: 800 Gbps is out of range; valid is 0 bps to 400 Gbps"},
      {"mode", "fats", "mode: cannot be 'fats'; it is one of slow, fast, off (did you mean 'fast'?)"},
      {"mode", "zzz", "mode: cannot be 'zzz'; it is one of slow, fast, off"},
  };
  for (const auto& [name, text, message] : cases) EXPECT_EQ(refusal(parse_value, param(name), text), message);
}

TEST(Param, TypesAndValidRanges) {
  const std::vector<std::array<std::string, 3>> cases{
      {"eta", "number", "0.5 to 1"},
      {"stages", "integer", "1 to 1000"},
      {"small", "integer", "0 to 255"},
      {"whole", "integer", "at least -9223372036854775807"},
      {"enabled", "boolean", "true or false"},
      {"T", "time", "1 us to 1 ms"},
      {"W_AI", "bytes", "0 B to 1 PB"},
      {"rate", "rate", "0 bps to 400 Gbps"},
      {"mode", "choice", "one of slow, fast, off"},
      {"label", "text", "any text"},
  };
  for (const auto& [name, type, valid] : cases) {
    EXPECT_EQ(param(name).type_name(), type) << name;
    EXPECT_EQ(param(name).valid(), valid) << name;
  }
  EXPECT_EQ(params_of<Sample>().names().size(), cases.size());
  EXPECT_EQ(params_of<Sample>().find("nothing"), nullptr);
}

TEST(Param, SetAndGetReachTheField) {
  const ParamSet& set = params_of<Sample>();
  const auto object = set.make();
  auto& sample = *static_cast<Sample*>(object.get());
  for (const auto& p : set.params()) EXPECT_EQ(p.get(&sample), p.fallback) << p.name;

  const std::vector<std::pair<std::string, std::string>> values{
      {"eta", "0.5"}, {"stages", "9"},   {"small", "255"},    {"whole", "-5"}, {"enabled", "false"},
      {"T", "2 us"},  {"W_AI", "1 KiB"}, {"rate", "25 Gbps"}, {"mode", "off"}, {"label", "y"}};
  for (const auto& [name, text] : values) {
    param(name).set(&sample, parse_value(param(name), text));
    EXPECT_EQ(format_value(param(name).get(&sample)), text);
  }
  EXPECT_EQ(sample.eta, 0.5);
  EXPECT_EQ(sample.stages, 9);
  EXPECT_EQ(sample.small, 255);
  EXPECT_EQ(sample.whole, -5);
  EXPECT_FALSE(sample.enabled);
  EXPECT_EQ(sample.T, 2_us);
  EXPECT_EQ(sample.W_AI, 1_KiB);
  EXPECT_EQ(sample.rate, 25_Gbps);
  EXPECT_EQ(sample.mode, Mode::off);
  EXPECT_EQ(sample.label, "y");
}

struct BadDefault {
  double x = 2;
  static void describe(ParamList<BadDefault>& p) { p.number("x", &BadDefault::x, 0, 1, ""); }
};
struct Twice {
  double x = 0;
  static void describe(ParamList<Twice>& p) {
    p.number("x", &Twice::x, 0, 1, "");
    p.number("x", &Twice::x, 0, 1, "");
  }
};

struct Part {
  double gain = 0.5;
  Time period = 1_us;
  Mode mode = Mode::slow;
  static void describe(ParamList<Part>& p) {
    p.number("gain", &Part::gain, 0, 1, "gain", "section 1");
    p.time("period", &Part::period, "period");
    p.choice("mode", &Part::mode, {"slow", "fast", "off"}, "mode");
  }
};
struct Whole {
  double gain = 0.25;
  Part first;
  Part second{.gain = 0.75, .mode = Mode::off};
  static void describe(ParamList<Whole>& p) {
    p.number("gain", &Whole::gain, 0, 1, "gain");
    p.part("a_", &Whole::first);
    p.part("b_", &Whole::second);
  }
};

TEST(ParamList, PartsAreDescribedWithAPrefix) {
  const ParamSet& set = params_of<Whole>();
  EXPECT_EQ(set.names(),
            (std::vector<std::string>{"gain", "a_gain", "a_period", "a_mode", "b_gain", "b_period", "b_mode"}));
  const Param& gain = *set.find("b_gain");
  EXPECT_EQ(gain.type_name(), "number");
  EXPECT_EQ(gain.valid(), "0 to 1");
  EXPECT_EQ(gain.source, "section 1");
  // Defaults are those of the whole, where it has its own.
  EXPECT_EQ(gain.fallback, ParamValue{0.75});
  EXPECT_EQ(set.find("a_gain")->fallback, ParamValue{0.5});
  EXPECT_EQ(set.find("b_mode")->fallback, ParamValue{"off"});

  Whole whole;
  for (const auto& [name, text] : {std::pair{"b_gain", "1"}, {"a_period", "7 us"}, {"b_mode", "fast"}})
    set.find(name)->set(&whole, parse_value(*set.find(name), text));
  EXPECT_EQ(whole.gain, 0.25);
  EXPECT_EQ(whole.first.gain, 0.5);
  EXPECT_EQ(whole.first.period, 7_us);
  EXPECT_EQ(whole.first.mode, Mode::slow);
  EXPECT_EQ(whole.second.gain, 1);
  EXPECT_EQ(whole.second.period, 1_us);
  EXPECT_EQ(whole.second.mode, Mode::fast);
  EXPECT_EQ(set.find("a_period")->get(&whole), ParamValue{7_us});
}

struct Collides {
  Part first;
  double a_gain = 0;
  static void describe(ParamList<Collides>& p) {
    p.part("a_", &Collides::first);
    p.number("a_gain", &Collides::a_gain, 0, 1, "");
  }
};

// A field may be of a type that is made from the number.
struct Doubled {
  Doubled(double x = 0) : half(x), twice(2 * x) {}
  explicit operator double() const { return half; }
  double half;
  double twice;
};
struct Derived {
  Doubled value = 1;
  static void describe(ParamList<Derived>& p) { p.number("value", &Derived::value, 0, 10, "value"); }
};

TEST(ParamList, ANumberMayMakeItsField) {
  const Param& p = *params_of<Derived>().find("value");
  EXPECT_EQ(p.fallback, ParamValue{1.0});
  Derived derived;
  p.set(&derived, parse_value(p, "3"));
  EXPECT_EQ(derived.value.twice, 6);
  EXPECT_EQ(p.get(&derived), ParamValue{3.0});
}

TEST(ParamList, RefusesWrongDescriptions) {
  EXPECT_THROW(params_of<Collides>(), std::logic_error);

  EXPECT_THROW(params_of<BadDefault>(), std::logic_error);
  EXPECT_THROW(params_of<Twice>(), std::logic_error);
}

TEST(Nearest, FindsTypingMistakes) {
  const std::vector<std::string> keys{"eta", "T", "W_AI", "max_stage", "algorithm"};
  const std::vector<std::pair<std::string, std::string>> cases{
      {"eat", "eta"},
      {"ETA", "eta"},
      {"t", "T"},
      {"wai", "W_AI"},
      {"w_ai", "W_AI"},
      {"maxStage", "max_stage"},
      {"algoritm", "algorithm"},
      {"", ""},
      {"q", ""},
      {"xy", ""},
      {"completely_else", ""},
  };
  for (const auto& [word, expected] : cases) EXPECT_EQ(nearest(word, keys), expected) << word;
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace weir
