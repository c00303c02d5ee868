#include "weir/claims/claim.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/base/text_file.h"
#include "weir/claims/catalogue.h"
#include "weir/toml/document.h"
#include "weir/toml/parser.h"
#include "weir/toml/reader.h"

namespace weir::claims {
namespace {

using scenario::TableReader;

scenario::Value read_toml(const std::string& file) {
  return scenario::parse_toml(read_document(file, "a list of claims, a TOML file"), file);
}

bool flag(const TableReader& table, std::string_view key) {
  const scenario::Value* value = table.find(key);
  if (value == nullptr) return false;
  const bool* out = value->as<bool>();
  if (out == nullptr) throw table.error_at(key, "is not valid; valid is true or false");
  return *out;
}

constexpr std::string_view kNames = "hpcc, fairness, onramp, rldc or spraying";

const Paper* find_paper(std::string_view name) {
  const auto* paper =
      std::find_if(std::begin(kPapers), std::end(kPapers), [&](const Paper& p) { return p.name == name; });
  return paper == std::end(kPapers) ? nullptr : paper;
}

Restatement read_restatement(const TableReader& table) {
  table.allow_only({"rule", "verdict", "words", "why"});
  Restatement out{.rule = table.required_text("rule", "when it counted as reproduced before"),
                  .verdict = table.required_text("verdict", "the verdict by that rule"),
                  .words = table.text("words"),
                  .why = table.text("why")};
  if (out.words.empty() == out.why.empty())
    throw table.error_at("words", "write the paper's words that the rule is restated in, or why it is under 'why'");
  return out;
}

Claim read_claim(const TableReader& table) {
  table.allow_only({"id", "paper", "place", "figure", "scenario", "expected", "rule", "literal", "first_rule", "cost",
                    "weak", "kind", "not_run", "restated"});
  Claim out;
  out.where = table.where();
  out.id = table.required_text("id", "the claim's, such as \"A36\"");
  out.paper = table.required_text("paper", kNames);
  if (find_paper(out.paper) == nullptr)
    throw table.error_at("paper", fmt::format("'{}' is unknown; valid is {}", out.paper, kNames));
  out.place = table.required_text("place", "the section or figure");
  out.figure = table.text("figure");
  out.scenario = table.text("scenario");
  out.expected = table.required_text("expected", "what the paper says");
  out.rule = table.required_text("rule", "when it counts as reproduced");
  out.literal = table.text("literal");
  out.first_rule = table.text("first_rule");
  out.cost = table.required_text("cost", "T, S, M, H, R or -");
  out.weak = flag(table, "weak");
  out.kind = table.text("kind");
  if (!out.kind.empty() && std::find(std::begin(kKinds), std::end(kKinds), out.kind) == std::end(kKinds))
    throw table.error_at("kind", fmt::format("'{}' is unknown; valid is {}", out.kind, fmt::join(kKinds, ", ")));
  out.not_run = table.text("not_run");
  if (table.find("restated") != nullptr) out.restated = read_restatement(table.table("restated"));
  return out;
}

// Gives each claim its cause.
void read_causes(const std::string& file, std::vector<Claim>& claims) {
  if (!std::filesystem::exists(file)) return;
  const scenario::Value root = read_toml(file);
  for (const TableReader& table : TableReader(root, "").tables("cause")) {
    table.allow_only(
        {"claim", "printed", "found", "shown", "study", "holds_with", "against_paper", "tried", "undecidable"});
    const std::string id = table.required_text("claim", "the claim's id, such as \"A36\"");
    const auto claim = std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.id == id; });
    if (claim == claims.end()) throw table.error_at("claim", fmt::format("claims.toml has no claim '{}'", id));
    if (claim->cause) throw table.error_at("claim", fmt::format("'{}' is there twice", id));
    Cause cause{.where = table.where(),
                .printed = table.required_text("printed", "what the paper prints"),
                .found = table.required_text("found", "what came out here"),
                .shown = table.text("shown"),
                .experiment = table.text("study"),
                .holds_with = table.text("holds_with"),
                .against_paper = flag(table, "against_paper"),
                .tried = table.texts("tried"),
                .undecidable = flag(table, "undecidable")};
    if (cause.undecidable && cause.is_shown())
      throw table.error_at("undecidable", "the cause is shown; leave one of the two away");
    if (!cause.experiment.empty() && cause.shown.empty())
      throw table.error_at("study", "it shows something; write what under 'shown'");
    if (cause.against_paper && cause.shown.empty())
      throw table.error_at("against_paper", "a finding against the paper needs what shows it; write it under 'shown'");
    if (!cause.experiment.empty()) cause.experiment = fmt::format("{}/{}", kExperiments, cause.experiment);
    claim->cause = std::move(cause);
  }
}

