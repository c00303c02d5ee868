// Who judges a claim: an evaluator (evaluator.h), or the results of a study.
#pragma once

#include <vector>

#include "weir/claims/claim.h"
#include "weir/claims/evaluator.h"

namespace weir::claims {

// Claims that take minutes and hours are named by the [[claim]] tables of a figure's file, papers/PAPER/NAME.toml, and
// judged from the results of the study that this file is. `weir paper check --tier full` asks a Judge for each such
// file; there is none yet.
class Judge {
 public:
  virtual ~Judge() = default;

  // One judgement for each claim of the file whose runs are done; none for the others, which stay "not run". Throws
  // Unfounded if results are there that mean nothing.
  virtual std::vector<Judgement> judge(const FigureFile& file, const std::vector<Claim>& claims) = 0;
};

}  // namespace weir::claims
