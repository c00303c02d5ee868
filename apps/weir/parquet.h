// Results as Parquet. Arrow's library is not in Debian 12, so that a Python with pyarrow writes them
// (docs/guides/reading-results.md).
#pragma once

#include <string>

#include "weir/probe/results.h"

namespace weir::app {

// The program that Python runs: python/weir/_parquet.py.
extern const char* const kParquetProgram;

class Parquet {
 public:
  // Looks for the Python that WEIR_PYTHON names, else for python3 in PATH, and for pyarrow in it. Throws InputError
  // that says how to get what is missing.
  void find_python();

  // After find_python(). Writes NAME.parquet of each table NAME.csv that the directory has; the files count as the
  // result's. All files must have been closed. Returns why that failed, and then leaves none; "" = they are there.
  std::string write(probe::ResultDirectory& directory) const;

 private:
  std::string python_;
};

}  // namespace weir::app
