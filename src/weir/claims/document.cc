#include "weir/claims/document.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/base/text_file.h"
#include "weir/probe/whole_files.h"

namespace weir::claims {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    out.push_back(text.substr(begin, end - begin));
  if (begin < text.size()) out.push_back(text.substr(begin));
  return out;
}

using Line = std::vector<std::string>::iterator;

struct Range {
  Line begin;
  Line end;
};
Range table_in(std::vector<std::string>& lines, const std::string& file, const std::string& table) {
  auto line = std::find(lines.begin(), lines.end(), fmt::format("<!-- table: {} -->", table));
  if (line == lines.end()) throw InputError(fmt::format("{}: there is no table '{}'", file, table));
  ++line;
  return {line, std::find_if(line, lines.end(), [](const std::string& l) { return !l.starts_with('|'); })};
}

// "| a | b |" as {"a", "b"}; no cell has a bar in it.
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  row.remove_prefix(1);
  for (std::size_t bar; (bar = row.find('|')) != std::string_view::npos; row.remove_prefix(bar + 1)) {
    std::string_view cell = row.substr(0, bar);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    cells.emplace_back(cell);
  }
  return cells;
}

std::string row_of(const std::vector<std::string>& cells) { return fmt::format("| {} |", fmt::join(cells, " | ")); }

// Text as that of a cell, which has neither bars nor line ends.
std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos;) text.replace(at, 1, "&#124;");
  return text;
}

std::string joined(const std::vector<std::string>& lines) { return fmt::format("{}\n", fmt::join(lines, "\n")); }

// Names of scenarios become links.
std::string linked(const std::string& text) {
  static const std::regex name(R"(([a-z0-9-]+)\.toml)");
  const std::string out = std::regex_replace(text, name, "[$1](../../papers/scenarios/$1.toml)");
  static const std::regex baseline(R"(\.\./\.\./papers/scenarios/spraying-baseline)");
  return std::regex_replace(out, baseline, "../../scenarios/spraying-baseline");
}

// "holds (9 of 9)"
std::string with_firmness(std::string_view verdict, const std::string& firmness) {
  return fmt::format("{}{}", verdict == kFails ? "**fails**" : verdict,
                     firmness.empty() ? "" : fmt::format(" ({})", firmness));
}

std::string verdict_cell(const Verdict& v) {
  return fmt::format("{}{}{}", with_firmness(v.verdict, v.firmness), v.reason.empty() ? "" : ": ", v.reason);
}

std::string words_cell(const Claim& c, const Verdict& v) {
  if (c.literal.empty()) return "the same";
  return with_firmness(v.by_words, v.by_words_firmness);
}

// A rule that was restated after measuring stands beside what it was.
std::string rule_text(const Claim& c) {
  std::string out = c.rule + (c.weak ? " (weak)" : "") + (c.counts() ? "" : fmt::format(" ({})", c.kind));
  if (!c.literal.empty()) out += fmt::format(" (by the words: {})", c.literal);
  if (c.restated)
    out += fmt::format(" (restated after measuring, {}; before: {}: {})", c.restated->reason(), c.restated->rule,
                       c.restated->verdict);
  return out;
}

std::vector<std::string> table_of(const Paper& paper, const std::vector<Claim>& claims, const Verdicts& verdicts) {
  std::vector<std::string> out{
      "| claim | place | what | scenario | reproduced if | measured | within the band | by the words |",
      "|---|---|---|---|---|---|---|---|"};
  for (const Claim& c : claims) {
    if (c.paper != paper.name) continue;
    const Verdict& v = verdicts.of(c.id);
    out.push_back(row_of({c.id, cell(c.place), cell(c.expected), cell(linked(c.scenario)), cell(rule_text(c)),
                          cell(v.measured), cell(verdict_cell(v)), cell(words_cell(c, v))}));
  }
  return out;
}

std::vector<std::string> summary_of(const std::vector<Claim>& claims, const Verdicts& verdicts) {
  std::vector<std::string> out{fmt::format("| paper | {} |", fmt::join(kStandings, " | ")),
                               "|---|---|---|---|---|---|---|---|---|---|"};
  for (const Paper& paper : kPapers)
    out.push_back(fmt::format("| {} | {} |", paper.title, fmt::join(counts(claims, verdicts, paper), " | ")));
  return out;
}

// `to_papers` leads from the document to the folder of papers.
std::string experiment_cell(const Claim& claim, std::string_view to_papers) {
  const std::string command = fmt::format("`{}`", command_of(claim));
  return claim.cause->experiment.empty() ? command
                                         : fmt::format("[{}]({}/{}.toml)", command, to_papers, claim.cause->experiment);
}

std::vector<std::string> causes_of(const Paper& paper, const std::vector<Claim>& claims, const Verdicts& verdicts) {
  std::vector<std::string> out{
      "| claim | the paper prints | what came out | what shows why | with what it would hold |",
      "|---|---|---|---|---|"};
  for (const Claim& c : claims) {
    if (c.paper != paper.name || verdicts.of(c.id).verdict != kFails || !c.cause) continue;
    std::string shown = c.cause->undecidable ? "**not decidable from public material**" : "**cause unknown**";
    if (c.cause->is_shown()) shown = fmt::format("{} {}", c.cause->shown, experiment_cell(c, "../../../papers"));
    if (!c.cause->tried.empty())
      shown +=
          fmt::format("{}: {}", c.cause->is_shown() ? ". Tried besides" : ". Tried", fmt::join(c.cause->tried, " "));
    out.push_back(row_of({c.id, cell(c.cause->printed), cell(c.cause->found), cell(shown), cell(c.cause->holds_with)}));
  }
  return out;
}

