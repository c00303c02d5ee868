#include "weir/claims/claim.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "weir/scenario/document.h"
#include "weir/scenario/reader.h"
#include "weir/scenario/toml_parser.h"

namespace weir::claims {
namespace {

using scenario::TableReader;

scenario::Value read_toml(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw InputError(fmt::format("{}: cannot be read", file));
  return scenario::parse_toml(std::string(std::istreambuf_iterator<char>(in), {}), file);
}

bool flag(const TableReader& table, std::string_view key) {
  const scenario::Value* value = table.find(key);
  if (value == nullptr) return false;
  const bool* out = value->as<bool>();
  if (out == nullptr) table.fail_at(key, "is not valid; valid is true or false");
  return *out;
}

void check_paper(const TableReader& table, const std::string& paper) {
  const bool known =
      std::any_of(std::begin(kPapers), std::end(kPapers), [&](const Paper& p) { return p.name == paper; });
  if (!known)
    table.fail_at("paper", fmt::format("'{}' is unknown; valid is hpcc, fairness, onramp, rl or spraying", paper));
}

Claim read_claim(const TableReader& table) {
  table.allow_only({"id", "paper", "place", "figure", "scenario", "expected", "rule", "first_rule", "cost", "weak",
                    "not_run", "reason"});
  Claim out;
  out.where = table.where();
  out.id = table.required_text("id", "the claim's, such as \"A36\"");
  out.paper = table.required_text("paper", "hpcc, fairness, onramp, rl or spraying");
  check_paper(table, out.paper);
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

// The ids of a list such as claims = ["A19", "A20"].
std::vector<std::string> ids_of(const TableReader& table, std::string_view key, const std::vector<Claim>& claims) {
  std::vector<std::string> out;
  const scenario::Value* list = table.find(key);
  if (list == nullptr) return out;
  if (list->as<scenario::List>() == nullptr) table.fail_at(key, "is not valid; valid is a list of claims");
  for (const scenario::Value& value : *list->as<scenario::List>()) {
    const std::string* id = value.as<std::string>();
    if (id == nullptr || find(claims, *id) == nullptr) table.fail_at(key, "names a claim that claims.toml has not");
    out.push_back(*id);
  }
  return out;
}

FigureFile read_figure(const std::string& file, const std::vector<Claim>& claims) {
  const scenario::Value root = read_toml(file);
  const TableReader document(root, "");
  const TableReader paper = document.table("paper");
  FigureFile out;
  const std::filesystem::path path(file);
  out.file = file;
  out.name = fmt::format("{}/{}", path.parent_path().filename().string(), path.stem().string());
  out.paper = paper.required_text("paper", "hpcc, fairness, onramp, rl or spraying");
  check_paper(paper, out.paper);
  out.figure = paper.text("figure");
  out.title = paper.text("title");
  out.by_code = ids_of(paper, "claims", claims);
  for (const TableReader& claim : document.tables("claim")) {
    const std::string id = claim.required_text("id", "that of a claim of claims.toml");
    if (find(claims, id) == nullptr) claim.fail_at("id", fmt::format("claims.toml has no claim '{}'", id));
    out.claims.push_back(id);
  }
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
