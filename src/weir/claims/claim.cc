#include "weir/claims/claim.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "weir/base/text_file.h"
#include "weir/claims/catalogue.h"
#include "weir/scenario/document.h"
#include "weir/scenario/reader.h"
#include "weir/scenario/toml_parser.h"

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
  if (out == nullptr) table.fail_at(key, "is not valid; valid is true or false");
  return *out;
}

constexpr std::string_view kNames = "hpcc, fairness, onramp, rl or spraying";

bool is_paper(std::string_view name) {
  return std::any_of(std::begin(kPapers), std::end(kPapers), [&](const Paper& p) { return p.name == name; });
}

Claim read_claim(const TableReader& table) {
  table.allow_only({"id", "paper", "place", "figure", "scenario", "expected", "rule", "first_rule", "cost", "weak",
                    "not_run", "reason"});
  Claim out;
  out.where = table.where();
  out.id = table.required_text("id", "the claim's, such as \"A36\"");
  out.paper = table.required_text("paper", kNames);
  if (!is_paper(out.paper)) table.fail_at("paper", fmt::format("'{}' is unknown; valid is {}", out.paper, kNames));
  out.place = table.required_text("place", "the section or figure");
  out.figure = table.text("figure");
  out.scenario = table.text("scenario");
  out.expected = table.required_text("expected", "what the paper says");
  out.rule = table.required_text("rule", "when it counts as reproduced");
  out.first_rule = table.text("first_rule");
  out.cost = table.required_text("cost", "T, S, M, H, R or -");
  out.weak = flag(table, "weak");
  out.not_run = table.text("not_run");
  out.reason = table.text("reason");
  return out;
}

FigureFile read_figure(const std::string& file, const std::vector<Claim>& claims) {
  const std::filesystem::path path(file);
  FigureFile out{.file = file,
                 .name = fmt::format("{}/{}", path.parent_path().filename().string(), path.stem().string()),
                 .study = study::read_paper_study(file)};
  const study::PaperFigure& figure = out.study.figure;
  if (!is_paper(figure.paper))
    scenario::fail_key(figure.where, "paper.paper", fmt::format("'{}' is unknown; valid is {}", figure.paper, kNames));
  const auto refuse = [&](const Where& where, const char* key, const std::string& id, bool by_code) {
    const Claim* claim = find(claims, id);
    if (claim == nullptr) scenario::fail_key(where, key, fmt::format("claims.toml has no claim '{}'", id));
    if (claim->paper != figure.paper)
      scenario::fail_key(where, key, fmt::format("{} is a claim of the paper '{}'", id, claim->paper));
    if (by_code != (evaluator_of(id) != nullptr))
      scenario::fail_key(where, key,
                         by_code ? fmt::format("{} is not judged by code; write a [[claim]]", id)
                                 : fmt::format("{} is judged by code; list it under paper.claims", id));
  };
  for (const std::string& id : figure.claims) refuse(figure.where, "paper.claims", id, true);
  for (const study::PaperClaim& claim : out.study.claims) refuse(claim.where, "claim.id", claim.id, false);
  return out;
}

}  // namespace

std::vector<Claim> read_claims(const std::string& file) {
  const scenario::Value root = read_toml(file);
  std::vector<Claim> out;
  std::set<std::string> ids;
  for (const TableReader& table : TableReader(root, "").tables("claim")) {
    out.push_back(read_claim(table));
    if (!ids.insert(out.back().id).second) table.fail_at("id", fmt::format("'{}' is there twice", out.back().id));
  }
  return out;
}

const Claim* find(const std::vector<Claim>& claims, std::string_view id) {
  const auto claim = std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.id == id; });
  return claim == claims.end() ? nullptr : &*claim;
}

bool FigureFile::judges(std::string_view id) const {
  return std::any_of(study.claims.begin(), study.claims.end(), [&](const auto& claim) { return claim.id == id; });
}

std::vector<FigureFile> read_figures(const std::string& papers, const std::vector<Claim>& claims) {
  std::vector<std::string> files;
  for (const Paper& paper : kPapers) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("{}/{}", papers, paper.name), none))
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<FigureFile> out;
  for (const std::string& file : files) out.push_back(read_figure(file, claims));
  return out;
}

}  // namespace weir::claims
