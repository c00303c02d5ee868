// The table that nccl-tests prints, of a study whose runs are one collective operation each (`table = "nccl-tests"`).
#pragma once

#include <string>
#include <string_view>

#include "weir/study/measurements.h"

namespace weir::study {

// The measures that such a study has besides its own, as a study has them.
std::string_view nccl_measures();

// Throws InputError that names the study's key unless the run's scenario has one collective, of kind "collective", and
// its operation has a bandwidth.
void check_nccl_table(const Plan& plan, std::size_t run, const scenario::Scenario&, const traffic::Traffic&);

// Rows by size, for each combination of the labels of axes that do not set a size; means over seeds. Size, count, redop
// and root are those that nccl-tests has for the operation, with elements of 4 bytes.
std::string nccl_table(const Plan& plan, const Measurements& measured);

}  // namespace weir::study
