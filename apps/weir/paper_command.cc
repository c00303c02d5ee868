// weir paper: what the papers claim, and whether it holds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/check.h"
#include "weir/claims/claim.h"
#include "weir/claims/document.h"
#include "weir/claims/verdict.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/paper_study.h"
#include "weir/run/memory_limit.h"
#include "weir/scenario/document.h"
#include "weir/signals.h"
#include "weir/theory_output.h"

namespace weir::app {
namespace {

using claims::Claim;
using claims::Evaluator;
using claims::Found;
using claims::Verdict;
using claims::Verdicts;

constexpr int kNoLongerHolds = 3;

struct Options {
  std::string papers = "papers";
  std::string paper;
  std::string tier = "quick";
  std::string only;
  std::string figure;
  std::string out = "out/papers";
  std::string memory;
  unsigned jobs = 2;
  bool fresh = false;
  bool quiet = false;
  bool json = false;
  bool update = false;

  std::string claims_file() const { return papers + "/claims.toml"; }
  std::string verdicts_file() const { return papers + "/verdicts.json"; }
  PaperOptions studies() const {
    return {.out = out,
            .jobs = static_cast<int>(std::max(1u, jobs)),
            .memory = run::memory_limit(memory),
            .fresh = fresh,
            .quiet = quiet};
  }
  // Documents are named from the folder that papers is in.
  std::string document(const std::string& name) const { return papers + "/../" + name; }
};

std::vector<Claim> read_claims(const Options& o) {
  if (!std::filesystem::is_directory(o.papers))
    throw InputError(
        fmt::format("--papers = '{}' is not a folder; valid is the folder that has claims.toml", o.papers));
  return claims::read_claims(o.claims_file());
}

// list

std::string evidence(const Claim& c, const std::vector<claims::FigureFile>& figures) {
  for (const claims::FigureFile& f : figures)
    if (f.judges(c.id)) return f.name;
  if (const Evaluator* e = claims::evaluator_of(c.id); e != nullptr)
    return e->tier == claims::Tier::quick ? "quick" : "long";
  return "-";
}

void check_paper(const std::string& name) {
  if (name.empty()) return;
  std::vector<std::string> names;
  for (const claims::Paper& p : claims::kPapers) names.emplace_back(p.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw InputError(fmt::format("'{}' is no paper; valid is {}", name, fmt::join(names, ", ")));
}

int list(const Options& o) {
  check_paper(o.paper);
  const std::vector<Claim> all = read_claims(o);
  const auto figures = claims::read_figures(o.papers, all);
  const Verdicts accepted = claims::read_verdicts(o.verdicts_file(), all);
  show(
      "cost, as it was estimated before: T arithmetic, S seconds, M minutes, H hours, R real hosts, - not to be "
      "checked\n\n");
  for (const claims::Paper& paper : claims::kPapers) {
    if (!o.paper.empty() && o.paper != paper.name) continue;
    show("{}: {}\n\n", paper.name, paper.title);
    std::vector<std::vector<std::string>> rows{{"claim", "cost", "judged by", "verdict", "place"}};
    for (const Claim& c : all)
      if (c.paper == paper.name)
        rows.push_back({c.id, c.cost, evidence(c, figures), accepted.of(c.id).verdict, c.place});
    show("{}\n", to_text(rows));
    for (const claims::FigureFile& f : figures)
      if (f.study.figure.paper == paper.name) show("  {:14}  {}\n", f.name, f.study.figure.title);
    show("\n");
  }
  return 0;
}

// check

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
std::vector<std::string> named_claims(const Options& o, const std::vector<Claim>& all) {
  std::vector<std::string> known;
  for (const Claim& claim : all) known.push_back(claim.id);
  std::vector<std::string> out;
  for (const std::string& id : split(o.only)) {
    if (!contains(known, id))
      throw InputError(fmt::format("--only: there is no claim '{}'{}; `weir paper list` tells them", id,
                                   scenario::did_you_mean(id, known)));
    if (!contains(out, id)) out.push_back(id);
  }
  if (out.empty() && !o.only.empty())
    throw InputError(fmt::format("--only = '{}' names no claim; write one or several, A23,C8", o.only));
  return out;
}

void check_tier(const std::string& tier) {
  if (tier != "quick" && tier != "long" && tier != "full")
    throw InputError(fmt::format("--tier = '{}' is not valid; valid is quick, long or full", tier));
}

// Those that judge a named claim, whatever the tier; or all of the tier.
std::vector<const Evaluator*> choose(const Options& o, const std::vector<std::string>& only) {
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
  std::vector<claims::Judgement> judgements;
  std::vector<std::pair<std::string, std::string>> errors;  // claim, why there is no verdict
};

// A figure's study, and the claims that are wanted of it.
struct Wanted {
  PaperPlan plan;
  std::vector<std::string> ids;
};

// All are looked at before any of them runs.
std::vector<Wanted> choose_studies(const std::vector<claims::FigureFile>& figures, const Options& o,
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

void judge_study(const Wanted& wanted, const Options& o, Studied& out) {
  const std::string& name = wanted.plan.file->name;
  try {
    const PaperRun run = run_paper_study(wanted.plan, o.quiet);
    const std::string why = incomplete(run);
    for (const study::Judgement& j : run.judgements) {
      if (!contains(wanted.ids, j.id)) continue;
      if (j.complete)
        out.judgements.push_back({j.id, j.holds, j.measured});
      else
        out.errors.emplace_back(j.id, fmt::format("{}: {}", name, why.empty() ? "values are missing" : why));
    }
  } catch (const std::exception& error) {  // the others go on
    for (const std::string& id : wanted.ids) out.errors.emplace_back(id, fmt::format("{}: {}", name, error.what()));
  }
}

Studied judge_studies(const std::vector<Wanted>& studies, const Options& o) {
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
  std::vector<claims::Judgement> judgements = std::move(studied.judgements);
  for (const Found& f : found) {
    judgements.insert(judgements.end(), f.judgements.begin(), f.judgements.end());
    out.rows.insert(out.rows.end(), f.rows.begin(), f.rows.end());
    if (f.error.empty()) continue;
    for (const std::string& id : f.evaluator->ids) out.errors.emplace_back(id, f.error);
  }
  std::vector<std::string> ids;
  for (const claims::Judgement& j : judgements) {
    out.verdicts.set(j);
    ids.push_back(j.id);
  }
  for (const Claim& c : all)
    if (contains(ids, c.id)) out.judged.push_back(c.id);
  return out;
}

std::string describe(const Claim& c, const Verdict& v) {
  return fmt::format("{} ({}, {}): {}\n  expected  {}\n  rule      {}\n{}{}\n", c.id, c.paper, c.place, v.verdict,
                     c.expected, c.rule, v.measured.empty() ? "" : fmt::format("  measured  {}\n", v.measured),
                     v.reason.empty() ? "" : fmt::format("  because   {}\n", v.reason));
}

// Counted are all claims, with the accepted verdicts of those that were not run now.
std::string counts(const std::vector<Claim>& all, const Verdicts& verdicts) {
  std::vector<std::vector<std::string>> rows{{"paper", "claims", "holds", "fails", "not run"}};
  for (const claims::Paper& paper : claims::kPapers) {
    const auto number = [&](std::string_view verdict) {
      return fmt::format("{}", claims::count(all, verdicts, paper, verdict));
    };
    rows.push_back(
        {std::string(paper.name), number(""), number(claims::kHolds), number(claims::kFails), number(claims::kNotRun)});
  }
  return to_text(rows);
}

std::vector<std::string> no_longer(const Results& results, const Verdicts& accepted) {
  std::vector<std::string> out;
  for (const std::string& id : results.judged)
    if (accepted.of(id).holds() && !results.verdicts.of(id).holds()) out.push_back(id);
  return out;
}

void update(const Options& o, const std::vector<Claim>& all, const Results& results) {
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
  const std::string readme = o.document("README.md");
  text_of(readme) = claims::with_summary(text_of(readme), readme, all, results.verdicts);
  const std::string overview = o.document("docs/claims.md");
  text_of(overview) = claims::with_overview(text_of(overview), overview, all, results.verdicts);
  texts[o.verdicts_file()] = claims::to_json(all, results.verdicts);
  for (const auto& [file, text] : texts) claims::write_text(file, text);
}

void print(const Options& o, const std::vector<Claim>& all, const std::vector<std::string>& shown,
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

int check(const Options& o) {
  check_tier(o.tier);
  const std::vector<Claim> all = read_claims(o);
  const std::vector<std::string> only = named_claims(o, all);
  const Verdicts accepted = claims::read_verdicts(o.verdicts_file(), all);
  const std::vector<const Evaluator*> chosen = choose(o, only);
  const auto figures = claims::read_figures(o.papers, all);
  const bool with_studies = o.tier == "full" || !only.empty();
  const std::vector<Wanted> studies = with_studies ? choose_studies(figures, o, only) : std::vector<Wanted>();
  const auto found = claims::run_all(chosen, o.papers, std::max(1u, o.jobs), [&](const Found& f, std::size_t ended) {
    tell_progress(f, ended, chosen.size());
  });
  if (!studies.empty()) catch_signals();
  const Results results = gather(all, accepted, found, judge_studies(studies, o));
  print(o, all, shown(only, results), results);
  if (o.update && !results.errors.empty()) notice("weir: nothing is updated");
  if (o.update && results.errors.empty()) update(o, all, results);
  const int status = conclude(results, no_longer(results, accepted));
  return pending_signal() != 0 ? 128 + pending_signal() : status;
}

// run

// "hpcc/fig13".
const claims::FigureFile& find_figure(const std::vector<claims::FigureFile>& figures, const std::string& name) {
  std::vector<std::string> names;
  for (const claims::FigureFile& f : figures) {
    if (f.name == name) return f;
    names.push_back(f.name);
  }
  throw InputError(fmt::format("there is no figure '{}'{}; `weir paper list` tells them", name,
                               scenario::did_you_mean(name, names)));
}

// The authors' values beside those measured, for bars.
std::string printed(const study::PaperStudy& p) {
  std::string out;
  for (const auto& figure : p.study.figures)
    for (const auto& row : figure.printed) {
      out += fmt::format("{}{}: ", out.empty() ? "in the paper\n  " : "  ", row.series);
      for (std::size_t i = 0; i < row.y.size(); ++i)
        out += fmt::format("{}{} {}", i == 0 ? "" : ", ", row.x[i], row.y[i]);
      out += "\n";
    }
  return out;
}

int run_figure(const Options& o) {
  const std::vector<Claim> all = read_claims(o);
  const auto figures = claims::read_figures(o.papers, all);
  const claims::FigureFile& file = find_figure(figures, o.figure);
  catch_signals();
  const PaperRun run = run_paper_study(plan_paper_study(file, o.studies()), o.quiet);
  Verdicts verdicts(all);
  std::vector<std::string> judged;
  for (const auto& j : run.judgements)
    if (j.complete) {
      verdicts.set({j.id, j.holds, j.measured});
      judged.push_back(j.id);
    }
  std::filesystem::remove(run.dir + "/verdicts.json");
  if (!judged.empty()) claims::write_text(run.dir + "/verdicts.json", claims::to_json(all, verdicts, judged));
  show("{}\n\n{}\n{}", file.study.study.title, study::to_text(run.table), printed(file.study));
  if (!file.study.figure.note.empty()) show("\n{}\n", file.study.figure.note);
  for (const std::string& id : judged) show("\n{}", describe(*claims::find(all, id), verdicts.of(id)));
  if (const auto& others = file.study.figure.claims; !others.empty())
    show("\njudged by code, with `weir paper check --only {}`\n", fmt::join(others, ","));
  show("\nresults  {}\n", run.dir);
  const std::string why = incomplete(run);
  if (!why.empty()) notice("weir: {}", why);
  if (run.outcome.cancelled) return 128 + pending_signal();
  return why.empty() ? 0 : 1;
}

}  // namespace

void add_paper(CLI::App& app, int& status) {
  const auto o = std::make_shared<Options>();
  CLI::App* paper = app.add_subcommand("paper", "What the papers claim, and whether it holds");
  paper->require_subcommand(1);
  const auto add = [&](const char* name, const char* meaning) {
    CLI::App* command = paper->add_subcommand(name, meaning);
    command->add_option("--papers", o->papers, "the folder of claims and their scenarios (papers)")->check(not_empty());
    return command;
  };

  CLI::App* listing = add("list", "Claims and figures, and who judges them");
  listing->add_option("PAPER", o->paper, "hpcc, fairness, onramp, rl or spraying (all)");
  listing->callback([o, &status] { status = list(*o); });

  const auto add_study_options = [&](CLI::App* command) {
    command->add_option("-o,--out", o->out, "studies leave their results here, and go on from there (out/papers)")
        ->check(not_empty());
    command->add_option("-j,--jobs", o->jobs, "so many at once (2)")->check(CLI::Range(1, 4096));
    command->add_option("--memory", o->memory, "of all runs at once, like '8 GB'; without it, 80 % of what is free")
        ->check(not_empty());
    command->add_flag("--fresh", o->fresh, "run again what another scenario or version left there");
    command->add_flag("-q,--quiet", o->quiet, "no progress");
  };
  CLI::App* running = add("run", "Run the study of a figure, and judge its claims");
  running->add_option("FIGURE", o->figure, "as `weir paper list` names it, such as hpcc/fig13")->required();
  add_study_options(running);
  running->callback([o, &status] { status = run_figure(*o); });

  CLI::App* checking = add("check", "Measure, and judge by the rules; status 3 if what held before does not");
  checking
      ->add_option("--tier", o->tier,
                   "quick: in seconds; long: also those that take minutes; full: and studies (quick)")
      ->check(not_empty());
  checking->add_option("--only", o->only, "ID,...: these claims, of any tier")->check(not_empty());
  add_study_options(checking);
  checking->add_flag("--json", o->json, "print the verdicts as JSON");
  checking->add_flag("--update", o->update, "accept what is measured: papers/verdicts.json and the tables of docs");
  checking->callback([o, &status] { status = check(*o); });
}

}  // namespace weir::app
