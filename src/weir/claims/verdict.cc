#include "weir/claims/verdict.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "weir/base/version.h"
#include "weir/claims/catalogue.h"

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
           {"reason", verdict.reason}};
  if (claim.weak) out["weak"] = true;
  if (claim.restated) out["restated"] = {{"rule", claim.restated->rule}, {"verdict", claim.restated->verdict}};
  if (verdict.verdict == kFails)
    out["cause"] = standing_of(claim, verdict) == Standing::cause_shown ? "shown" : "unknown";
  if (claim.cause && !claim.cause->experiment.empty()) out["experiment"] = claim.cause->experiment;
  return out;
}

}  // namespace

Standing standing_of(const Claim& claim, const Verdict& verdict) {
  if (verdict.holds()) return Standing::holds;
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

void Verdicts::set(const Judgement& judgement, bool is_as_written) {
  Verdict& verdict = all_[place(judgement.id)];
  verdict.measured = judgement.measured;
  verdict.verdict = judgement.holds ? kHolds : kFails;
  const auto& cause = find(*claims_, judgement.id)->cause;
  verdict.reason = judgement.holds || !is_as_written ? "" : cause ? cause->text() : "The cause is unknown.";
}

std::string to_json(const std::vector<Claim>& claims, const Verdicts& verdicts, const std::vector<std::string>& only) {
  Json out{{"weir", version()}, {"format", 1}, {"date", today()}, {"claims", Json::array()}};
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
    for (const Json& claim : document.at("claims")) {
      const std::string id = claim.at("id");
      if (find(claims, id) == nullptr) throw InputError(fmt::format("{}: claims.toml has no claim '{}'", file, id));
      const std::string verdict = claim.at("verdict");
      if (verdict == kNotRun) continue;
      if (verdict != kHolds && verdict != kFails)
        throw InputError(fmt::format("{}: the verdict of '{}' is '{}'; valid is {}, {} or {}", file, id, verdict,
                                     kHolds, kFails, kNotRun));
      out.set({.id = id, .holds = verdict == kHolds, .measured = claim.at("measured")});
    }
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: these are no verdicts: {}", file, error.what()));
  }
  return out;
}

}  // namespace weir::claims
