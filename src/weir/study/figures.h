// A study's figures, of its measures and of the files of its runs.
#pragma once

#include <string>
#include <vector>

#include "weir/figure/figure.h"
#include "weir/study/measurements.h"

namespace weir::study {

// Of the runs that are there; series without any run are left out.
std::vector<figure::Figure> make_figures(const Measurements& measured, const std::string& dir);

}  // namespace weir::study
