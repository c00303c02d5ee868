// Collective operations one after the other, with computations between them, from a CSV file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/collectives.h"

namespace weir::traffic {

// The parameters that all calls of a file share, and the file itself.
struct Calls {
  std::string file;
  std::uint32_t repeat = 1;
  std::string hosts = "all";
  Placement placement = Placement::in_order;
  std::string places = "all";
  Time start;
  MessageRows messages = MessageRows::sums;
  std::uint32_t group = 1;
  Rate scale_up_rate = ScaleUp{}.rate;
  Time scale_up_latency = ScaleUp{}.latency;
  Sharing scale_up_sharing = Sharing::serial;
  bool pxn = false;

  static void describe(ParamList<Calls>& p);
};

struct NamedCall {
  std::string name;  // of the operation, if the file gives no other
  Collective what;
  Where where;  // the line of the file
};

// A call with only the shared parameters, without any column.
Collective without_columns(const Calls& common);

// Reads a CSV file with a header, one call per line. Columns are parameters of a collective: `operation` is required;
// size, ranks, stride, root, sizes, chunks, chunk_size, active_chunks, slots, slots_freed_by, channels, window, order,
// step_delay, compute, slow, slow_factor and group are optional, and an empty field means the default. `name` is the
// call's name in results. Throws InputError naming file and line.
std::vector<NamedCall> parse_calls(std::string_view text, const std::string& file, const Calls& common);

// The same for the file that the parameter names.
std::vector<NamedCall> read_calls(const Calls&, const Context&);

}  // namespace weir::traffic
