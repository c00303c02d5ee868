// A program as a CSV file.
#pragma once

#include <string>
#include <string_view>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/program.h"

namespace weir::traffic {

struct ProgramFile {
  std::string file;

  static void describe(ParamList<ProgramFile>& p) {
    Param& file = p.text("file", &ProgramFile::file, "CSV with the columns id, src, dst, size_bytes, delay, after");
    file.required = true;
    file.names_file = [](std::string_view) { return true; };
  }
};

// CSV with a header. Columns: id, src, dst and size_bytes are required; delay, after, tag and algorithm (or profile)
// are optional, and an empty field there means none. A row without dst and size is a computation on src. `after` lists
// events that the row waits for: "3.received;7.sent", where a plain "3" is "3.received". Rows may refer to later ones.
// Throws InputError naming file and line.
Program parse_program(std::string_view text, const std::string& file, const Context&);

Program read_program(const ProgramFile&, const Context&);

}  // namespace weir::traffic
