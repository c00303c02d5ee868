// Numbers of a run, taken from its result directory: [[measure]] of a study.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/study/result_files.h"
#include "weir/study/statistics.h"
#include "weir/toml/reader.h"

namespace weir::study {

struct MeasureParams {
  std::string name;
  std::string of;
  std::string key;
  std::string file;
  std::string column;
  std::string statistic;
  std::string tier = "all";
  FlowFilter filter;
  double share = 0.95;
  double level = 0;
  Time hold{1'000'000'000};
  Time never;
  double scale = 1;
  std::string unit;
  std::string better;

  static void describe(ParamList<MeasureParams>& p);
};

// One value, or one per element of a list; NaN where there is none.
using Values = std::vector<double>;

using Labels = std::vector<std::pair<std::string, std::string>>;  // axis and label; axis "" = whichever has the label

enum class Better { unknown, lower, higher };
// "lower", "higher"; "" = unknown.
std::string_view name_of(Better);

struct Measure;

struct MeasureKind {
  std::string_view name;
  std::string_view meaning;
  std::vector<std::string> required;
  std::vector<std::string> optional;
  std::string (*file)(const MeasureParams&) = nullptr;  // of the result directory
  Values (*values)(const Measure&, const RunFiles&) = nullptr;
  // Instead of `values`: of the run and of another one with the same flows.
  Values (*of_pair)(const Measure&, const RunFiles& run, const RunFiles& base) = nullptr;
};
std::span<const MeasureKind> measure_kinds();

struct Measure {
  Where where;
  MeasureParams params;
  const MeasureKind* kind = nullptr;
  Statistic statistic;
  Labels against;  // of the other run of a pair: those in which its point differs

  bool is_of_document() const;
  // Of those that pass its filter.
  bool is_of_flows() const;
  bool is_of_pairs() const { return kind->of_pair != nullptr; }
  // Whether its mean over seeds is the geometric one: a geometric mean of ratios, as weir compare tells it.
  bool is_geometric() const;
  const std::string& name() const { return params.name; }
  // `*` in its key.
  bool is_list() const;
  std::string file() const { return kind->file(params); }
  // What it says; or that of the column it is taken from, unless it is scaled or counted: "ps", "B", "bit/s", "1".
  std::string unit() const;
  // The range in which its values must lie, as `scale` has them.
  Bounds bounds() const;
  // Which of two values is better: as `better` says, or where it is clear from what is measured.
  Better better() const;
  // In words: "FCT slowdown of web, 95th percentile".
  std::string in_words() const;
  // Two measures with equal ones have equal values.
  std::string definition() const;
  // As `scale` has them.
  Values values(const RunFiles& files) const;
  Values values(const RunFiles& run, const RunFiles& base) const;
  // If it is a percentile: how many values that is of; nothing otherwise.
  std::optional<Measure> counter() const;
  // In thousandths, if it is a percentile.
  std::optional<unsigned> percentile() const;
};

// Why a document of this form has no number under a dotted path, and what would be valid; "" if it has one.
std::string missing_key(const nlohmann::ordered_json& document, const std::string& path);

// A label of an axis, as text or as a number. Throws InputError that names the key.
std::string read_label(const scenario::TableReader& table, const std::string& key, const scenario::Value& value);
// The entries of a table { axis = label }.
Labels read_labels(const scenario::TableReader& table);

// Throws InputError.
Measure read_measure(const scenario::TableReader& table);
// What a figure and a measure have in common: a column that a file has. Throws InputError.
void check_column(const scenario::TableReader& table, std::string_view key, std::string_view file,
                  const std::string& column);
// Sizes and times that exclude each other. Throws InputError.
void check_filter(const scenario::TableReader& table, const FlowFilter& filter);
void check_series_file(const scenario::TableReader& table, const std::string& file);
// The range in which a statistic of values within these bounds must lie.
Bounds bounds_of_statistic(const Statistic& statistic, const Bounds& values);
Statistic read_statistic(const scenario::TableReader& table, const std::string& text);

// Letters, digits and '_', no digit first.
bool is_identifier(std::string_view text);

// The distribution of one tier of queue_cdf.csv.
std::vector<Counted> queue_lengths(const RunFiles& files, const std::string& tier);

}  // namespace weir::study
