#include "weir/study/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "weir/base/suggestion.h"
#include "weir/probe/catalogue.h"
#include "weir/probe/flow_probe.h"
#include "weir/probe/manifest.h"
#include "weir/probe/port_choice.h"
#include "weir/probe/queue_probe.h"
#include "weir/probe/summary_keys.h"
#include "weir/scenario/unused.h"
#include "weir/scenario/warnings.h"
#include "weir/study/nccl_table.h"

namespace weir::study {
namespace {

using Json = nlohmann::ordered_json;
using scenario::ExpectedFlow;
using scenario::key_error;

// Measures and figures of queues name tiers whose ports the probe looks at.
void check_tier(const Plan& plan, const Where& where, const std::string& tier, const net::Topology& topology,
                const scenario::Scenario& s, const Point& point) {
  if (tier == "all") return;
  const std::string& ports = s.probes.get<probe::QueuesParams>()->ports;
  const auto valid = probe::Tiers(topology, probe::choose_ports(topology, ports)).selectable();
  if (std::find(valid.begin(), valid.end(), tier) != valid.end()) return;
  throw scenario::key_error(
      where, "tier",
      fmt::format("no tier '{}'{}{}; valid is all, {}", tier, did_you_mean(tier, valid),
                  plan.study.axes.empty() ? "" : " at point " + plan.study.describe(point), fmt::join(valid, ", ")));
}

void check_tiers(const Plan& plan, const net::Topology& topology, const scenario::Scenario& s, const Point& point) {
  for (const Measure& m : plan.study.measures)
    if (m.file() == "queue_cdf.csv") check_tier(plan, m.where, m.params.tier, topology, s, point);
  for (const FigureSpec& f : plan.study.figures)
    if (f.file() == "queue_cdf.csv") check_tier(plan, f.where, f.params.tier, topology, s, point);
}

void check_files(const Plan& plan, const scenario::Scenario& s, const Point& point) {
  const auto check = [&](const Where& where, const std::string& what, const std::string& file) {
    if (const auto advice = missing_probe(s, file); !advice.empty())
      throw InputError(where,
                       fmt::format("{} reads {}, which is not written{}; {}", what, file,
                                   plan.study.axes.empty() ? "" : " at point " + plan.study.describe(point), advice));
  };
  for (const Measure& m : plan.study.measures) check(m.where, fmt::format("measure '{}'", m.name()), m.file());
  for (const FigureSpec& f : plan.study.figures) {
    if (!f.file().empty()) check(f.where, fmt::format("figure '{}'", f.params.id), f.file());
    const bool groups = f.kind->name == "slowdown-by-size" && f.params.buckets == "equal-count";
    if (groups && s.probes.get<probe::FlowsParams>()->equal_count_buckets == 0)
      throw InputError(f.where,
                       fmt::format("figure '{}' draws groups of equal counts; set \"probes.flows.equal_count_buckets\"",
                                   f.params.id));
  }
}

// A filter of flows in a measure or a figure, and whether some flow of the study passes it.
class FlowSelection {
 public:
  FlowSelection(const Where& where, const FlowFilter& filter) : where_(where), filter_(filter) {}

  bool open() const { return !met_; }

  void look(const ExpectedFlow& flow) {
    if (met_) return;
    const FlowRow row{flow.tag,
                      flow.profile,
                      flow.src,
                      flow.dst,
                      flow.start ? static_cast<double>(flow.start->ps) : kNoValue,
                      static_cast<double>(flow.size.count),
                      0};
    met_ = true;
    for (std::size_t i = 0; i < kConditions; ++i) {
      const bool passes = filter_.passes(static_cast<FlowFilter::Condition>(i), row);
      passed_[i] = passed_[i] || passes;
      met_ = met_ && passes;
    }
    tags_.insert(std::string(flow.tag));
    algorithms_.insert(std::string(flow.profile));
    sources_.add(static_cast<double>(row.src));
    destinations_.add(static_cast<double>(row.dst));
    sizes_.add(row.size);
    if (flow.start) starts_.add(row.start);
  }

