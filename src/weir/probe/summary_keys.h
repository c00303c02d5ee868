// The keys that a summary can have, known before anything runs.
#pragma once

#include <string>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/probe/params.h"
#include "weir/probe/summary.h"
#include "weir/traffic/traffic.h"

namespace weir::probe {

// A summary with some value at every place where a run of this scenario may have one, so that to_json() of it has every
// key that summary.json can have. The parameters, model and tags have been checked (check()).
Summary possible_summary(const ProbeParams&, const engine::Model&, const std::vector<std::string>& tags,
                         const traffic::Traffic&);

}  // namespace weir::probe
