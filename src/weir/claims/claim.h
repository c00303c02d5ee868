// The papers' claims as papers/claims.toml lists them. It is written by hand, and rules before anything is measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/study/paper.h"

namespace weir::claims {

struct Claim {
  Where where;
  std::string id;
  std::string paper;  // one of kPapers
  std::string place;
  std::string figure;      // "14b"; "" = of none, or of several
  std::string scenario;    // what is run, in words
  std::string expected;    // what the paper says
  std::string rule;        // it counts as reproduced if
  std::string first_rule;  // the rule's first wording, where a sharper one has replaced it
  std::string cost;        // T (arithmetic), S, M, H (seconds to hours), R (real hosts), or - for what nobody can check
  bool weak = false;       // the rule was written with figures of an earlier model in hand
  std::string not_run;     // why it cannot be judged; "" = it can
  std::string reason;      // why it does not hold, where it does not
};

struct Paper {
  std::string_view name;
  std::string_view title;
};
inline constexpr Paper kPapers[] = {
    {"hpcc", "HPCC: High Precision Congestion Control (SIGCOMM 2019)"},
    {"fairness", "Fast Convergence to Fairness"},
    {"onramp", "On-Ramp (NSDI 2021)"},
    {"rl", "Reinforcement learning for datacenter congestion control"},
    {"spraying", "Congestion Control for Spraying with Congested Paths (2025)"},
};

// Throws InputError that names file, line and key. In the order of the file.
std::vector<Claim> read_claims(const std::string& file);

// Null: there is none.
const Claim* find(const std::vector<Claim>& claims, std::string_view id);

// A file of a paper's figure: papers/PAPER/NAME.toml.
struct FigureFile {
  std::string file;
  std::string name;  // "hpcc/fig11ab"
  study::PaperStudy study;

  bool judges(std::string_view id) const;
};
// Those of the folder papers, in order of their names. Throws InputError for one that names no known claim.
std::vector<FigureFile> read_figures(const std::string& papers, const std::vector<Claim>& claims);

}  // namespace weir::claims
