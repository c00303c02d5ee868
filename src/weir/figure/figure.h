// A figure as data: the one form in which it goes from a run or a study to figures.json, the page and paper.
//
// Units are "ps", "B", "bit/s", "1", "%" or any other text. Values are in these units everywhere; who draws scales the
// first three for people (web/src/format.ts).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  // Of the spokes of a radar: the unit of `values` of the series, one for each category; or empty.
  std::vector<std::string> units{};
  std::optional<double> centre{};  // of z: the value from which colours go two ways, such as the factor 1
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
  // Of a surface: the value of the cell whose middle is (x, y), kNoValue = none. The series of a surface that have none
  // are lines over its cells.
  std::vector<double> z{};
  // Of a radar: what was measured, where y is its place between the worst and the best. Empty, or one for each point.
  std::vector<double> values{};
};

struct Figure {
  std::string id;  // unique in a document, and the name of its SVG
  std::string title;
  std::string caption;
  std::string kind = "lines";  // one of kinds()
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
  Axis z{};                         // of a surface: its colours
};

// What becomes of a figure that has too many points (thin.h).
enum class Shorter { extremes, means, never };

// A kind of figure, and what its axes and series have to be.
struct Kind {
  std::string_view name;
  Shorter shorter = Shorter::extremes;
  bool spokes = false;  // x is a category of three at least, and y is in [0, 1], 1 being the best
  bool cells = false;   // there is an axis z, and exactly one series has z; y may be a category
};
std::span<const Kind> kinds();
// nullptr if there is no such kind.
const Kind* find_kind(std::string_view name);

// Whether any series has a value.
bool has_values(const Figure& figure);
// Adds the authors' values. Series are told apart by name, and theirs often have the name of one that was measured:
// such a name gets ", printed" behind it, as often as it takes.
void add_printed(Figure& figure, Series series);

}  // namespace weir::figure
