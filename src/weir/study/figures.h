// A study's figures as data, drawn by whoever reads figures.json.
#pragma once

#include <string>
#include <vector>

#include "weir/study/table.h"

namespace weir::study {

struct FigureAxis {
  std::string label;
  std::string unit = "1";        // "ps", "B", "bit/s", "1", "%", or any other text
  std::string scale = "linear";  // "log", "category"
  std::vector<std::string> categories;
  struct Name {
    double at = 0;
    std::string text;
  };
  std::vector<Name> named{};  // values of x with ticks that say something else, as "> 10 MB" of an open bucket
};

struct FigureSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;    // NaN = no value
  std::vector<double> low;  // of the 95 % confidence interval over seeds; empty = none
  std::vector<double> high;
  bool printed = false;  // by the authors, not measured
  // Of how many values each y is, if it is a statistic of values of a run; of several runs the fewest. Empty = not
  // told.
  std::vector<double> count;
  std::vector<std::size_t> few;  // places of percentiles that are the largest of so few values, in some run
};

struct Figure {
  std::string id;
  std::string title;
  std::string caption;
  std::string kind;  // "lines", "steps", "bars", "scatter", "stack"
  FigureAxis x;
  FigureAxis y;
  std::string whiskers;           // what `low` and `high` of the series are, and of how many seeds; "" = there are none
  std::vector<std::string> runs;  // names of those that it is of
  bool of_flows = false;          // of finished flows: their times, or what is made of these
  std::string legend;             // what names of series that are numbers are of; "" = they are no numbers
  std::vector<FigureSeries> series;
};

// Of the runs that are there; series without any run are left out.
std::vector<Figure> make_figures(const Table& table, const std::string& dir);
// The text of figures.json; `title` is the study's.
std::string to_json(const std::string& title, const std::vector<Figure>& figures);

}  // namespace weir::study
