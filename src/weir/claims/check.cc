#include "weir/claims/check.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/scenario/perturbation.h"

namespace weir::claims {
namespace {

// What it judged is what it says it judges.
void check_ids(const Evaluator& evaluator, const std::vector<Reading>& readings) {
  std::vector<std::string> said = evaluator.ids;
  std::vector<std::string> judged;
  for (const Reading& r : readings) judged.push_back(r.id);
  std::sort(said.begin(), said.end());
  std::sort(judged.begin(), judged.end());
  require(said == judged, fmt::format("it judged {}, not {}", fmt::join(judged, ", "), fmt::join(said, ", ")));
}

study::Finding found_once(const Evaluator& evaluator, const Reading& r, bool holds) {
  std::string firmness = r.firmness;
  if (firmness.empty()) firmness = evaluator.evidence == Evidence::exact ? kComputed : kNotMeasured;
  return {holds ? study::Answer::holds : study::Answer::fails, std::move(firmness)};
}

Judgement judge_once(const Evaluator& evaluator, const Reading& r) {
  Judgement out{.id = r.id, .band = found_once(evaluator, r, r.met.band), .measured = r.measured};
  if (r.met.literal) out.literal = found_once(evaluator, r, *r.met.literal);
  return out;
}

Judgement judge_seeds(const Reading& r) {
  require(!r.over_seeds.band.empty(), r.id + " is judged without its seeds");
  Judgement out{.id = r.id, .band = study::judge_over_seeds(r.over_seeds.band), .measured = r.measured};
  if (!r.over_seeds.literal.empty()) out.literal = study::judge_over_seeds(r.over_seeds.literal);
  return out;
}

// What a perturbed run has found; nothing where the run broke off.
struct PerturbedRun {
  std::uint32_t number = 0;
  std::vector<Reading> readings;
  std::string error;

  const Reading* of(const std::string& id) const {
    const auto r = std::find_if(readings.begin(), readings.end(), [&](const Reading& one) { return one.id == id; });
    return error.empty() && r != readings.end() ? &*r : nullptr;
  }
};

// Whether the perturbation changes any of these scenarios, which the plain run has opened, and leaves it valid.
bool changes_any(const std::vector<Opened>& opened, std::uint32_t number) {
  return std::any_of(opened.begin(), opened.end(), [&](const Opened& plain) {
    try {
      return load_claim_scenario({plain.path, number}, plain.overrides).perturbed;
    } catch (const InputError&) {
      return false;
    }
  });
}

// Those by which something changes.
std::vector<PerturbedRun> perturbed_runs(const Evaluator& evaluator, const std::string& papers, World world,
                                         const std::vector<Opened>& opened) {
  std::vector<PerturbedRun> out;
  for (std::uint32_t number = 1; number <= scenario::kPerturbations; ++number) {
    if (!changes_any(opened, number)) continue;
    Context context(papers, number, world);
    PerturbedRun run{.number = number, .readings = {}, .error = {}};
    try {
      evaluator.run(context);
    } catch (const std::exception& error) {
      run.error = error.what();
    }
    run.readings = context.readings();
    out.push_back(std::move(run));
  }
  return out;
}

// A run that breaks off is none in which the rule is true.
template <class IsTrue>
study::Finding judge_perturbed(const std::string& id, const std::vector<PerturbedRun>& runs, IsTrue&& is_true) {
  std::vector<study::Perturbed> all;
  std::string errors;
  for (const PerturbedRun& run : runs) {
    const Reading* r = run.of(id);
    all.push_back({run.number, r != nullptr && is_true(r->met)});
    if (r == nullptr) errors += fmt::format("; {}: {}", run.number, run.error);
  }
  study::Finding out = study::judge_perturbed(all);
  out.firmness += errors;
  return out;
}

Judgement judge_perturbed(const Reading& r, const std::vector<PerturbedRun>& runs) {
  Judgement out{
      .id = r.id, .band = judge_perturbed(r.id, runs, [](const Met& met) { return met.band; }), .measured = r.measured};
  if (r.met.literal) out.literal = judge_perturbed(r.id, runs, [](const Met& met) { return met.literal.value(); });
  return out;
}

// The dearest first, so that the last ones to end are cheap.
std::vector<std::size_t> by_cost(const std::vector<const Evaluator*>& chosen) {
  std::vector<std::size_t> order(chosen.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return chosen[a]->whole_cost_s() > chosen[b]->whole_cost_s(); });
  return order;
}

// An evaluator without perturbations, in one of the two worlds.
Found run_once(const Evaluator& evaluator, const std::string& papers, World world) {
  Found out;
  out.evaluator = &evaluator;
  try {
    Context context(papers, 0, world);
    evaluator.run(context);
    check_ids(evaluator, context.readings());
    out.readings = context.readings();
    out.rows = context.rows();
    out.opened = context.opened();
  } catch (const std::exception& error) {
    out.error = error.what();
  }
  return out;
}

// Run in one of the two worlds, and judged by what that evaluator's verdicts stand on.
Found run_in(const Evaluator& evaluator, const std::string& papers, World world) {
  Found out = run_once(evaluator, papers, world);
  if (!out.error.empty()) return out;
  const auto runs = evaluator.evidence == Evidence::perturbed ? perturbed_runs(evaluator, papers, world, out.opened)
                                                              : std::vector<PerturbedRun>();
  for (const Reading& r : out.readings)
    out.judgements.push_back(evaluator.evidence == Evidence::perturbed ? judge_perturbed(r, runs)
                             : evaluator.evidence == Evidence::seeds   ? judge_seeds(r)
                                                                       : judge_once(evaluator, r));
  return out;
}

}  // namespace

Found run_plainly(const Evaluator& evaluator, const std::string& papers) {
  return run_once(evaluator, papers, World::first);
}

Found run(const Evaluator& evaluator, const std::string& papers) {
  Found out = run_in(evaluator, papers, World::first);
  if (!evaluator.in_both_worlds || !out.error.empty()) return out;
  const Found second = run_in(evaluator, papers, World::second);
  out.error = second.error;
  for (std::size_t i = 0; i < second.judgements.size(); ++i)
    out.judgements.at(i).second = study::OtherReading{second.judgements[i].band, second.judgements[i].measured};
  return out;
}

std::vector<Found> run_all(const std::vector<const Evaluator*>& chosen, const std::string& papers, unsigned jobs,
                           const Done& done) {
  std::vector<Found> out(chosen.size());
  const std::vector<std::size_t> order = by_cost(chosen);
  std::atomic<std::size_t> next = 0;
  std::size_t ended = 0;
  std::mutex one;
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      Found found = run(*chosen[order[i]], papers);
      const std::lock_guard lock(one);
      ++ended;
      if (done) done(found, ended);
      out[order[i]] = std::move(found);
    }
  };
  std::vector<std::jthread> others;
  for (unsigned j = 1; j < jobs; ++j) others.emplace_back(work);
  work();
  others.clear();
  return out;
}

}  // namespace weir::claims
