// What `weir train` has written: how a policy was learned, and the policy; or a policy file alone.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weir/policy/policy.h"
#include "weir/report/figures.h"

namespace weir::report {

// A column of progress.csv, a value per update; NaN = none.
struct ProgressColumn {
  std::string name;
  std::vector<double> values;
};

struct Training {
  std::string name;
  std::string title = {};       // of the curriculum; may be empty
  std::string curriculum = {};  // text of curriculum.toml; "" for a policy alone
  std::vector<double> updates = {};
  std::vector<ProgressColumn> columns = {};
  bool gives_policy = true;                   // at its end; not all methods do
  std::optional<policy::Policy> policy = {};  // nothing as long as the training goes on
  // Of the policy, in words: its network, its bytes, its target, the update that was chosen, the seed.
  std::vector<std::pair<std::string, std::string>> facts = {};
};

// True if `path` has a curriculum.toml and a progress.csv.
bool is_training(const std::string& path);
// Reads a directory of `weir train`. Throws InputError if a file is missing or broken.
Training read_training(const std::string& path, std::string name);
// Reads a policy file (policy/policy_file.h). Throws InputError.
Training read_policy_alone(const std::string& file, std::string name);

// The learning curves, of one training with what was validated and chosen, of several with a series each; and for each
// policy the factor by which it changes a flow's rate, as a surface over the rate and the RTT inflation.
std::vector<Figure> training_figures(std::span<const Training> trainings);

}  // namespace weir::report
