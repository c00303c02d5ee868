// weir list: what a scenario can name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/base/suggestion.h"
#include "weir/commands.h"
#include "weir/learn/curriculum_reference.h"
#include "weir/output.h"
#include "weir/run_text.h"
#include "weir/scenario/reference.h"

namespace weir::app {
namespace {

struct ListOptions {
  std::string section;
  std::string name;
  bool json = false;
  bool markdown = false;
};

InputError unknown_error(const std::string& what, const std::string& word, const std::vector<std::string>& names) {
  return InputError(fmt::format("list: unknown {} '{}'{}; valid is {}", what, word, did_you_mean(word, names),
                                fmt::join(names, ", ")));
}

// Whether a text has this word, in whatever case.
bool has_word(std::string_view text, std::string_view word) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  while (!text.empty()) {
    const auto begin = std::find_if(text.begin(), text.end(), is_letter);
    const auto end = std::find_if_not(begin, text.end(), is_letter);
    if (std::equal(begin, end, word.begin(), word.end(), same)) return begin != end;
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  }
  return false;
}

// Keeps the section and the item that were asked for, or those that a word which names no item is about.
std::vector<scenario::ReferenceSection> chosen(const ListOptions& o) {
  auto sections = scenario::reference();
  sections.push_back(learn::curriculum_reference());
  if (o.section.empty()) return sections;
  std::vector<std::string> names;
  for (const auto& s : sections) names.push_back(s.name);
  const auto section = std::find(names.begin(), names.end(), o.section);
  if (section == names.end()) throw unknown_error("section", o.section, names);
  scenario::ReferenceSection only = std::move(sections[static_cast<std::size_t>(section - names.begin())]);
  if (!o.name.empty()) {
    names.clear();
    for (const auto& item : only.items) {
      names.push_back(item.name);
      for (const auto& preset : item.presets)
        if (o.section == "topologies") names.push_back(preset.name);
    }
    const auto is_about = [&](const scenario::ReferenceItem& item) {
      return has_word(item.meaning, o.name) ||
             std::any_of(item.tables.begin(), item.tables.end(),
                         [&](const scenario::ReferenceTable& table) { return has_word(table.header, o.name); });
    };
    if (std::find(names.begin(), names.end(), o.name) == names.end()) {
      std::erase_if(only.items, [&](const scenario::ReferenceItem& item) { return !is_about(item); });
      if (only.items.empty()) throw unknown_error("name", o.name, names);
      return {only};
    }
    std::erase_if(only.items, [&](const scenario::ReferenceItem& item) {
      return item.name != o.name &&
             std::none_of(item.presets.begin(), item.presets.end(), [&](const scenario::ReferencePreset& p) {
               return o.section == "topologies" && p.name == o.name;
             });
    });
  }
  return {only};
}

int list(const ListOptions& o) {
  const auto sections = chosen(o);
  if (o.json) {
    show_text(scenario::to_json(sections));
    return 0;
  }
  if (o.markdown) {
    show_text(scenario::to_markdown(sections));
    return 0;
  }
  const bool in_full =
      !o.name.empty() || (!o.section.empty() && sections.front().items.size() == 1) || o.section == "network";
  for (const auto& section : sections) {
    if (!in_full) show("{}{}: {}\n", &section == &sections.front() ? "" : "\n", section.name, section.meaning);
    for (const auto& item : section.items) {
      if (in_full) {
        show("{}{}", &item == &section.items.front() ? "" : "\n", scenario::to_text(item));
        continue;
      }
      show("  {:<20} {}", item.name, item.meaning);
      if (!item.facts.empty())
        show("{}mean {}, median {}", item.meaning.empty() ? "" : "; ", item.facts.front().second,
             item.facts.at(4).second);
      show("\n");
      for (const auto& preset : item.presets)
        show("    {:<18} {}\n", preset.name, preset.meaning.empty() ? preset.source : preset.meaning);
    }
  }
  if (!in_full) show("\nweir list {} NAME tells the parameters.\n", o.section.empty() ? "SECTION" : o.section);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, int& status) {
  auto o = std::make_shared<ListOptions>();
  CLI::App* command = app.add_subcommand("list", "List algorithms, topologies, workloads... and their parameters");
  command->add_option(
      "SECTION", o->section,
      "algorithms, topologies, workloads, traffic, probes, transport, host, network, run, fidelities, curricula");
  command->add_option("NAME", o->name, "one of them, in full, or a word: those that are about it, such as network pfc");
  add_plugin_option(*command);
  command->add_flag("--json", o->json, "print everything as JSON");
  command->add_flag("--markdown", o->markdown, "print everything as Markdown");
  add_list_topology(*command, status);
  command->callback([o, command, &status] {
    if (command->get_subcommands().empty()) status = list(*o);
  });
}

}  // namespace weir::app
