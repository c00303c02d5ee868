#include "weir/claims/verdict.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "weir/base/version.h"
#include "weir/claims/catalogue.h"
#include "weir/result/directory.h"

namespace weir::claims {
namespace {

using Json = nlohmann::ordered_json;

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

std::string why_not_run(const Claim& claim) {
  if (!claim.not_run.empty()) return claim.not_run;
  return evaluator_of(claim.id) == nullptr ? "no evaluator judges it; its study, if it has one, has not been run"
                                           : "it has not been run";
}

Json to_json(const Claim& claim, const Verdict& verdict) {
  Json out{{"id", claim.id},
           {"paper", claim.paper},
           {"figure", claim.figure},
           {"place", claim.place},
           {"expected", claim.expected},
           {"rule", claim.rule},
           {"measured", verdict.measured},
           {"verdict", verdict.verdict},
           {"firmness", verdict.firmness},
           {"by_words", verdict.by_words},
           {"reason", verdict.reason}};
  if (!verdict.weir.empty()) out["weir"] = verdict.weir;
  if (!claim.literal.empty()) {
    out["literal"] = claim.literal;
    out["by_words_firmness"] = verdict.by_words_firmness;
  }
  if (!verdict.second.empty())
    out[std::string(paper_of(claim).worlds.key)] = {
        {"verdict", verdict.second}, {"firmness", verdict.second_firmness}, {"measured", verdict.second_measured}};
  if (!claim.kind.empty()) out["kind"] = claim.kind;
  if (claim.weak) out["weak"] = true;
  if (claim.restated) out["restated"] = {{"rule", claim.restated->rule}, {"verdict", claim.restated->verdict}};
  if (verdict.verdict == kFails)
    out["cause"] = standing_of(claim, verdict) == Standing::cause_shown ? "shown"
                   : claim.cause && claim.cause->undecidable            ? "undecidable"
                                                                        : "unknown";
  if (claim.cause && !claim.cause->experiment.empty()) out["experiment"] = claim.cause->experiment;
  return out;
}

void check_verdict(const std::string& verdict, const std::string& id, const std::string& file) {
  constexpr std::string_view kValid[] = {kHolds, kFails, kUndecided, kNotRun};
  if (std::find(std::begin(kValid), std::end(kValid), verdict) == std::end(kValid))
    throw InputError(
        fmt::format("{}: the verdict of '{}' is '{}'; valid is {}", file, id, verdict, fmt::join(kValid, ", ")));
}

// `weir` is the version that wrote the file, which has judged claims that name none.
Verdict read_verdict(const Json& claim, const std::string& weir, const std::string& file,
                     const std::vector<Claim>& claims) {
  Verdict out{.id = claim.at("id"), .measured = claim.at("measured"), .verdict = claim.at("verdict")};
  const Claim* known = find(claims, out.id);
  if (known == nullptr) throw InputError(fmt::format("{}: claims.toml has no claim '{}'", file, out.id));
  check_verdict(out.verdict, out.id, file);
  if (out.verdict == kNotRun) return out;
  out.weir = claim.value("weir", weir);
  if (const auto second = claim.find(paper_of(*known).worlds.key); second != claim.end()) {
    out.second = second->at("verdict");
    out.second_firmness = second->at("firmness");
    out.second_measured = second->at("measured");
    check_verdict(out.second, out.id, file);
  }
  out.firmness = claim.at("firmness");
  // a literal rule that was written since has not been judged yet
  if (known->literal.empty()) {
    out.by_words = out.verdict;
    out.by_words_firmness = out.firmness;
  } else if (claim.value("literal", "") == known->literal) {
    out.by_words = claim.at("by_words");
    out.by_words_firmness = claim.at("by_words_firmness");
  } else {
    out.by_words = kNotMeasured;
  }
  return out;
}

}  // namespace

Standing standing_of(const Claim& claim, const Verdict& verdict) {
  if (verdict.holds()) return Standing::holds;
  if (verdict.verdict == kUndecided) return Standing::undecided;
  if (verdict.verdict == kNotRun) return Standing::not_run;
  return claim.cause && claim.cause->is_shown() ? Standing::cause_shown : Standing::cause_unknown;
}

Verdicts::Verdicts(const std::vector<Claim>& claims) : claims_(&claims) {
  for (const Claim& claim : claims) all_.push_back({.id = claim.id, .measured = {}, .reason = why_not_run(claim)});
}

std::size_t Verdicts::place(std::string_view id) const {
  const auto verdict = std::find_if(all_.begin(), all_.end(), [&](const Verdict& v) { return v.id == id; });
  require(verdict != all_.end(), fmt::format("claims.toml has no claim {}", id));
  return static_cast<std::size_t>(verdict - all_.begin());
}

std::string Verdicts::reason_of(const Verdict& verdict) const {
  if (verdict.verdict != kFails) return "";
  const auto& cause = find(*claims_, verdict.id)->cause;
  return cause ? cause->text() : "The cause is unknown.";
}

void Verdicts::set(Verdict verdict) {
  verdict.reason = reason_of(verdict);
  all_[place(verdict.id)] = std::move(verdict);
}

void Verdicts::set(const Judgement& judgement, bool is_as_written) {
  Verdict& verdict = all_[place(judgement.id)];
  const bool has_literal = !find(*claims_, judgement.id)->literal.empty();
  require(has_literal == judgement.literal.has_value(),
          fmt::format("{} is judged {} a literal rule, and claims.toml has {}", judgement.id,
                      has_literal ? "without" : "by", has_literal ? "one" : "none"));
  const study::Finding& words = judgement.literal.value_or(judgement.band);
  verdict.measured = judgement.measured;
  verdict.verdict = name_of(judgement.band.answer);
  verdict.firmness = judgement.band.firmness;
  verdict.by_words = name_of(words.answer);
  verdict.by_words_firmness = words.firmness;
  if (judgement.second) {
    require(!paper_of(*find(*claims_, judgement.id)).worlds.key.empty(),
            fmt::format("{} is judged in two worlds, and its paper has one", judgement.id));
    verdict.second = name_of(judgement.second->band.answer);
    verdict.second_firmness = judgement.second->band.firmness;
    verdict.second_measured = judgement.second->measured;
  }
  verdict.reason = is_as_written ? reason_of(verdict) : "";
  verdict.weir = version();
}

std::string to_json(const std::vector<Claim>& claims, const Verdicts& verdicts, const std::vector<std::string>& only) {
  Json out{{"weir", version()}, {"format", result::kVerdictsFormat}, {"date", today()}, {"claims", Json::array()}};
  for (const Claim& claim : claims)
    if (only.empty() || std::find(only.begin(), only.end(), claim.id) != only.end())
      out["claims"].push_back(to_json(claim, verdicts.of(claim.id)));
  return out.dump(2) + "\n";
}

Verdicts read_verdicts(const std::string& file, const std::vector<Claim>& claims) {
  Verdicts out(claims);
  if (!std::filesystem::exists(file)) return out;
  try {
    std::ifstream in(file);
    const Json document = Json::parse(in);
    if (document.at("format") != result::kVerdictsFormat)
      throw InputError(fmt::format("{}: its format is {}; valid is {}: have the claims judged again by this version",
                                   file, document.at("format").dump(), result::kVerdictsFormat));
    const std::string weir = document.value("weir", "");
    for (const Json& claim : document.at("claims"))
      if (Verdict verdict = read_verdict(claim, weir, file, claims); verdict.verdict != kNotRun)
        out.set(std::move(verdict));
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: these are no verdicts: {}", file, error.what()));
  }
  return out;
}

}  // namespace weir::claims
