// The files that a command writes besides results: whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "weir/probe/whole_files.h"

namespace weir::app {

// All of these files, or none. Both throw InputError if one of the names is at fault.
class OutputFiles {
 public:
  void write(const std::string& target, std::string_view text);
  void commit();

 private:
  probe::WholeFiles files_;
};

// Makes a directory with its parents; "" is none. Throws InputError that names the option.
void make_folder(const std::string& path, const char* option);

}  // namespace weir::app
