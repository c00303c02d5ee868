// The options of weir sweep.
#pragma once

#include <string>
#include <vector>

namespace weir::app {

struct SweepOptions {
  std::string file;
  std::string out;
  int jobs = 0;
  std::string memory;
  std::string only;
  std::string shard;
  int seeds = 0;
  double checkpoint_s = 60;
  bool list = false;
  bool fresh = false;
  bool json = false;
  bool quiet = false;
  // Of workers that share the runs.
  bool claim = false;
  double lease_s = 60;
  std::string since;
  bool collect = false;
  // Of batch systems.
  std::string executor = "local";
  int workers = 0;
  int retries = 0;
  std::vector<std::string> sbatch;
};

}  // namespace weir::app
