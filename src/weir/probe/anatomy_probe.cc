#include "weir/probe/anatomy_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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

std::string AnatomyProbe::in_words(const Section& section) {
  constexpr double kLeast = 0.01;  // of the time, for a part that is told by itself
  const auto& figures = section.figures;
  const auto flows = std::get<std::int64_t>(figures.front().second);
  if (flows == 0) return "anatomy: no flow has finished";
  std::vector<std::pair<double, std::string>> parts;
  double others = 1;
  for (std::size_t i = 0; i < result::kParts; ++i)
    if (const double share = std::get<double>(figures[i + 1].second); share >= kLeast) {
      parts.emplace_back(share, result::part_kinds()[i].label);
      others -= share;
    }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (others > 1e-3) parts.emplace_back(others, "other");
  std::string out = fmt::format("anatomy: of the time that {} flow{} took, ", flows, flows == 1 ? "" : "s");
  for (const auto& [share, label] : parts)
    out += fmt::format("{}{:.1f} % {}", &share == &parts.front().first ? "" : ", ", 100 * share, label);
  return out;
}

void AnatomyProbe::check(const Params& params, const Checks& checks) {
  checks.of_key("flows", [&] { parse_ids(params.flows); });
}

void AnatomyProbe::add_possible(const Params&, const Setting&, Summary& summary) {
  summary.sections.push_back(section_of(0, {}));
}

AnatomyProbe::AnatomyProbe(const Params& params, const Context& context)
    : engine_(context.engine), chosen_(parse_ids(params.flows)), walk_(model_of(context.engine)) {
  if (context.out != nullptr) file_.emplace(context.out->table("anatomy.csv"));
  engine_.trace(
      {.ports = {},
       .from = {},
       .kinds = anatomy::Walk::kKinds,
       .arrivals_at_switches = false,
       .passes_over_others = true},
      [this](net::TraceEvents events) { walk_.add(events); }, net::Telling::beside);
}

void AnatomyProbe::add(const host::FlowRecord& r) {
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
