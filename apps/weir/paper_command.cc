// weir paper: what the papers claim, and whether it holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/suggestion.h"
#include "weir/base/text_table.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/claim.h"
#include "weir/claims/document.h"
#include "weir/claims/verdict.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/paper_check.h"
#include "weir/paper_study.h"
#include "weir/signals.h"
#include "weir/sweep_progress.h"
#include "weir/toml/document.h"

namespace weir::app {
namespace {

using claims::Claim;
using claims::Evaluator;
using claims::Verdicts;

// list

std::string evidence(const Claim& c, const std::vector<claims::FigureFile>& figures) {
  for (const claims::FigureFile& f : figures)
    if (f.judges(c.id)) return f.name;
  if (const Evaluator* e = claims::evaluator_of(c.id); e != nullptr)
    return e->tier == claims::Tier::quick ? "quick" : "long";
  return "-";
}

// Without what is told of an interval.
std::string short_firmness(const claims::Verdict& v) {
  const std::string& all = v.firmness;
  const auto seeds = all.rfind("; ");
  if (all.ends_with(" seeds") && seeds != std::string::npos) return all.substr(seeds + 2);
  return all.substr(0, all.find(';'));
}

void check_paper(const std::string& name) {
  if (name.empty()) return;
  std::vector<std::string> names;
  for (const claims::Paper& p : claims::kPapers) names.emplace_back(p.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw InputError(fmt::format("'{}' is no paper; valid is {}", name, fmt::join(names, ", ")));
}

int list(const PaperCommandOptions& o) {
  check_paper(o.paper);
  const std::vector<Claim> all = claims::read_claims(o.papers);
  const auto figures = claims::read_figures(o.papers, all);
  const auto experiments = claims::read_experiments(o.papers, all);
  const Verdicts accepted = claims::read_verdicts(o.verdicts_file(), all);
  show(
      "The cost of a claim is an estimate: T arithmetic, S seconds, M minutes, H hours, R real hosts, - "
      "not to be checked. Beside each study stands the processor time of its runs.\n\n");
  for (const claims::Paper& paper : claims::kPapers) {
    if (!o.paper.empty() && o.paper != paper.name) continue;
    show("{}: {}\n\n", paper.name, paper.title);
    TextRows rows{{"claim", "cost", "judged by", "verdict", "by the words", "firmness", "place"}};
    for (const Claim& c : all)
      if (c.paper == paper.name)
        rows.push_back({c.id, c.cost, evidence(c, figures), accepted.of(c.id).verdict,
                        c.literal.empty() ? "the same" : accepted.of(c.id).by_words, short_firmness(accepted.of(c.id)),
                        c.place});
    show("{}\n", text_table(rows, 1, "  "));
    for (const claims::FigureFile& f : figures)
      if (f.study.figure.paper == paper.name)
        show("  {:16}  {:>7}  {}\n", f.name, claims::cost_text(f.study.figure.processor_time.seconds()),
             f.study.figure.title);
    bool first = true;
    for (const claims::FigureFile& f : experiments) {
      if (f.study.figure.paper != paper.name) continue;
      if (first) show("\n  why claims fail, by experiment\n");
      first = false;
      std::vector<std::string> ids;
      for (const study::PaperClaim& claim : f.study.claims) ids.push_back(claim.id);
      show("  {:26}  {}{}\n", f.name, f.study.figure.title,
           ids.empty() ? ": tried" : fmt::format(" ({})", fmt::join(ids, ", ")));
    }
    show("\n");
  }
  return 0;
}

// why

std::string line(std::string_view head, const std::string& text) {
  return text.empty() ? "" : fmt::format("  {:<12}{}\n", head, text);
}

int why(const PaperCommandOptions& o) {
  const std::vector<Claim> all = claims::read_claims(o.papers);
  const Claim& c = named_claim("ID", o.claim, all);
  const Verdicts accepted = claims::read_verdicts(o.verdicts_file(), all);
  const auto& v = accepted.of(c.id);
  std::string out = fmt::format("{} ({}, {}): {}\n", c.id, c.paper, c.place, v.verdict) + line("claim", c.expected) +
                    line("counts if", c.rule) + line("measured", v.measured) + line("firmness", v.firmness);
  if (!c.literal.empty()) out += line("words", c.literal) + line("by words", words_text(v));
  if (!c.counts()) out += line("does not count", c.kind);
  if (c.restated)
    out += line("restated", c.restated->reason()) +
           line("before", fmt::format("{}: {}", c.restated->rule, c.restated->verdict));
  if (v.verdict == claims::kNotRun) out += line("because", v.reason);
  if (v.verdict == claims::kFails && !c.cause) out += line("because", v.reason);
  if (c.cause) {
    const claims::Cause& cause = *c.cause;
    if (v.verdict == claims::kUndecided) out += "\nwhat is known of the claim, which is undecided\n";
    if (v.holds()) out += "\nwhy the former rule failed\n";
    out += "\n" + line("the paper", cause.printed) + line("here", cause.found);
    if (cause.is_shown())
      out += line("shown by", cause.shown) + line("again", claims::command_of(c));
    else if (v.verdict != claims::kUndecided)
      out += line("because", std::string(cause.unknown_text()));
    for (const std::string& tried : cause.tried) out += line("tried", tried);
    out += line("holds with", cause.holds_with);
    if (cause.against_paper)
      out += line("", "This speaks against the paper's statement, and not only against a setting of Weir's.");
  }
  show("{}", out);
  return 0;
}

// run

// "hpcc/fig13".
const claims::FigureFile& find_figure(const std::vector<claims::FigureFile>& figures, const std::string& name) {
  std::vector<std::string> names;
  for (const claims::FigureFile& f : figures) {
    if (f.name == name) return f;
    names.push_back(f.name);
  }
  throw InputError(
      fmt::format("there is no figure '{}'{}; `weir paper list` tells them", name, did_you_mean(name, names)));
}

// The authors' values beside those measured, for bars.
std::string printed(const study::PaperStudy& p) {
  std::string out;
  for (const auto& figure : p.study.figures) {
    if (figure.printed.empty()) continue;
    out += fmt::format("in the paper, {}\n", figure.params.title);
    for (const auto& row : figure.printed) {
      out += fmt::format("  {}: ", row.series);
      for (std::size_t i = 0; i < row.y.size(); ++i)
        out += fmt::format("{}{} {}", i == 0 ? "" : ", ", row.x[i], row.y[i]);
      out += "\n";
    }
  }
  return out;
}

// Whether some of its points differ by their policies.
bool compares_policies(const study::Study& s) {
  for (const study::Axis& axis : s.axes)
    for (const study::AxisPoint& point : axis.points)
      for (const study::Override& o : point.set)
        if (o.key.ends_with(".policy")) return true;
  return false;
}

// An experiment gives no verdict: its rule is met if the supposed cause is the right one.
std::string shown_cause(const study::Judgement& j, const claims::FigureFile& file) {
  const auto& claims = file.study.claims;
  const auto of = std::find_if(claims.begin(), claims.end(), [&](const auto& c) { return c.id == j.id; });
  return fmt::format("\n{}: {} ({}){}{}\n", j.id, j.holds() ? "the cause is shown" : "the cause is not shown",
                     j.band.firmness, j.measured.empty() ? "" : ": ", j.measured) +
         fmt::format("  rule      {}\n", of->rule.text);
}

int run_figure(const PaperCommandOptions& o) {
  const std::vector<Claim> all = claims::read_claims(o.papers);
  const bool is_experiment = o.figure.starts_with(claims::kExperiments);
  const auto figures = is_experiment ? claims::read_experiments(o.papers, all) : claims::read_figures(o.papers, all);
  const claims::FigureFile& file = find_figure(figures, o.figure);
  const PaperOptions options = o.studies();
  const PaperPlan plan = plan_paper_study(file, options);
  if (o.list) {
    list_runs(plan.plan, plan.sweep.runs);
    return 0;
  }
  catch_signals();
  if (!o.quiet && options.is_as_written())
    notice("weir paper: {} runs take {} of processor time where nothing is done yet, {} at a time",
           plan.plan.runs.size(), claims::cost_text(file.study.figure.processor_time.seconds()), o.jobs);
  const PaperRun run = run_paper_study(plan, o.quiet);
  const bool one_for_all = !o.policy.empty() && compares_policies(file.study.study);
  Verdicts verdicts(all);
  std::vector<std::string> judged;
  for (const auto& j : run.judgements)
    if (j.complete && !is_experiment && !one_for_all) {
      verdicts.set(j, options.is_as_written());
      judged.push_back(j.id);
    }
  std::filesystem::remove(run.dir + "/verdicts.json");
  if (!judged.empty()) claims::write_text(run.dir + "/verdicts.json", claims::to_json(all, verdicts, judged));
  show("{}\n\n{}\n{}", file.study.study.title, study::to_text(run.measured), printed(file.study));
  if (!file.study.figure.note.empty()) show("\n{}\n", file.study.figure.note);
  if (!o.policy.empty())
    show("\npcc_rl runs the policy {}, not that of the study{}\n", o.policy,
         one_for_all ? "; the study compares policies, so that its claims are not judged with one policy for all" : "");
  if (!o.set.empty() || o.seeds > 0)
    show("\nThe study was changed by {}; its verdicts are of the changed study.\n", o.set.empty() ? "--seeds"
                                                                                    : o.seeds > 0 ? "--set and --seeds"
                                                                                                  : "--set");
  for (const std::string& id : judged) show("\n{}", describe(*claims::find(all, id), verdicts.of(id)));
  if (is_experiment)
    for (const auto& j : run.judgements)
      if (j.complete) show("{}", shown_cause(j, file));
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
  const auto o = std::make_shared<PaperCommandOptions>();
  CLI::App* paper = app.add_subcommand("paper", "What the papers claim, and whether it holds");
  paper->require_subcommand(1);
  const auto add = [&](const char* name, const char* meaning) {
    CLI::App* command = paper->add_subcommand(name, meaning);
    command
        ->add_option("--papers", o->papers,
                     "the folder of claims and their scenarios; without it papers, or the one that was installed")
        ->check(not_empty());
    return command;
  };
  const auto does = [&, o](CLI::App* command, int (*action)(const PaperCommandOptions&)) {
    command->callback([o, action, &status] {
      find_papers(*o);
      status = action(*o);
    });
  };

  CLI::App* listing = add("list", "Claims and figures, and who judges them");
  listing->add_option("PAPER", o->paper, "hpcc, fairness, onramp, rldc or spraying (all)");
  does(listing, list);

  CLI::App* asking = add("why", "Why a claim fails, and the command that shows it again");
  asking->add_option("ID", o->claim, "of the claim, such as C20")->required();
  does(asking, why);

  const auto add_study_options = [&](CLI::App* command) {
    command->add_option("-o,--out", o->out, "studies leave their results here, and go on from there (out/papers)")
        ->check(not_empty());
    command->add_option("-j,--jobs", o->jobs, "runs at once (2)")->check(CLI::Range(1, 4096));
    command
        ->add_option("--memory", o->memory,
                     "memory that all runs may take together, like '8 GB'; without it, 80 % of what is free")
        ->check(not_empty());
    command->add_flag("--fresh", o->fresh, "run again what another scenario or version left there");
    command->add_flag("-q,--quiet", o->quiet, "no progress");
  };
  CLI::App* running = add("run", "Run the study of a figure, and judge its claims");
  running
      ->add_option("FIGURE", o->figure,
                   "as `weir paper list` names it, such as hpcc/fig13; or an experiment, as `weir paper why` names it")
      ->required();
  running
      ->add_option("--policy", o->policy,
                   "a policy's file or name, for every point that runs pcc_rl, instead of what the study says")
      ->check(not_empty());
  running->add_option("--seeds", o->seeds, "this many seeds instead of the study's")->check(CLI::Range(1, 10000));
  running
      ->add_option("--set", o->set,
                   "key=value: any value instead of what the study and its scenarios say, like traffic.0.load=0.3")
      ->allow_extra_args(false);
  running->add_flag("--list", o->list, "only list the runs");
  add_study_options(running);
  does(running, run_figure);

  CLI::App* checking = add("check", "Measure, and judge by the rules; status 3 if what held before does not");
  checking
      ->add_option(
          "--tier", o->tier,
          "quick: in seconds; long: also those that take minutes; full: and studies; causes: the experiments that "
          "show why claims fail (quick)")
      ->check(not_empty());
  checking->add_option("--only", o->only, "ID,...: these claims, of any tier")->check(not_empty());
  add_study_options(checking);
  checking->add_flag("--json", o->json, "print the verdicts as JSON");
  checking->add_flag("--update", o->update, "accept what is measured: papers/verdicts.json and the tables of docs");
  does(checking, check_claims);
}

}  // namespace weir::app
