// The papers' claims as papers/claims.toml lists them, and why some do not hold, as papers/causes.toml says. Both are
// written by hand, and rules before anything is measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/study/paper.h"

namespace weir::claims {

// The folder of experiments, beside those of the papers.
inline constexpr std::string_view kExperiments = "causes";

// Why a claim does not hold, as far as it is known.
struct Cause {
  Where where;
  std::string printed;             // what the paper prints
  std::string found;               // what came out here
  std::string shown;               // what an experiment has changed, and what came out; "" = the cause is unknown
  std::string experiment;          // "causes/hystart": its study; "" = what judges the claim shows it as well
  std::string holds_with;          // what would make it hold
  bool against_paper = false;      // it speaks against the paper's statement, not only against a setting of Weir's
  std::vector<std::string> tried;  // in vain
  bool undecidable = false;        // it is unknown, and cannot be known from what is public

  bool is_shown() const { return !shown.empty(); }
  // "unknown", or why nobody can know it; of one that is not shown.
  std::string_view unknown_text() const;
  // In one sentence or two, for tables.
  std::string text() const;
};

// What counted as reproduced before the rule was restated after measuring: in the paper's words, or because it was
// wrong.
struct Restatement {
  std::string rule;
  std::string verdict;  // by that rule
  std::string words;    // the paper's; "" = it was not for these
  std::string why;      // then

  // "in the paper's words: ..."; "since it was true of zeros"
  std::string reason() const { return words.empty() ? why : "in the paper's words: \"" + words + "\""; }
};

// Why a claim does not count: it is judged by what the paper itself says; by figures of our own; without a part of what
// the paper says.
inline constexpr std::string_view kKinds[] = {"circular", "regression", "partial"};

struct Claim {
  Where where;
  std::string id;
  std::string paper;  // one of kPapers
  std::string place;
  std::string figure;      // "14b"; "" = of none, or of several
  std::string scenario;    // what is run, in words
  std::string expected;    // what the paper says
  std::string rule;        // it counts as reproduced if
  std::string literal;     // ... by the paper's words taken literally; "" = the rule is these
  std::string first_rule;  // the rule's first wording, where a sharper one has replaced it
  std::string cost;        // T (arithmetic), S, M, H (seconds to hours), R (real hosts), or - for what nobody can check
  bool weak = false;       // the rule was written with figures of an earlier model in hand
  std::string kind;        // one of kKinds, where it is no evidence for the paper's statement; "" = it is
  std::string not_run;     // why it cannot be judged; "" = it can
  bool counts() const { return kind.empty(); }  // among the claims of its paper
  std::optional<Restatement> restated;
  std::optional<Cause> cause;  // of a claim that does not hold, or did not by its former rule
};

// What a paper leaves open where its claims depend on it: they are judged by the first of two readings, which counts,
// and by the second one beside it.
struct Worlds {
  std::string_view key;  // of what the second one gives, in verdicts.json
  std::string_view first;
  std::string_view second;
  std::string_view with;  // the second one in a sentence: "with acknowledgements ahead"
};
struct Paper {
  std::string_view name;
  std::string_view title;
  std::string_view page;  // in docs/claims; "" = none yet
  Worlds worlds = {};     // without a key: there is one world
};
inline constexpr Paper kPapers[] = {
    {"hpcc",
     "HPCC: High Precision Congestion Control (SIGCOMM 2019)",
     "hpcc.md",
     // servers of the testbed and of the pod have two ports, and the paper does not say by which its flows go
     {"both_ports", "one port", "both ports", "with both ports of servers"}},
    {"fairness", "Fast Convergence to Fairness", "fairness.md"},
    {"onramp", "On-Ramp (NSDI 2021)", "on-ramp.md"},
    {"rldc",
     "Reinforcement Learning for Datacenter Congestion Control",
     "rl.md",
     // what the paper leaves out is our choice, or the authors' public simulator's
     {"public", "our setting", "public setting", "in the public simulator's setting"}},
    {"spraying",
     "Congestion Control for Spraying with Congested Paths (2025)",
     "spraying.md",
     // "Standard droptail FIFO" leaves open whether acknowledgements queue among data or go ahead of it, as in both
     // public simulators
     {"acks_first", "among data", "ahead of data", "with acknowledgements ahead"}},
};

// claims.toml of the folder, in its order, with what causes.toml says, if it is there. Throws InputError that names
// file, line and key.
std::vector<Claim> read_claims(const std::string& papers);

const Paper& paper_of(const Claim& claim);

// Null: there is none.
const Claim* find(const std::vector<Claim>& claims, std::string_view id);

// A file of a paper's figure, papers/PAPER/NAME.toml, or of an experiment, papers/causes/NAME.toml.
struct FigureFile {
  std::string file;
  std::string name;  // "hpcc/fig11ab"
  study::PaperStudy study;

  bool judges(std::string_view id) const;
};
// Those of the folder papers, in order of their names. Throws InputError for one that names no known claim.
std::vector<FigureFile> read_figures(const std::string& papers, const std::vector<Claim>& claims);
// The experiments that show causes, in order of their names. Their rules give no verdicts: one is met if the supposed
// cause is the right one. Throws InputError for one that shows no cause of a claim that it names, and for a cause
// without its experiment.
std::vector<FigureFile> read_experiments(const std::string& papers, const std::vector<Claim>& claims);

}  // namespace weir::claims