FigureFile read_study(const std::string& file) {
  const std::filesystem::path path(file);
  FigureFile out{.file = file,
                 .name = fmt::format("{}/{}", path.parent_path().filename().string(), path.stem().string()),
                 .study = study::read_paper_study(file)};
  const study::PaperFigure& figure = out.study.figure;
  if (find_paper(figure.paper) == nullptr)
    throw scenario::key_error(figure.where, "paper.paper",
                              fmt::format("'{}' is unknown; valid is {}", figure.paper, kNames));
  return out;
}

const Claim& claim_of(const FigureFile& f, const Where& where, const char* key, const std::string& id,
                      const std::vector<Claim>& claims) {
  const Claim* claim = find(claims, id);
  if (claim == nullptr) throw scenario::key_error(where, key, fmt::format("claims.toml has no claim '{}'", id));
  if (claim->paper != f.study.figure.paper)
    throw scenario::key_error(where, key, fmt::format("{} is a claim of the paper '{}'", id, claim->paper));
  return *claim;
}

FigureFile read_figure(const std::string& file, const std::vector<Claim>& claims) {
  FigureFile out = read_study(file);
  const study::PaperFigure& figure = out.study.figure;
  const auto check_judge = [&](const Where& where, const char* key, const std::string& id, bool by_code) {
    claim_of(out, where, key, id, claims);
    if (by_code != (evaluator_of(id) != nullptr))
      throw scenario::key_error(where, key,
                                by_code ? fmt::format("{} is not judged by code; write a [[claim]]", id)
                                        : fmt::format("{} is judged by code; list it under paper.claims", id));
  };
  for (const std::string& id : figure.claims) check_judge(figure.where, "paper.claims", id, true);
  for (const study::PaperClaim& claim : out.study.claims) {
    check_judge(claim.where, "claim.id", claim.id, false);
    if (claim.literal.has_value() == find(claims, claim.id)->literal.empty())
      throw scenario::key_error(claim.where, "claim.literal",
                                fmt::format("claims.toml has {} of {}; write it in both, or in none",
                                            claim.literal ? "no literal rule" : "a literal rule", claim.id));
  }
  return out;
}

FigureFile read_experiment(const std::string& file, const std::vector<Claim>& claims) {
  FigureFile out = read_study(file);
  for (const study::PaperClaim& of : out.study.claims) {
    const Claim& claim = claim_of(out, of.where, "claim.id", of.id, claims);
    if (!claim.cause || claim.cause->experiment != out.name)
      throw scenario::key_error(of.where, "claim.id",
                                fmt::format("causes.toml does not name this study as what shows why {} fails", of.id));
  }
  return out;
}

// The files of one of the folders, in order.
std::vector<std::string> files_of(const std::string& papers, std::string_view folder) {
  std::vector<std::string> out;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("{}/{}", papers, folder), none))
    if (entry.path().extension() == ".toml") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::string_view Cause::unknown_text() const {
  return undecidable ? "What is public does not decide the claim." : "The cause is unknown.";
}

std::string Cause::text() const { return is_shown() ? shown : fmt::format("{} {}", found, unknown_text()); }

std::vector<Claim> read_claims(const std::string& papers) {
  const scenario::Value root = read_toml(papers + "/claims.toml");
  std::vector<Claim> out;
  std::set<std::string> ids;
  for (const TableReader& table : TableReader(root, "").tables("claim")) {
    out.push_back(read_claim(table));
    if (!ids.insert(out.back().id).second)
      throw table.error_at("id", fmt::format("'{}' is there twice", out.back().id));
  }
  read_causes(papers + "/causes.toml", out);
  return out;
}

const Paper& paper_of(const Claim& claim) { return *find_paper(claim.paper); }

const Claim* find(const std::vector<Claim>& claims, std::string_view id) {
  const auto claim = std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.id == id; });
  return claim == claims.end() ? nullptr : &*claim;
}

bool FigureFile::judges(std::string_view id) const {
  return std::any_of(study.claims.begin(), study.claims.end(), [&](const auto& claim) { return claim.id == id; });
}

std::vector<FigureFile> read_figures(const std::string& papers, const std::vector<Claim>& claims) {
  std::vector<FigureFile> out;
  for (const Paper& paper : kPapers)
    for (const std::string& file : files_of(papers, paper.name)) out.push_back(read_figure(file, claims));
  std::sort(out.begin(), out.end(), [](const FigureFile& a, const FigureFile& b) { return a.file < b.file; });
  return out;
}

std::vector<FigureFile> read_experiments(const std::string& papers, const std::vector<Claim>& claims) {
  std::vector<FigureFile> out;
  for (const std::string& file : files_of(papers, kExperiments)) out.push_back(read_experiment(file, claims));
  for (const Claim& claim : claims) {
    if (!claim.cause || claim.cause->experiment.empty()) continue;
    const auto shows = [&](const FigureFile& f) { return f.name == claim.cause->experiment && f.judges(claim.id); };
    if (std::none_of(out.begin(), out.end(), shows))
      throw scenario::key_error(
          claim.cause->where, "cause.study",
          fmt::format("{}/{}.toml has no [[claim]] {}", papers, claim.cause->experiment, claim.id));
  }
  return out;
}

}  // namespace weir::claims
