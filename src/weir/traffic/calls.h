// Collective operations one after the other, with computations between them, from a CSV file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/collectives.h"

namespace weir::traffic {

// What all calls have in common, and where they are.
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
  std::string name;  // of the operation, if it has no other
  Collective what;
  Where where;  // the line
};

// A call of which no column says anything.
Collective without_columns(const Calls& common);

// CSV with a header. Columns are parameters of a collective: operation is required, and size, ranks, stride, root,
// sizes, chunks, chunk_size, active_chunks, slots, slots_freed_by, channels, window, order, step_delay, compute, slow,
// slow_factor and group may be there; an empty field is the default. `name` is what results call it. Throws InputError
// naming file and line.
std::vector<NamedCall> parse_calls(std::string_view text, const std::string& file, const Calls& common);

// The same of the file that the parameter names.
std::vector<NamedCall> read_calls(const Calls&, const Context&);

}  // namespace weir::traffic
