// Which points of a study are meant, by labels of its axes: "load=0.3,algorithm=HPCC".
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace weir::study {

struct AxisLabels {
  std::string name;
  std::vector<std::string> labels;  // in the study's order
};

// By axis, its place in a list of AxisLabels, labels of which a point has one. Axes that are not there may have any.
using WantedLabels = std::map<std::size_t, std::set<std::string>>;

// "axis=label, ...": an axis may be named several times, for several of its labels; a label with a comma stands in
// double quotes; "" wants nothing. Throws InputError that names --only.
WantedLabels parse_only(const std::string& only, const std::vector<AxisLabels>& axes);

// Whether the point with these labels, one per axis, is wanted.
bool passes(const WantedLabels& wanted, const std::vector<std::string>& labels);

// Some of all points, each given by its labels, as briefly as it can be told: "all points", "algorithm=DCTCP",
// "algorithm=DCTCP, load=0.3 or 0.5", or the first few of them one by one. `chosen` are places in `points`.
std::string describe_points(const std::vector<AxisLabels>& axes, const std::vector<std::vector<std::string>>& points,
                            const std::set<std::size_t>& chosen);

}  // namespace weir::study
