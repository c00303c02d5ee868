// The reference as text, Markdown and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include <nlohmann/json.hpp>

#include "weir/scenario/reference.h"

namespace weir::scenario {
namespace {

using Json = nlohmann::ordered_json;

// Lines of at most `width` characters, those after the first indented.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const auto space = text.find(' ');
    const auto word = text.substr(0, space);
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return out;
}

std::string with_source(std::string_view meaning, std::string_view source) {
  if (source.empty()) return std::string(meaning);
  return meaning.empty() ? std::string(source) : fmt::format("{} ({})", meaning, source);
}

// For a table cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '>' || c == '*' || c == '_') out += '\\';
    out += c;
  }
  return out;
}

// With a capital where the first word is one of plain letters, unlike "ns-3" or "[network]".
std::string sentence(std::string text) {
  const auto end = text.find_first_of(" ,;");
  const auto is_letter = [](unsigned char c) { return std::islower(c) != 0; };
  if (std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(end, text.size())), is_letter) &&
      !text.empty())
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string values_text(const ReferencePreset& p) {
  std::string out;
  for (const auto& [key, value] : p.values) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", key, value);
  if (out.empty()) out = "the defaults";
  return p.marking.empty() ? out : fmt::format("{}; ECN thresholds: {}", out, p.marking);
}

Json value_json(const ParamValue& v) {
  if (const auto* flag = std::get_if<bool>(&v)) return *flag;
  if (const auto* whole = std::get_if<std::int64_t>(&v)) return *whole;
  if (const auto* number = std::get_if<double>(&v)) return *number;
  return format_value(v);
}

Json param_json(const Param& p) {
  Json out{{"name", p.name}, {"type", p.type_name()}};
  out["default"] = p.required ? Json() : value_json(p.fallback);
  out["required"] = p.required;
  out["valid"] = p.valid();
  if (!p.choices.empty()) out["choices"] = p.choices;
  out["meaning"] = p.meaning;
  out["source"] = p.source;
  return out;
}

}  // namespace

std::string to_text(const ReferenceItem& item) {
  constexpr std::size_t kWidth = 100;
  const auto about = with_source(item.meaning, item.source);
  std::string out =
      fmt::format("{}\n", wrapped(about.empty() ? item.name : fmt::format("{}  {}", item.name, about), 2, kWidth));
  for (const auto& [name, value] : item.facts) out += fmt::format("  {:<8} {}\n", name, value);
  for (const auto& table : item.tables) {
    out += fmt::format("\n  {}\n", table.header);
    std::size_t name_width = 4, default_width = 7;
    for (const Param& p : table.params->params()) {
      name_width = std::max(name_width, p.name.size());
      default_width = std::max(default_width, default_text(p).size());
    }
    for (const Param& p : table.params->params()) {
      const auto indent = 4 + name_width + 2 + default_width + 2;
      const auto text = fmt::format("{}; {}, {}", with_source(p.meaning, p.source), p.type_name(), p.valid());
      out += fmt::format("    {:<{}}  {:<{}}  {}\n", p.name, name_width, default_text(p), default_width,
                         wrapped(text, indent, std::max(kWidth, indent + 50)));
    }
  }
  if (!item.marking.empty()) out += fmt::format("\n  ECN thresholds\n    {}\n", wrapped(item.marking, 4, kWidth));
  for (const auto& preset : item.presets)
    out += fmt::format("\n  preset {}  {}\n    {}\n", preset.name,
                       wrapped(with_source(preset.meaning, preset.source), 4, kWidth),
                       wrapped(values_text(preset), 4, kWidth));
  return out;
}

std::string to_markdown(const std::vector<ReferenceSection>& sections) {
  std::string out =
      "# Reference\n\n"
      "Everything that a scenario can name, with its parameters. Written by `weir list --markdown`.\n";
  for (const auto& section : sections) {
    out += fmt::format("\n## {}\n\n{}.\n", section.name, sentence(cell(section.meaning)));
    if (section.name == "workloads") {
      out += "\n| name |";
      for (const auto& [name, value] : section.items.front().facts) out += fmt::format(" {} |", name);
      out += fmt::format("\n|---|{}\n", [&] {
        std::string rule;
        for (std::size_t i = 0; i < section.items.front().facts.size(); ++i) rule += "---|";
        return rule;
      }());
      for (const auto& item : section.items) {
        out += fmt::format("| {} |", cell(item.name));
        for (const auto& [name, value] : item.facts) out += fmt::format(" {} |", value);
        out += '\n';
      }
      continue;
    }
    for (const auto& item : section.items) {
      out += fmt::format("\n### {}\n\n{}.\n", item.name, sentence(cell(with_source(item.meaning, item.source))));
      for (const auto& table : item.tables) {
        out += fmt::format("\n`{}`\n\n| key | type | default | valid | meaning | source |\n|---|---|---|---|---|---|\n",
                           table.header);
        for (const Param& p : table.params->params())
          out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", p.name, p.type_name(), cell(default_text(p)),
                             cell(p.valid()), cell(p.meaning), cell(p.source));
      }
      if (!item.marking.empty()) out += fmt::format("\nECN thresholds: {}.\n", cell(item.marking));
      for (const auto& preset : item.presets)
        out += fmt::format("\nPreset `{}`, {}: {}.\n", preset.name, cell(with_source(preset.meaning, preset.source)),
                           cell(values_text(preset)));
    }
  }
  return out;
}

std::string to_json(const std::vector<ReferenceSection>& sections) {
  Json out = Json::object();
  for (const auto& section : sections) {
    Json items = Json::array();
    for (const auto& item : section.items) {
      Json entry{{"name", item.name}, {"meaning", item.meaning}, {"source", item.source}};
      for (const auto& [name, value] : item.facts) entry["sizes"][name] = value;
      for (const auto& table : item.tables) {
        Json params = Json::array();
        for (const Param& p : table.params->params()) params.push_back(param_json(p));
        entry["tables"].push_back({{"header", table.header}, {"parameters", std::move(params)}});
      }
      if (!item.marking.empty()) entry["marking"] = item.marking;
      for (const auto& preset : item.presets) {
        Json values = Json::object();
        for (const auto& [key, value] : preset.values) values[key] = value;
        entry["presets"].push_back(
            {{"name", preset.name}, {"meaning", preset.meaning}, {"source", preset.source}, {"values", values}});
        if (!preset.marking.empty()) entry["presets"].back()["marking"] = preset.marking;
      }
      items.push_back(std::move(entry));
    }
    out[section.name] = std::move(items);
  }
  return out.dump(2) + "\n";
}

}  // namespace weir::scenario
