// A figure as data: the one form in which it travels from a study or a result to the page and to paper.
//
// Units are "ps", "B", "bit/s", "1", "%" or any other text; the drawing scales the first three.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace weir::report {

using Json = nlohmann::ordered_json;

inline constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();  // where there is no value

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
  std::vector<double> y;     // kNothing = no value
  std::vector<double> low;   // whiskers: empty, or one for each point
  std::vector<double> high;  // the same
  bool printed = false;      // the authors' printed values
  // Of how many values each y is, if it is a statistic; of several runs the fewest. Empty, or one for each point, where
  // kNothing = not known.
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

// Keeps the first and last point of a series, and of each of `points` / 2 bins of equally many points the lowest and
// the highest; in a series with gaps, of each of `points` / 3 bins one point without a value as well. False if it has
// no more than `points` as it is.
bool thin(Series& series, std::size_t points);
// The same for all series of lines, steps or dots; stacks become means of neighbouring points, so that their sums are
// kept. The caption says so. Bars stay as they are.
void thin(Figure& figure, std::size_t points);

// Numbers with 9 significant digits.
Json to_json(const Figure& figure);

// A file figures.json.
struct FigureFile {
  std::string title;  // of all of them; may be empty
  std::vector<Figure> figures;
};
// Throws InputError that names `file` and the key.
FigureFile parse_figures(const std::string& text, const std::string& file);

}  // namespace weir::report