  // No flow has passed. Tells the condition that none passes, or that none passes all of them.
  InputError error() const {
    using Condition = FlowFilter::Condition;
    const auto names = [&](const char* key, const char* what, const std::string& name, const auto& known) {
      const std::vector<std::string> valid(known.begin(), known.end());
      return key_error(where_, key,
                       fmt::format("no traffic has the {} '{}'{}; valid is {}", what, name, did_you_mean(name, valid),
                                   fmt::join(valid, ", ")));
    };
    const auto failed = [&](Condition c) { return !passed_[static_cast<std::size_t>(c)]; };
    if (failed(Condition::tag)) return names("tag", "tag", filter_.tag, tags_);
    if (failed(Condition::algorithm)) return names("algorithm", "algorithm or profile", filter_.algorithm, algorithms_);
    if (failed(Condition::src))
      return key_error(where_, "src",
                       fmt::format("host {} sends nothing; senders are among hosts {:.0f} to {:.0f}", filter_.src,
                                   sources_.low, sources_.high));
    if (failed(Condition::dst))
      return key_error(where_, "dst",
                       fmt::format("host {} receives nothing; receivers are among hosts {:.0f} to {:.0f}", filter_.dst,
                                   destinations_.low, destinations_.high));
    if (failed(Condition::size))
      return key_error(where_, filter_.up_to == Bytes{} ? "above" : "up_to",
                       fmt::format("no flow has such a size; sizes are {} to {}", text<Bytes>(sizes_.low),
                                   text<Bytes>(sizes_.high)));
    if (failed(Condition::start))
      return key_error(
          where_, filter_.until == Time{} ? "from" : "until",
          fmt::format("no flow starts then; starts are {} to {}", text<Time>(starts_.low), text<Time>(starts_.high)));
    return InputError(where_, "no flow passes all of these filters together; take one away");
  }

 private:
  static constexpr std::size_t kConditions = FlowFilter::kConditions;
  struct Range {
    double low = std::numeric_limits<double>::max();
    double high = 0;
    void add(double v) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
  };
  template <class Quantity>
  static std::string text(double v) {
    return format_value(Quantity{static_cast<std::int64_t>(v)});
  }

  Where where_;
  FlowFilter filter_;
  bool met_ = false;
  std::array<bool, kConditions> passed_{};
  std::set<std::string> tags_;
  std::set<std::string> algorithms_;
  Range sources_;
  Range destinations_;
  Range sizes_;
  Range starts_;
};

Json possible_document(const probe::ProbeParams& probes, const scenario::Run& run) {
  return Json::parse(probe::to_json(probe::possible_summary(probes, *run.model, run.tags(), *run.traffic)));
}

// An advice: a probe that is off, with which summary.json would have the key; "" if there is none.
std::string probe_for(const std::string& key, const scenario::Scenario& s, const scenario::Run& run) {
  for (const auto& kind : probe::probe_kinds()) {
    if (s.probes.get(kind) != nullptr) continue;
    auto probes = s.probes;
    probes.set(kind, kind.params->make());
    if (missing_key(possible_document(probes, run), key).empty()) return turn_on(kind.name);
  }
  return "";
}

// A measure that is a value of a document, and whether the document can have it.
struct KeySelection {
  const Measure* measure;
  bool open = true;
  std::string reason;  // of the first point
};

// What measures and figures take, until something of each has been found.
class Selections {
 public:
  explicit Selections(const Study& study) {
    for (const Measure& m : study.measures) {
      if (m.is_of_flows()) flows_.emplace_back(m.where, m.params.filter);
      if (m.is_of_document()) keys_.push_back({&m, true, ""});
    }
    for (const FigureSpec& f : study.figures)
      if (f.file() == "flows.csv") flows_.emplace_back(f.where, f.params.filter);
  }

  bool open() const {
    return std::any_of(keys_.begin(), keys_.end(), [](const auto& k) { return k.open; }) ||
           std::any_of(flows_.begin(), flows_.end(), [](const auto& f) { return f.open(); });
  }

  void look(const ExpectedFlow& flow) {
    for (FlowSelection& f : flows_) f.look(flow);
  }

