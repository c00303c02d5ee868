// A study of two points and one measure, which tests fill with values of their own instead of running it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "weir/study/measurements.h"
#include "weir/study/plan.h"

namespace weir::study {

// `more` are lines of [study], such as "seeds = 3\n". Tables may follow.
inline std::string two_points(const std::string& more) {
  return "[study]\n" + more + R"([scenario]
topology = { kind = "star", hosts = 3 }
algorithm = { name = "hpcc" }
[[scenario.traffic]]
kind = "incast"
size = "10 KB"
[[axis]]
name = "w"
key = "algorithm.w_ai"
values = ["80 B", "160 B"]
[[measure]]
name = "fct"
of = "summary"
key = "flows.max_fct_ps"
)";
}

// A table with these values instead of results, one for each run.
inline Measurements filled(const Study& study, const std::vector<double>& values) {
  Measurements table = no_measurements(make_plan(study));
  EXPECT_EQ(table.runs.size(), values.size());
  for (std::size_t i = 0; i < table.runs.size(); ++i)
    table.runs[i] = {.status = Record::Status::done, .message = {}, .measures = {{values.at(i)}}};
  return table;
}

}  // namespace weir::study
