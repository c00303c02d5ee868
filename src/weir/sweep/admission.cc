#include "weir/sweep/admission.h"

#include "weir/run/memory_limit.h"
#include "weir/study/estimate.h"

namespace weir::run {

Admitted admit(const scenario::Scenario& s, std::uint64_t limit, const std::string& what) {
  Admitted out;
  out.model = scenario::build_model(s);
  out.expected = scenario::expect(s, *out.model, study::kMaxEstimatedFlows);
  out.bytes = study::estimate(s, *out.model, out.expected).bytes;
  refuse_beyond(limit, out.bytes, what);
  return out;
}

}  // namespace weir::run
