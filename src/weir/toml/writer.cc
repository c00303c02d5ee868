#include "weir/toml/writer.h"

namespace weir::scenario {

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < ' ' || c == 127) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string toml_value(const ParamValue& value) {
  if (std::holds_alternative<bool>(value) || std::holds_alternative<std::int64_t>(value)) return format_value(value);
  if (const auto* number = std::get_if<double>(&value)) {
    const auto text = format_value(*number);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  return toml_text(format_value(value));
}

void TomlWriter::line(std::string_view key, std::string_view value, std::string_view comment) {
  toml_ += fmt::format("{} = {}", key, value);
  if (!comment.empty()) toml_ += fmt::format("  # {}", comment);
  toml_ += '\n';
}

}  // namespace weir::scenario