  void look(const scenario::Scenario& s, const scenario::Run& run) {
    if (std::none_of(keys_.begin(), keys_.end(), [](const auto& k) { return k.open; })) return;
    const Json summary = possible_document(s.probes, run);
    const Json manifest = Json::parse(probe::to_json(probe::Manifest{}));
    for (KeySelection& k : keys_) {
      if (!k.open) continue;
      const bool of_summary = k.measure->file() == "summary.json";
      const auto missing = missing_key(of_summary ? summary : manifest, k.measure->params.key);
      k.open = !missing.empty();
      if (!k.open || !k.reason.empty()) continue;
      const auto advice = of_summary ? probe_for(k.measure->params.key, s, run) : "";
      k.reason = advice.empty() ? missing : fmt::format("no run has '{}'; {}", k.measure->params.key, advice);
    }
  }

  // Throws InputError if a selection is still open. `all`: every flow of every point has been looked at.
  void check(bool all) const {
    for (const KeySelection& k : keys_)
      if (k.open) throw key_error(k.measure->where, "key", fmt::format("{}: {}", k.measure->file(), k.reason));
    for (const FlowSelection& f : flows_)
      if (all && f.open()) throw f.error();
  }

 private:
  std::vector<FlowSelection> flows_;
  std::vector<KeySelection> keys_;
};

class Checker {
 public:
  Checker(const Plan& plan, bool warn) : plan_(plan), selections_(plan.study), seen_(plan.points.size()), warn_(warn) {}

  std::vector<Estimate> check(const std::vector<std::size_t>& runs) {
    std::vector<Estimate> out(plan_.runs.size());
    for (const std::size_t run : runs) out[run] = look(run);
    warn_ = false;
    for (std::size_t point = 0; point < plan_.points.size() && selections_.open(); ++point)
      if (!seen_[point]) look(point * plan_.seeds);
    selections_.check(all_);
    check_pairs(runs, out);
    return out;
  }
  const std::vector<PointWarnings>& warnings() const { return warnings_; }

 private:
  template <class Work>
  auto blaming(std::size_t point, Work&& work) const {
    try {
      return work();
    } catch (const InputError& error) {
      throw plan_.study.error_at(plan_.points[point], error);
    }
  }

  Estimate look(std::size_t run) {
    const std::size_t point = plan_.runs[run].point;
    const auto s = plan_.scenario(run);
    const auto made = blaming(point, [&] { return scenario::prepare(s); });
    if (!seen_[point]) {
      check_files(plan_, s, plan_.points[point]);
      check_tiers(plan_, made.model->topology, s, plan_.points[point]);
      if (plan_.study.nccl_table) check_nccl_table(plan_, run, s, *made.traffic);
      selections_.look(s, made);
      if (warn_) {
        warnings_.push_back({point, scenario::warnings(s, *made.model), {}});
        scenario::warn_of_unused(s, *made.model, warnings_.back().unused);
      }
      seen_[point] = true;
    }
    std::function<void(const ExpectedFlow&)> each;
    if (selections_.open()) each = [&](const ExpectedFlow& flow) { selections_.look(flow); };
    const auto expected = blaming(point, [&] { return scenario::expect(s, *made.model, kMaxEstimatedFlows, each); });
    all_ = all_ && expected.all;
    return estimate(s, *made.model, expected);
  }

  // Measures of pairs compare runs with the same flows.
  void check_pairs(const std::vector<std::size_t>& runs, std::vector<Estimate>& estimates) {
    for (const Measure& m : plan_.study.measures) {
      if (!m.is_of_pairs()) continue;
      for (const std::size_t run : runs) {
        const std::size_t base = plan_.base_of(run, m);
        if (estimates[base].bytes == 0) estimates[base] = look(base);
        if (estimates[run].traffic != estimates[base].traffic)
          throw key_error(m.where, "against",
                          fmt::format("{} has not the flows of {}; compare points whose traffic is the same",
                                      plan_.describe(run), plan_.describe(base)));
      }
    }
  }

  const Plan& plan_;
  Selections selections_;
  std::vector<bool> seen_;  // by point
  bool all_ = true;
  bool warn_;
  std::vector<PointWarnings> warnings_;
};

}  // namespace

std::vector<Estimate> check_runs(const Plan& plan, const std::vector<std::size_t>& runs,
                                 std::vector<Notice>* warnings) {
  Checker checker(plan, warnings != nullptr);
  auto out = checker.check(runs);
  if (warnings != nullptr) *warnings = notices_of(plan, checker.warnings());
  return out;
}

}  // namespace weir::study
