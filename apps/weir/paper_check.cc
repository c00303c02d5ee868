#include "weir/paper_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>

#include "weir/base/error.h"
#include "weir/base/suggestion.h"
#include "weir/base/text_table.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/check.h"
#include "weir/claims/document.h"
#include "weir/installed_data.h"
#include "weir/output.h"
#include "weir/progress.h"
#include "weir/signals.h"
#include "weir/toml/document.h"

namespace weir::app {
namespace {

using claims::Claim;
using claims::Evaluator;
using claims::Found;
using claims::Verdict;
using claims::Verdicts;

constexpr int kNoLongerHolds = 3;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');)
    if (!word.empty()) out.push_back(word);
  return out;
}

bool contains(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Each once; none if all are meant.
std::vector<std::string> named_claims(const PaperCommandOptions& o, const std::vector<Claim>& all) {
  std::vector<std::string> out;
  for (const std::string& name : split(o.only)) {
    const std::string& id = named_claim("--only", name, all).id;
    if (!contains(out, id)) out.push_back(id);
  }
  if (out.empty() && !o.only.empty())
    throw InputError(fmt::format("--only = '{}' names no claim; write one or several, A23,C8", o.only));
  return out;
}

void check_tier(const std::string& tier) {
  if (tier != "quick" && tier != "long" && tier != "full" && tier != "causes")
    throw InputError(fmt::format("--tier = '{}' is not valid; valid is quick, long, full or causes", tier));
}

// Those that judge a named claim, whatever the tier; or all of the tier.
std::vector<const Evaluator*> choose(const PaperCommandOptions& o, const std::vector<std::string>& only) {
  std::vector<const Evaluator*> out;
  for (const Evaluator& e : claims::evaluators()) {
    const bool named =
        std::any_of(e.ids.begin(), e.ids.end(), [&](const std::string& id) { return contains(only, id); });
    const bool in_tier = o.tier != "quick" || e.tier == claims::Tier::quick;
    if (only.empty() ? in_tier : named) out.push_back(&e);
  }
  return out;
}

void tell_progress(const Found& found, std::size_t ended, std::size_t of) {
  notice("weir paper: {} of {}: {}{}{}", ended, of, fmt::join(found.evaluator->ids, ", "),
         found.error.empty() ? "" : ": error: ", found.error);
}

struct Results {
  Verdicts verdicts;
  std::vector<std::string> judged;                          // in the order of claims
  std::vector<std::pair<std::string, std::string>> errors;  // claim, why
  std::vector<claims::Row> rows;
};

// What studies have found of the claims that are named, or of all.
struct Studied {
  std::vector<study::Judgement> judgements;
  std::vector<std::pair<std::string, std::string>> errors;  // claim, why there is no verdict
};

// A figure's study, and the claims that are wanted of it.
struct Wanted {
  PaperPlan plan;
  std::vector<std::string> ids;
};

// All are looked at before any of them runs.
std::vector<Wanted> choose_studies(const std::vector<claims::FigureFile>& figures, const PaperCommandOptions& o,
                                   const std::vector<std::string>& only) {
  std::vector<Wanted> out;
  for (const claims::FigureFile& f : figures) {
    std::vector<std::string> ids;
    for (const study::PaperClaim& claim : f.study.claims)
      if (only.empty() || contains(only, claim.id)) ids.push_back(claim.id);
    if (!ids.empty()) out.push_back({plan_paper_study(f, o.studies()), std::move(ids)});
  }
  return out;
}

void judge_study(const Wanted& wanted, const PaperCommandOptions& o, Studied& out) {
  const std::string& name = wanted.plan.file->name;
  try {
    const PaperRun run = run_paper_study(wanted.plan, o.quiet);
    const std::string why = incomplete(run);
    for (const study::Judgement& j : run.judgements) {
      if (!contains(wanted.ids, j.id)) continue;
      if (j.complete)
        out.judgements.push_back(j);
      else
        out.errors.emplace_back(j.id, fmt::format("{}: {}", name, why.empty() ? "values are missing" : why));
    }
  } catch (const std::exception& error) {  // the others go on
    for (const std::string& id : wanted.ids) out.errors.emplace_back(id, fmt::format("{}: {}", name, error.what()));
  }
}

// Says before anything runs how much there is to do.
void tell_cost(const std::vector<const Evaluator*>& evaluators, const std::vector<Wanted>& studies,
               const PaperCommandOptions& o) {
  double seconds = 0;
  for (const Evaluator* e : evaluators) seconds += e->whole_cost_s();
  std::size_t runs = 0;
  for (const Wanted& wanted : studies) {
    seconds += wanted.plan.file->study.figure.processor_time.seconds();
    runs += wanted.plan.plan.runs.size();
  }
  std::string what;
  if (!evaluators.empty())
    what = fmt::format("{} evaluation{} by code", evaluators.size(), evaluators.size() == 1 ? "" : "s");
  if (!studies.empty())
    what += fmt::format("{}{} stud{} of {} run{}", what.empty() ? "" : " and ", studies.size(),
                        studies.size() == 1 ? "y" : "ies", runs, runs == 1 ? "" : "s");
  if (!what.empty())
    notice("weir paper: {} take{} about {} of processor time where nothing is done yet, {} at a time", what,
           evaluators.size() + studies.size() == 1 ? "s" : "", duration_text(seconds), o.jobs);
}

Studied judge_studies(const std::vector<Wanted>& studies, const PaperCommandOptions& o) {
  Studied out;
  for (const Wanted& wanted : studies) {
    if (!o.quiet) notice("weir paper: {}: {}", wanted.plan.file->name, fmt::join(wanted.ids, ", "));
    judge_study(wanted, o, out);
    if (pending_signal() != 0) break;
  }
  return out;
}

// What is not run keeps its accepted verdict.
Results gather(const std::vector<Claim>& all, const Verdicts& accepted, const std::vector<Found>& found,
               Studied studied) {
  Results out{.verdicts = accepted, .judged = {}, .errors = std::move(studied.errors), .rows = {}};
  std::vector<study::Judgement> judgements = std::move(studied.judgements);
  for (const Found& f : found) {
    judgements.insert(judgements.end(), f.judgements.begin(), f.judgements.end());
    out.rows.insert(out.rows.end(), f.rows.begin(), f.rows.end());
    if (f.error.empty()) continue;
    for (const std::string& id : f.evaluator->ids) out.errors.emplace_back(id, f.error);
  }
  std::vector<std::string> ids;
  for (const study::Judgement& j : judgements) {
    out.verdicts.set(j);
    ids.push_back(j.id);
  }
  for (const Claim& c : all)
    if (contains(ids, c.id)) out.judged.push_back(c.id);
  return out;
}

// Counted are all claims, with the accepted verdicts of those that were not run now.
std::string counts(const std::vector<Claim>& all, const Verdicts& verdicts) {
  TextRows rows{{"paper"}};
  rows.front().insert(rows.front().end(), std::begin(claims::kStandings), std::end(claims::kStandings));
  for (const claims::Paper& paper : claims::kPapers) {
    rows.push_back({std::string(paper.name)});
    for (const std::size_t n : claims::counts(all, verdicts, paper)) rows.back().push_back(fmt::format("{}", n));
  }
  return text_table(rows, 1, "  ");
}

std::vector<std::string> no_longer(const Results& results, const Verdicts& accepted) {
  std::vector<std::string> out;
  for (const std::string& id : results.judged)
    if (accepted.of(id).holds() && !results.verdicts.of(id).holds()) out.push_back(id);
  return out;
}

void update(const PaperCommandOptions& o, const std::vector<Claim>& all, const Results& results) {
  std::map<std::string, std::string> texts;  // by file; all are made before the first one is written
  const auto text_of = [&](const std::string& file) -> std::string& {
    const auto known = texts.find(file);
    return known != texts.end() ? known->second : texts.emplace(file, claims::read_text(file)).first->second;
  };
  for (claims::Row row : results.rows) {
    row.document = o.document(row.document);
    std::string& text = text_of(row.document);
    text = claims::with_row(text, row);
  }
  const std::string overview = o.document("docs/evidence/claims.md");
  text_of(overview) = claims::with_overview(text_of(overview), overview, all, results.verdicts);
  const std::string costs = o.document("docs/guides/papers.md");
  text_of(costs) = claims::with_costs(text_of(costs), costs, claims::read_figures(o.papers, all));
  for (const claims::Paper& paper : claims::kPapers) {
    if (paper.page.empty()) continue;
    const std::string page = o.document(fmt::format("docs/evidence/claims/{}", paper.page));
    text_of(page) = claims::with_causes(text_of(page), page, all, results.verdicts, paper);
    if (!paper.worlds.key.empty())
      text_of(page) = claims::with_worlds(text_of(page), page, all, results.verdicts, paper);
  }
  texts[o.verdicts_file()] = claims::to_json(all, results.verdicts);
  for (const auto& [file, text] : texts) claims::write_text(file, text);
}

void print(const PaperCommandOptions& o, const std::vector<Claim>& all, const std::vector<std::string>& shown,
           const Results& results) {
  if (o.json) {
    show_text(claims::to_json(all, results.verdicts, shown));
    return;
  }
  for (const std::string& id : shown) show("{}", describe(*claims::find(all, id), results.verdicts.of(id)));
  show("{} judged now; with what was accepted before:\n{}", results.judged.size(), counts(all, results.verdicts));
}

// The worst that has happened, told on standard error.
int conclude(const Results& results, const std::vector<std::string>& lost) {
  for (const auto& [id, why] : results.errors) notice("weir: {} cannot be judged: {}", id, why);
  for (const std::string& id : lost) notice("weir: {} held before and does not hold now", id);
  return !results.errors.empty() ? 1 : !lost.empty() ? kNoLongerHolds : 0;
}

// What was judged, and what was asked for and cannot be judged; not those that an error has kept from it.
std::vector<std::string> shown(const std::vector<std::string>& only, const Results& results) {
  if (only.empty()) return results.judged;
  std::vector<std::string> out = only;
  std::erase_if(out, [&](const std::string& id) {
    return std::any_of(results.errors.begin(), results.errors.end(), [&](const auto& e) { return e.first == id; });
  });
  return out;
}

// Runs the experiments that show why claims fail, of those that are named or of all.
int check_causes(const PaperCommandOptions& o, const std::vector<Claim>& all, const std::vector<std::string>& only) {
  const auto experiments = claims::read_experiments(o.papers, all);
  const std::vector<Wanted> studies = choose_studies(experiments, o, only);
  if (o.json || o.update)
    throw InputError(fmt::format("--{}: experiments give no verdicts; leave it out", o.json ? "json" : "update"));
  for (const std::string& id : only)
    if (std::none_of(studies.begin(), studies.end(), [&](const Wanted& w) { return contains(w.ids, id); }))
      throw InputError(fmt::format("--only: no experiment is about {}; `weir paper list` names those there are", id));
  if (!o.quiet) tell_cost({}, studies, o);
  catch_signals();
  const Studied found = judge_studies(studies, o);
  bool all_shown = true;
  for (const study::Judgement& j : found.judgements) {
    show("{}: {} ({}): {}\n", j.id, j.holds() ? "the cause is shown" : "NOT SHOWN", j.band.firmness, j.measured);
    all_shown = all_shown && j.holds();
  }
  for (const auto& [id, why] : found.errors) notice("weir: the cause of {} cannot be looked at: {}", id, why);
  if (pending_signal() != 0) return 128 + pending_signal();
  return !found.errors.empty() ? 1 : all_shown ? 0 : kNoLongerHolds;
}

}  // namespace

void find_papers(PaperCommandOptions& o) {
  const auto has_claims = [](const std::filesystem::path& folder) {
    return std::filesystem::exists(folder / "claims.toml");
  };
  if (!o.papers.empty()) {
    if (!has_claims(o.papers))
      throw InputError(fmt::format("--papers = '{}' is not valid; valid is a folder that has claims.toml", o.papers));
    return;
  }
  const std::string installed = (installed_data() / "papers").string();
  o.papers = has_claims("papers") ? "papers" : installed;
  if (!has_claims(o.papers))
    throw InputError(
        fmt::format("there are no claims of papers here, in papers/claims.toml, and none in {}; start the command in a "
                    "checkout of Weir, install Weir (cmake --install), or name the folder with --papers",
                    installed));
}

const Claim& named_claim(std::string_view option, const std::string& id, const std::vector<Claim>& all) {
  std::string upper = id;  // ids are a capital letter and a number
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  if (const Claim* claim = claims::find(all, upper)) return *claim;
  std::vector<std::string> known;
  for (const Claim& claim : all) known.push_back(claim.id);
  throw InputError(
      fmt::format("{}: there is no claim '{}'{}; `weir paper list` tells them", option, id, did_you_mean(id, known)));
}

std::string describe(const Claim& c, const Verdict& v) {
  const auto line = [](std::string_view head, const std::string& text) {
    return text.empty() ? "" : fmt::format("  {:<8}  {}\n", head, text);
  };
  return fmt::format("{} ({}, {}): {}\n", c.id, c.paper, c.place, v.verdict) + line("expected", c.expected) +
         line("rule", c.rule) + line("measured", v.measured) + line("firmness", v.firmness) + line("words", c.literal) +
         (c.literal.empty() ? "" : line("by words", words_text(v))) + line("because", v.reason) +
         line("also", v.second.empty() ? ""
                                       : fmt::format("{} it {} ({}): {}", claims::paper_of(c).worlds.with,
                                                     v.second == claims::kUndecided ? "is undecided" : v.second,
                                                     v.second_firmness, v.second_measured));
}

std::string words_text(const Verdict& v) {
  return v.by_words + (v.by_words_firmness.empty() ? "" : fmt::format(" ({})", v.by_words_firmness));
}

int check_claims(const PaperCommandOptions& o) {
  check_tier(o.tier);
  const std::vector<Claim> all = claims::read_claims(o.papers);
  const std::vector<std::string> only = named_claims(o, all);
  if (o.tier == "causes") return check_causes(o, all, only);
  const Verdicts accepted = claims::read_verdicts(o.verdicts_file(), all);
  const std::vector<const Evaluator*> chosen = choose(o, only);
  const auto figures = claims::read_figures(o.papers, all);
  const bool with_studies = o.tier == "full" || !only.empty();
  const std::vector<Wanted> studies = with_studies ? choose_studies(figures, o, only) : std::vector<Wanted>();
  if (!o.quiet) tell_cost(chosen, studies, o);
  const auto found = claims::run_all(chosen, o.papers, std::max(1u, o.jobs), [&](const Found& f, std::size_t ended) {
    tell_progress(f, ended, chosen.size());
  });
  if (!studies.empty()) catch_signals();
  const Results results = gather(all, accepted, found, judge_studies(studies, o));
  print(o, all, shown(only, results), results);
  const bool interrupted = pending_signal() != 0;
  if (o.update && !results.errors.empty() && !interrupted) notice("weir: nothing is updated");
  if (o.update && (results.errors.empty() || interrupted)) update(o, all, results);
  if (o.update && interrupted)
    notice("weir: interrupted; what has been judged is accepted, and the same command goes on with the rest");
  const int status = conclude(results, no_longer(results, accepted));
  return interrupted ? 128 + pending_signal() : status;
}

}  // namespace weir::app
