// A figure as data: the one form in which it goes from a run or a study to figures.json, the page and paper.
//
// Units are "ps", "B", "bit/s", "1", "%" or any other text. Values are in these units everywhere; who draws scales the
// first three for people (web/src/format.ts).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weir::figure {

struct Axis {
  std::string label;
  std::string unit = "1";
  std::string scale = "linear";         // linear, log or category
  std::vector<std::string> categories;  // of which x holds the indices
  struct Name {
    double at = 0;
    std::string text;
  };
  std::vector<Name> named{};  // values with ticks that say something else, as "> 10 MB" of an open bucket
};

struct Series {
  std::string name;  // unique in a figure
  std::vector<double> x;
  std::vector<double> y;     // result::kNoValue = no value
  std::vector<double> low;   // whiskers: empty, or one for each point
  std::vector<double> high;  // the same
  bool printed = false;      // the authors' printed values, not measured
  // Of how many values each y is, if it is a statistic; of several runs the fewest. Empty, or one for each point, where
  // result::kNoValue = not known.
  std::vector<double> count{};
  // Places of percentiles that are the largest of so few values in some run: a "*" stands at them. Ascending.
  std::vector<std::size_t> few{};
};

struct Figure {
  std::string id;  // unique in a document, and the name of its SVG
  std::string title;
  std::string caption;
  std::string kind = "lines";  // lines, steps, bars, scatter or stack
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::string legend;    // of what the series' names are values, such as "load"; empty = they need no word before them
  std::string group;     // the heading under which it stands; empty = none
  std::string whiskers;  // what `low` and `high` of the series are; empty = it is not known, or there are none
  std::string setting;   // of the experiment: topology, load, ECN, buffer; empty = it is not known
  std::string left_out;  // which flows are not in it, for they had not finished; empty = none
  std::vector<std::string> runs{};  // names of those that it shows; empty = it is not known
  bool of_flows = false;            // of finished flows: their times, or what is made of these
};

// Whether any series has a value.
bool has_values(const Figure& figure);
// Adds the authors' values. Series are told apart by name, and theirs often have the name of one that was measured:
// such a name gets ", printed" behind it, as often as it takes.
void add_printed(Figure& figure, Series series);

}  // namespace weir::figure
