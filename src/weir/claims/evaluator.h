// An evaluator runs what one or several claims need and judges them by their rules (papers/claims.toml).
//
//   void a16_a_lone_flow_keeps_line_rate(Context& context) {
//     Watch watch(context.scenario("lone-flow.toml"), "2->1");
//     ...
//     context.judge("A16", least >= 0.93, fmt::format("{:.1f} % of line", 100 * least));
//   }
//
// One that simulates what is deterministic is run again with each perturbation (run.perturbation), and names hosts and
// ports as the scenario's file does.
// catalogue.cc lists them all. They know nothing of each other, so that any may run at once.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/units.h"
#include "weir/claims/claim_scenario.h"
#include "weir/study/firmness.h"
#include "weir/study/judgement.h"

namespace weir::claims {

using study::Compared;
using study::Judgement;

// What else was measured on the way: the last cells of a row of a table that a document has (document.h).
struct Row {
  std::string document;
  std::string table;
  std::string key;
  std::vector<std::string> cells;
};

// Something that has to be so for any verdict to mean anything is not: an error, neither "holds" nor "fails".
class Unfounded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
inline void require(bool condition, const std::string& otherwise) {
  if (!condition) throw Unfounded(otherwise);
}

// Whether a claim's rule is met in one run of its evaluator.
struct Met {
  bool band = false;
  std::optional<bool> literal{};  // by the paper's words taken literally; nothing: the rule is these

  Met(bool holds) : band(holds) {}  // NOLINT(google-explicit-constructor): most claims have one rule
  Met(bool holds, bool by_words) : band(holds), literal(by_words) {}
};

// The same of an evaluator that runs several seeds: the comparisons that its rule joins (study/firmness.h).
struct OverSeeds {
  std::vector<Compared> band;
  std::vector<Compared> literal{};  // none: the rule is the paper's words
};

// Which of the two worlds of a paper is meant (Paper::worlds).
enum class World : std::uint8_t { first, second };

// What one run of an evaluator has found of a claim.
struct Reading {
  std::string id;
  std::string measured;
  Met met;
  OverSeeds over_seeds{};
  std::string firmness{};  // of a rule that counts seeds itself: "5 of 5 seeds"; of one run alone
};

// What an evaluator is given, and where it leaves what it finds.
class Context {
 public:
  // All scenarios are opened with run.perturbation = `perturbation`.
  explicit Context(std::string papers, std::uint32_t perturbation = 0, World world = World::first)
      : papers_(std::move(papers)), perturbation_(perturbation), world_(world) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // A file in papers/scenarios; one of the scenarios that come with Weir.
  ClaimFile scenario(std::string_view name) const { return file("/scenarios/", name); }
  ClaimFile example(std::string_view name) const { return file("/../scenarios/", name); }

  void judge(std::string id, Met met, std::string measured) {
    readings_.push_back({std::move(id), std::move(measured), met});
  }
  void judge(std::string id, OverSeeds over_seeds, std::string measured) {
    readings_.push_back({std::move(id), std::move(measured), false, std::move(over_seeds)});
  }
  void judge(std::string id, Met met, std::string firmness, std::string measured) {
    readings_.push_back({std::move(id), std::move(measured), met, {}, std::move(firmness)});
  }
  void row(Row row) { rows_.push_back(std::move(row)); }
  // Rows are of the plain run: others may leave out what only rows need.
  bool wants_rows() const { return perturbation_ == 0 && world_ == World::first; }
  World world() const { return world_; }
  std::uint32_t perturbation() const { return perturbation_; }

  const std::vector<Reading>& readings() const { return readings_; }
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Opened>& opened() const { return opened_; }

 private:
  ClaimFile file(std::string_view folder, std::string_view name) const {
    return {papers_ + std::string(folder) + std::string(name), perturbation_, &opened_};
  }

  std::string papers_;
  std::uint32_t perturbation_ = 0;
  World world_ = World::first;
  mutable std::vector<Opened> opened_;
  std::vector<Reading> readings_;
  std::vector<Row> rows_;
};

// How firmly a verdict stands, where that is no figure: it is computed, with nothing left to chance; or nobody has
// looked yet.
inline constexpr std::string_view kComputed = "computed";
inline constexpr std::string_view kNotMeasured = "not yet measured";

enum class Tier : std::uint8_t { quick, slow };

// How firmly what it finds stands.
enum class Evidence : std::uint8_t {
  perturbed,  // simulated and deterministic: run plainly, and once with each run.perturbation
  seeds,      // simulated and random: it runs several seeds itself, and judges by OverSeeds
  exact,      // computed: a formula, or equations solved
  once        // run once; how firmly is told by the reading, or not measured
};

struct Evaluator {
  std::vector<std::string> ids;  // exactly those it judges
  Tier tier = Tier::quick;
  double cost_s = 0;  // of one core, about, of one run
  void (*run)(Context&) = nullptr;
  Evidence evidence = Evidence::perturbed;
  bool in_both_worlds = false;  // run in each, and it heeds Context::world()

  // With the runs that are perturbed, and both worlds.
  double whole_cost_s() const {
    return (evidence == Evidence::perturbed ? 10 * cost_s : cost_s) * (in_both_worlds ? 2 : 1);
  }
};

// As the texts have them; never = infinite.
inline double us(Time t) {
  return t == Time::max() ? std::numeric_limits<double>::infinity() : static_cast<double>(t.ps) * 1e-6;
}
template <class T>
double kb(T bytes) {
  return static_cast<double>(bytes) * 1e-3;
}

}  // namespace weir::claims
