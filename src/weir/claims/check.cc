#include "weir/claims/check.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir::claims {
namespace {

// What it judged is what it says it judges.
void check_ids(const Evaluator& evaluator, const std::vector<Judgement>& judgements) {
  std::vector<std::string> said = evaluator.ids;
  std::vector<std::string> judged;
  for (const Judgement& j : judgements) judged.push_back(j.id);
  std::sort(said.begin(), said.end());
  std::sort(judged.begin(), judged.end());
  require(said == judged, fmt::format("it judged {}, not {}", fmt::join(judged, ", "), fmt::join(said, ", ")));
}

// The dearest first, so that the last ones to end are cheap.
std::vector<std::size_t> by_cost(const std::vector<const Evaluator*>& chosen) {
  std::vector<std::size_t> order(chosen.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return chosen[a]->cost_s > chosen[b]->cost_s; });
  return order;
}

}  // namespace

Found run(const Evaluator& evaluator, const std::string& papers) {
  Found out;
  out.evaluator = &evaluator;
  try {
    Context context(papers);
    evaluator.run(context);
    check_ids(evaluator, context.judgements());
    out.judgements = context.judgements();
    out.rows = context.rows();
  } catch (const std::exception& error) {
    out.error = error.what();
  }
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
