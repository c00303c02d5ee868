// What a study of papers/ says beyond a study: which figure of which paper it repeats, and which claims it judges.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/study/judgement.h"
#include "weir/study/rule.h"

namespace weir::study {

// [paper]
struct PaperFigure {
  Where where;
  std::string paper;   // "hpcc", "fairness", "onramp", "spraying"
  std::string figure;  // as the paper numbers it: "11a, 11b"
  std::string title;
  std::string place;  // section
  std::string tier = "full";
  std::string note;                 // what differs from the paper
  Time processor_time{};            // of all its runs, as it was measured once; 0 = seconds
  bool counterpart = false;         // the paper measured on real hosts; this is a simulation in their place
  std::string worlds;               // an axis of two points, by each of which its claims are judged; "" = none
  std::vector<std::string> claims;  // that the figure shows and code judges

  static void describe(ParamList<PaperFigure>& p);
};

// [[claim]]
struct PaperClaim {
  Where where;
  std::string id;
  Rule rule;
  std::optional<Rule> literal;  // the paper's words taken literally, where the rule is another one
  std::vector<Rule> show;       // expressions whose values are told beside the verdict
  std::string note;             // how the rule was read
};

struct PaperStudy {
  Study study;
  PaperFigure figure;
  std::vector<PaperClaim> claims;
};

// Throws InputError that names file, line and key. Rules are looked at by check().
PaperStudy parse_paper_study(std::string_view text, const std::string& file);
PaperStudy read_paper_study(const std::string& file);
// Any study; what makes one of a paper may be missing, but is checked if it is there.
Study read_study(const std::string& file);

// Throws InputError for rules that name what the study has not.
void check(const PaperClaim& claim, const Measurements& measured);
Judgement judge(const PaperClaim& claim, const Measurements& measured);

// What rules are about: all of it; or, with PaperFigure::worlds, what each of the two has, as if there were no such
// axis.
std::vector<Measurements> worlds_of(const PaperStudy& paper, const Measurements& measured);
void check_claims(const PaperStudy& paper, const Measurements& measured);
// Of its claims, in order. The first world counts, and the judgement in the second one stands beside.
std::vector<Judgement> judge_claims(const PaperStudy& paper, const Measurements& measured);

}  // namespace weir::study
