#include "weir/probe/anatomy_probe.h"

#include <numeric>
#include <utility>

#include "weir/result/anatomy_parts.h"

namespace weir::probe {
namespace {

// Of all time that flows took, how much went into each part.
Section section_of(std::int64_t flows, const std::array<double, result::kParts>& sums) {
  Section out{.probe = std::string(AnatomyProbe::kName), .figures = {{"flows", flows}}};
  const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
  for (std::size_t i = 0; i < result::kParts; ++i)
    out.figures.emplace_back(result::part_kinds()[i].name + "_share", all > 0 ? sums[i] / all : 0.0);
  return out;
}

}  // namespace

void AnatomyProbe::check(const Params& params, const Checks& checks) {
  checks.of_key("flows", [&] { parse_ids(params.flows); });
}

void AnatomyProbe::add_possible(const Params&, const Setting&, Summary& summary) {
  summary.sections.push_back(section_of(0, {}));
}

AnatomyProbe::AnatomyProbe(const Params& params, const Context& context)
    : chosen_(parse_ids(params.flows)), walk_(context.engine.model()) {
  if (context.out != nullptr) file_.emplace(context.out->table("anatomy.csv"));
  context.engine.trace({.ports = {}, .from = {}, .kinds = anatomy::Walk::kKinds},
                       [this](std::span<const net::TraceEvent> events) { walk_.add(events); });
}

void AnatomyProbe::on_finish(const host::FlowRecord& r) {
  const std::optional<anatomy::Parts> parts = walk_.take(r.id);
  if (!parts) return;
  if (tell_) tell_(r.id, *parts);
  ++flows_;
  for (std::size_t i = 0; i < result::kParts; ++i) sums_[i] += static_cast<double>(parts->all()[i]) * 1e-12;
  if (!file_ || (!chosen_.empty() && !contains(chosen_, r.id))) return;
  file_->print("{},{}", r.id, (r.finish - r.start).ps);
  for (const std::int64_t ps : parts->all()) file_->print(",{}", ps);
  file_->write("\n");
}

void AnatomyProbe::finish(Summary& summary) {
  summary.sections.push_back(section_of(flows_, sums_));
  if (file_) file_->close();
}

}  // namespace weir::probe