// Claims that are judged in both worlds of their paper.
std::vector<std::string> worlds_of(const Paper& paper, const std::vector<Claim>& claims, const Verdicts& verdicts) {
  const Worlds& worlds = paper.worlds;
  std::vector<std::string> out{
      fmt::format("| claim | {} | {} | measured {} |", worlds.first, worlds.second, worlds.with), "|---|---|---|---|"};
  for (const Claim& c : claims) {
    const Verdict& v = verdicts.of(c.id);
    if (c.paper != paper.name || v.second.empty()) continue;
    out.push_back(row_of({c.id, cell(with_firmness(v.verdict, v.firmness)),
                          cell(with_firmness(v.second, v.second_firmness)), cell(v.second_measured)}));
  }
  return out;
}

std::vector<std::string> costs_of(const std::vector<FigureFile>& figures) {
  std::vector<std::string> out{"| study | what it varies or shows | runs | processor time |", "|---|---|---|---|"};
  for (const FigureFile& f : figures) {
    const std::size_t runs = study::make_plan(f.study.study).runs.size();
    out.push_back(row_of({f.name, cell(f.study.figure.title), fmt::format("{}", runs),
                          cost_text(f.study.figure.processor_time.seconds())}));
  }
  return out;
}

// Causes that speak against the paper's statement.
std::vector<std::string> findings_of(const std::vector<Claim>& claims, const Verdicts& verdicts) {
  std::vector<std::string> out{"| claim | the paper says | what was found | to repeat it |", "|---|---|---|---|"};
  for (const Paper& paper : kPapers)
    for (const Claim& c : claims) {
      if (c.paper != paper.name || !c.cause || !c.cause->against_paper || verdicts.of(c.id).verdict != kFails) continue;
      out.push_back(row_of({fmt::format("{}: {}, {}", c.id, paper.title.substr(0, paper.title.find(':')), c.place),
                            cell(c.cause->printed), cell(c.cause->shown), cell(experiment_cell(c, "../../papers"))}));
    }
  return out;
}

}  // namespace

std::string command_of(const Claim& claim) {
  return claim.cause->experiment.empty() ? fmt::format("weir paper check --only {}", claim.id)
                                         : fmt::format("weir paper run {}", claim.cause->experiment);
}

std::string cost_text(double seconds) {
  if (seconds == 0) return "seconds";
  return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

std::array<std::size_t, std::size(kStandings)> counts(const std::vector<Claim>& claims, const Verdicts& verdicts,
                                                      const Paper& paper) {
  constexpr std::size_t kByWords = 6, kNotFirm = 7, kDoesNotCount = 8;
  std::array<std::size_t, std::size(kStandings)> out{};
  for (const Claim& c : claims) {
    if (c.paper != paper.name) continue;
    const Verdict& v = verdicts.of(c.id);
    if (!c.counts()) {
      ++out[kDoesNotCount];
      continue;
    }
    ++out[0];
    ++out[1 + static_cast<std::size_t>(standing_of(c, v))];
    if (v.by_words == kHolds) ++out[kByWords];
    if (v.holds() && v.firmness == kNotMeasured) ++out[kNotFirm];
  }
  return out;
}

std::string with_table(const std::string& text, const std::string& file, const std::string& table,
                       const std::vector<std::string>& rows) {
  std::vector<std::string> lines = lines_of(text);
  const Range range = table_in(lines, file, table);
  lines.insert(lines.erase(range.begin, range.end), rows.begin(), rows.end());
  return joined(lines);
}

std::string with_row(const std::string& text, const Row& row) {
  std::vector<std::string> lines = lines_of(text);
  const Range range = table_in(lines, row.document, row.table);
  const auto line =
      std::find_if(range.begin, range.end, [&](const std::string& l) { return cells_of(l)[0] == row.key; });
  if (line == range.end)
    throw InputError(fmt::format("{}: table '{}' has no row '{}'", row.document, row.table, row.key));
  std::vector<std::string> cells = cells_of(*line);
  require(cells.size() > row.cells.size(), fmt::format("{}: the row '{}' is too short", row.document, row.key));
  std::copy(row.cells.begin(), row.cells.end(), cells.end() - static_cast<std::ptrdiff_t>(row.cells.size()));
  *line = row_of(cells);
  return joined(lines);
}

std::string with_causes(const std::string& text, const std::string& file, const std::vector<Claim>& claims,
                        const Verdicts& verdicts, const Paper& paper) {
  return with_table(text, file, "causes", causes_of(paper, claims, verdicts));
}

std::string with_worlds(const std::string& text, const std::string& file, const std::vector<Claim>& claims,
                        const Verdicts& verdicts, const Paper& paper) {
  return with_table(text, file, "worlds", worlds_of(paper, claims, verdicts));
}

std::string with_costs(const std::string& text, const std::string& file, const std::vector<FigureFile>& figures) {
  return with_table(text, file, "costs", costs_of(figures));
}

std::string with_overview(const std::string& text, const std::string& file, const std::vector<Claim>& claims,
                          const Verdicts& verdicts) {
  std::string out = with_table(text, file, "summary", summary_of(claims, verdicts));
  out = with_table(out, file, "findings", findings_of(claims, verdicts));
  for (const Paper& paper : kPapers)
    out = with_table(out, file, std::string(paper.name), table_of(paper, claims, verdicts));
  return out;
}

std::string read_text(const std::string& file) { return read_text_file(file, "a text"); }

void write_text(const std::string& file, const std::string& text) {
  if (!std::filesystem::exists(file) || read_text(file) != text) probe::write_whole(file, text);
}

}  // namespace weir::claims
