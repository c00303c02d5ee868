// Figures of trainings and of policies.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "weir/base/params.h"
#include "weir/figure/thin.h"
#include "weir/policy/decider.h"
#include "weir/report/training.h"
#include "weir/result/no_value.h"

namespace weir::report {
namespace {

// Columns of progress.csv that people know by other names; any other is drawn by its own.
struct KnownColumn {
  std::string_view name;
  std::string_view title;
  std::string_view label;
  std::string_view unit;
};
constexpr std::array<KnownColumn, 6> kKnown{{
    {"return", "Return", "mean return of a decision", "1"},
    {"fairness", "Fairness", "least rate of a flow / largest", "1"},
    {"queue_us", "Mean queue", "mean queue", "us"},
    {"utilisation", "Utilisation", "utilisation", "1"},
    {"loss", "Loss of the learner", "loss of the learner", "1"},
    {"validation_score", "Validation", "score of the validation", "1"},
}};
constexpr std::array<std::string_view, 2> kNotDrawn{"decisions", "learning_rate"};
constexpr std::string_view kScore = "validation_score";
// As many have markers; more are joined.
constexpr std::size_t kMostMarked = 60;

KnownColumn words_of(const std::string& column) {
  for (const KnownColumn& known : kKnown)
    if (known.name == column) return known;
  return {column, column, column, "1"};
}

const ProgressColumn* column_of(const Training& training, std::string_view name) {
  for (const ProgressColumn& column : training.columns)
    if (column.name == name) return &column;
  return nullptr;
}

// The places of the updates that were validated.
std::vector<std::size_t> validated(const Training& training) {
  std::vector<std::size_t> out;
  if (const ProgressColumn* score = column_of(training, kScore))
    for (std::size_t i = 0; i < score->values.size(); ++i)
      if (!std::isnan(score->values[i])) out.push_back(i);
  return out;
}

// The place of the update whose policy was chosen; as many as there are updates if it is not known.
std::size_t chosen(const Training& training) {
  if (!training.policy || !training.policy->provenance.contains("update")) return training.updates.size();
  const double update = std::strtod(training.policy->provenance.at("update").c_str(), nullptr);
  return static_cast<std::size_t>(std::find(training.updates.begin(), training.updates.end(), update) -
                                  training.updates.begin());
}

// The values of a column at some places. Those of `apart` have no line between them.
Series at_places(std::string name, const Training& training, const ProgressColumn& column,
                 const std::vector<std::size_t>& places, bool apart) {
  Series out{.name = std::move(name)};
  for (const std::size_t i : places) {
    if (apart && !out.x.empty()) {
      out.x.push_back(training.updates[i]);
      out.y.push_back(result::kNoValue);
    }
    out.x.push_back(training.updates[i]);
    out.y.push_back(column.values[i]);
  }
  return out;
}

void add_curve(std::span<const Training> trainings, const std::string& column, std::vector<Figure>& to) {
  const KnownColumn words = words_of(column);
  Figure figure{.id = "training-" + column, .title = std::string(words.title)};
  figure.x = {"update", "1", "linear", {}};
  figure.y = {std::string(words.label), std::string(words.unit), "linear", {}};
  const bool of_validation = column == kScore;
  for (const Training& training : trainings) {
    const ProgressColumn* found = column_of(training, column);
    if (found == nullptr) continue;
    std::vector<std::size_t> all(training.updates.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const auto marked = validated(training);
    figure.series.push_back(at_places(trainings.size() > 1 ? training.name
                                      : of_validation      ? "validated"
                                                           : "each update",
                                      training, *found, of_validation ? marked : all, false));
    if (trainings.size() > 1) continue;
    if (!of_validation && !marked.empty())
      figure.series.push_back(at_places("validated", training, *found, marked, marked.size() <= kMostMarked));
    if (const std::size_t best = chosen(training); best < training.updates.size())
      figure.series.push_back(at_places("chosen", training, *found, {best}, false));
  }
  if (!has_values(figure)) return;
  for (Series& series : figure.series) thin(series, kMaxPoints);
  to.push_back(std::move(figure));
}

// Cells of a surface: rates from 1e-4 to 1 in steps of this factor, and inflations from 1 to 16.
constexpr double kEighthOfADecade = 1.3335214321633240;
constexpr double kSixthOfAnOctave = 1.1224620483093730;
constexpr std::size_t kRates = 33;
constexpr int kInflations = 25;
constexpr Time kPacket{83'840};  // 1,048 B at 100 Gb/s
// What is remembered of earlier decisions settles.
constexpr int kDecisions = 32;

void add_surface(const Training& training, bool alone, std::vector<Figure>& to) {
  const policy::Decider decider(*training.policy);
  const policy::Signal& signal = training.policy->signal;
  const Time base = signal.base_rtt.ps > 0 ? signal.base_rtt : policy::Signal{}.base_rtt;
  Figure figure{.id = alone ? "policy" : "policy-" + training.name, .title = "Factor that the policy gives"};
  if (!alone) figure.title += ": " + training.name;
  figure.kind = "surface";
  figure.x = {"rate, as a share of the line's", "1", "log", {}};
  figure.y = {"RTT inflation", "1", "log", {}};
  figure.z = {.label = "factor", .scale = "log", .centre = 1.0};
  Series cells{.name = "factor"};
  Series law{.name = "signal 0"};
  alignas(8) std::array<std::byte, policy::Decider::kMaxMemory> memory{};
  std::vector<double> rates{1};
  while (rates.size() < kRates) rates.push_back(rates.back() / kEighthOfADecade);
  std::reverse(rates.begin(), rates.end());
  for (const double rate : rates) {
    double inflation = 1;
    for (int j = 0; j < kInflations; ++j) {
      const Time rtt{std::llround(inflation * static_cast<double>(base.ps))};
      const policy::Observation seen{.rtt = rtt, .base_rtt = base, .rate = rate, .sent = 1, .packet = kPacket};
      double factor = 1;
      decider.start(memory.data());
      for (int n = 0; n < kDecisions; ++n) factor = decider.decide(seen, memory.data());
      cells.x.push_back(rate);
      cells.y.push_back(inflation);
      cells.z.push_back(factor);
      inflation *= kSixthOfAnOctave;
    }
    law.x.push_back(rate);
    law.y.push_back(1 + policy::queue_at(signal, rate, base, kPacket) / base.seconds());
  }
  figure.series = {std::move(cells), std::move(law)};
  figure.caption = fmt::format(
      "The factor by which the rate changes after {} decisions at the same rate and round-trip time, without marks and "
      "losses. RTT inflation is over {}. The broken line is where the signal is 0.",
      kDecisions, format_value(base));
  to.push_back(std::move(figure));
}

}  // namespace

std::vector<Figure> training_figures(std::span<const Training> trainings) {
  std::vector<Figure> out;
  std::vector<std::string> columns;
  const auto add = [&](const std::string& name) {
    if (std::find(kNotDrawn.begin(), kNotDrawn.end(), name) == kNotDrawn.end() &&
        std::find(columns.begin(), columns.end(), name) == columns.end())
      columns.push_back(name);
  };
  std::vector<Training> learned;  // a policy alone has no curves
  for (const Training& training : trainings)
    if (!training.updates.empty()) learned.push_back(training);
  const auto has = [&](std::string_view name) {
    return std::any_of(learned.begin(), learned.end(),
                       [&](const Training& t) { return column_of(t, name) != nullptr; });
  };
  for (const KnownColumn& known : kKnown)
    if (has(known.name)) add(std::string(known.name));
  for (const Training& training : learned)
    for (const ProgressColumn& column : training.columns) add(column.name);
  for (const std::string& column : columns) add_curve(learned, column, out);
  for (const Training& training : trainings)
    if (training.policy) add_surface(training, trainings.size() == 1, out);
  for (Figure& figure : out) figure.group = "Training";
  return out;
}

}  // namespace weir::report
