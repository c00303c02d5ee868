// What a study wants drawn: [[figure]].
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/figure/figure.h"
#include "weir/study/measure.h"
#include "weir/study/result_files.h"
#include "weir/study/statistics.h"
#include "weir/toml/reader.h"

namespace weir::study {

struct FigureParams {
  std::string id;
  std::string title;
  std::string caption;
  std::string kind;
  std::string measure;
  std::string x;
  std::string series;
  std::string statistic;
  std::string buckets = "size";
  std::string of = "flows";
  std::string column;
  std::string x_column;
  std::string file;
  std::string tier = "all";
  std::int64_t seed = -1;
  FlowFilter filter;
  std::string x_label;
  std::string y_label;
  std::string x_scale;
  std::string y_scale;

  static void describe(ParamList<FigureParams>& p);
};

// The authors' values beside ours.
struct Printed {
  Where where;
  std::string series;
  std::vector<std::string> x;  // labels of the axis, or numbers
  std::vector<double> y;       // NaN = none
};

// A measure of a radar, and the values in the middle and at the rim.
struct Spoke {
  std::string measure;
  std::optional<double> worst;
  std::optional<double> best;
};

struct FigureSource;

struct FigureKind {
  std::string_view name;
  std::string_view meaning;
  std::vector<std::string> required;
  std::vector<std::string> optional;
  void (*draw)(const FigureSource&, figure::Figure&) = nullptr;  // fills all but what each figure has
  bool over_axis = false;                                        // a measure over the axis `x`
  bool one_run = false;                                          // of each series the first run alone
  bool spokes = false;                                           // several measures, each over its own scale
};

struct FigureSpec {
  Where where;
  FigureParams params;
  const FigureKind* kind = nullptr;
  Labels only;  // `where`
  std::vector<Spoke> spokes;
  std::vector<Printed> printed;

  // The file of the result directory that it is made from; "" for measures.
  std::string file() const;
  bool of_measures() const { return kind->over_axis || kind->spokes; }
  // Of flows and not of a measure.
  bool of_flows() const;
};

std::vector<std::string> figure_kinds();

// What concerns the figure alone; throws InputError.
FigureSpec read_figure(const scenario::TableReader& table);

}  // namespace weir::study
