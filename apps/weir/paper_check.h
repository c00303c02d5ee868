// weir paper check: measures, and judges by the rules.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "weir/claims/claim.h"
#include "weir/claims/verdict.h"
#include "weir/paper_study.h"
#include "weir/run/memory_limit.h"

namespace weir::app {

struct PaperCommandOptions {
  std::string papers;  // "" = the folder papers here, or the one that was installed with the command
  std::string paper;
  std::string tier = "quick";
  std::string only;
  std::string figure;
  std::string claim;
  std::string out = "out/papers";
  std::string memory;
  std::string policy;
  std::vector<std::string> set;
  unsigned seeds = 0;
  unsigned jobs = 2;
  bool list = false;
  bool fresh = false;
  bool quiet = false;
  bool json = false;
  bool update = false;

  std::string verdicts_file() const { return papers + "/verdicts.json"; }
  PaperOptions studies() const {
    return {.out = out,
            .jobs = static_cast<int>(std::max(1u, jobs)),
            .memory = run::memory_limit(memory),
            .fresh = fresh,
            .quiet = quiet,
            .policy = policy,
            .set = set,
            .seeds = seeds};
  }
  // Documents are named from the folder that papers is in.
  std::string document(const std::string& name) const { return papers + "/../" + name; }
};

// Settles which folder o.papers is. Throws InputError if there is none.
void find_papers(PaperCommandOptions& o);
// The claim of this id. Throws InputError that names the option and the nearest id if there is none.
const claims::Claim& named_claim(std::string_view option, const std::string& id, const std::vector<claims::Claim>& all);
// The verdict by the paper's words, and how firmly: "fails (1 of 9)".
std::string words_text(const claims::Verdict& v);
// A claim with its verdict, in several lines.
std::string describe(const claims::Claim& c, const claims::Verdict& v);

// Returns the exit status: 3 if a claim that held before does not hold now.
int check_claims(const PaperCommandOptions& o);

}  // namespace weir::app
