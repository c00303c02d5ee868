// A report: what directories say, in the one document that the page shows.
#pragma once

#include <string>
#include <vector>

#include "weir/report/figures.h"
#include "weir/report/host_traces.h"
#include "weir/report/run.h"
#include "weir/report/study.h"
#include "weir/report/training.h"

namespace weir::report {

struct Document {
  std::string title;
  std::vector<Run> runs;
  std::vector<Study> studies;
  std::vector<Training> trainings;
  std::vector<HostCapture> captures;
  std::vector<Figure> figures;
  Json claims = Json::array();       // as in verdicts.json
  std::vector<std::string> notices;  // what is not shown, and why
  std::string no_figures;            // why there are no figures; "" if there are some
};

// Each directory is one of `weir run`, `weir sweep`, `weir paper`, `weir train` or `weir-host trace`, or one that holds
// such directories, up to three folders deep; or it is a policy file.  What is named twice, or with a folder that it is
// in, is shown once; of claims with one id the last counts. Throws InputError if one that is named holds nothing; what
// cannot be read of those within becomes a notice.
Document read(const std::vector<std::string>& directories);

Json to_json(const Document& document);

}  // namespace weir::report
