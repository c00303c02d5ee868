// The runs of data/reference/ns3-hpcc, which the simulator of HPCC's authors made.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "weir/engine/counters.h"
#include "weir/scenario/scenario.h"

namespace weir::replica {

const std::string kData = "data/reference/ns3-hpcc/";

struct RecordedRun {
  std::string flows;
  std::string way;  // of sending: the rest of its name
  std::vector<std::string> settings;
  bool random = false;
  bool large = false;  // takes seconds

  std::string name() const { return flows + "_" + way; }
  friend std::ostream& operator<<(std::ostream& out, const RecordedRun& run) { return out << run.name(); }
};

// Those where nothing is random, or the others.
std::vector<RecordedRun> runs(bool random);
// Large ones only with WEIR_VALIDATION=all, but for one.
bool wanted(const RecordedRun& run);
std::string test_name(const std::string& run);

// The run as a scenario of this project.
scenario::Scenario scenario_of(const RecordedRun& run, unsigned seed = 1);
// Completion times of the recorded run, by flow.
std::vector<std::int64_t> recorded_ns(const RecordedRun& run);
// The rows of a file there, the first one with the names of the columns.
std::vector<std::vector<std::string>> rows_of(const std::string& file);

struct Result {
  std::vector<std::int64_t> fct_ns;  // by flow; -1: it has not ended
  engine::Counters counters;
};
Result simulate(const scenario::Scenario& s);
// Fails the test if a completion time differs.
void expect_equal(const Result& result, const std::vector<std::int64_t>& theirs);

}  // namespace weir::replica
