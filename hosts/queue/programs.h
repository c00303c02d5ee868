// Programs that the path runs, without a shell.
#pragma once

#include <string>
#include <vector>

namespace weir::hosts {

using Command = std::vector<std::string>;

// The program's file: in PATH, or where the programs of root are. "" if there is none.
std::string find_program(const std::string& name);

struct Outcome {
  int status = -1;     // of the program's end; -1: it could not be run, was ended by a signal, or took too long
  std::string output;  // what it wrote there, at most some MB
  std::string errors;  // the same, at most a few KB
};

// Runs command[0], found as above, with `input`; for ten seconds at most.
Outcome run(const Command& command, const std::string& input = {});

}  // namespace weir::hosts
