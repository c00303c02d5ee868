// How often and how long ports were paused by priority flow control. Costs nothing while the
// run lasts: the ports count for themselves.
#pragma once

#include "weir/engine/engine.h"
#include "weir/probe/params.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"

namespace weir::probe {

// At the end of a run; also writes pfc.csv.
PfcSummary report_pfc(const PfcParams&, engine::Engine&, ResultDirectory* out);

}  // namespace weir::probe
