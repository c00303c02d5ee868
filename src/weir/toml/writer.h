// Writes scenarios as TOML text: for the effective scenario and for what other simulators' files are imported to.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/params.h"

namespace weir::scenario {

// A text as TOML writes it, in quotes.
std::string toml_text(std::string_view text);
// A parameter's value as TOML writes it: a boolean, a number, or a text in quotes.
std::string toml_value(const ParamValue& value);

class TomlWriter {
 public:
  // The text begins with this comment of one line.
  explicit TomlWriter(std::string_view first_comment) { comment(first_comment); }

  void comment(std::string_view text) { toml_ += fmt::format("# {}\n", text); }
  // `header` in its brackets, "[run]" or "[[traffic]]".
  void section(std::string_view header) { toml_ += fmt::format("\n{}\n", header); }
  // `value` is TOML already; `comment` stands behind it.
  void line(std::string_view key, std::string_view value, std::string_view comment = "");
  void text(std::string_view key, std::string_view value, std::string_view comment = "") {
    line(key, toml_text(value), comment);
  }
  void value(std::string_view key, double value) { line(key, toml_value(value)); }
  void value(std::string_view key, bool value) { line(key, toml_value(value)); }
  template <std::integral T>
  void value(std::string_view key, T value) {
    line(key, fmt::format("{}", value));
  }
  // Several lines that are TOML already.
  void lines(std::string_view text) { toml_ += text; }

  std::string take() { return std::move(toml_); }

 private:
  std::string toml_;
};

}  // namespace weir::scenario
