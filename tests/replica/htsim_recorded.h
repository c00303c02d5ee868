// The runs of data/reference/htsim, which uet-htsim made, and the same runs here.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "weir/engine/counters.h"
#include "weir/import/htsim_import.h"
#include "weir/replica/uet_htsim.h"

namespace weir::replica::htsim_test {

const std::string kFolder = "data/reference/htsim/";

// The rows of a file there, without the names of its columns.
std::vector<std::vector<std::string>> rows_of(const std::string& file);
std::vector<std::string> words(const std::string& text);

struct HtsimRun {
  std::string name;
  std::vector<std::string> arguments;
  std::uint64_t new_packets = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t requests = 0;
  friend void PrintTo(const HtsimRun& run, std::ostream* out) { *out << run.name; }
};
// Of a file's row that begins with the columns of runs.csv. The options follow the files that its columns name.
HtsimRun recorded_run(const std::vector<std::string>& row);

// A run of htsim_uec with these options; times by flow.
struct Result {
  std::vector<Time> start;
  std::vector<Time> finish;
  std::vector<std::uint16_t> profile;
  std::vector<std::vector<uet::Message>> messages;
  engine::Counters counters;
};
Result run_of(const scenario::HtsimImport& made, const std::function<void(const uet::Acknowledged&)>& watch = {});
Result simulate(const std::vector<std::string>& arguments,
                const std::function<void(const uet::Acknowledged&)>& watch = {});

std::string write(const app::Folder& folder, const std::string& name, const std::string& content);

}  // namespace weir::replica::htsim_test
