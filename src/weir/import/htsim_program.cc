#include "weir/import/htsim_program.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "weir/base/params.h"

namespace weir::scenario {
namespace {

using replica::kNoTrigger;
using replica::UetConnection;

// What a trigger waits for, and how many wait for it.
struct Calls {
  std::string after;  // "1.sent;2.sent": the simulator calls with the last acknowledgement
  std::size_t callers = 0;
  std::size_t flows = 0;
};

std::vector<Calls> calls_of(const HtsimMatrix& matrix) {
  std::vector<Calls> out(matrix.connections.triggers.size());
  for (const UetConnection& c : matrix.connections.rows) {
    if (c.trigger != kNoTrigger) ++out[c.trigger].flows;
    if (c.triggers == kNoTrigger) continue;
    Calls& calls = out[c.triggers];
    calls.after += fmt::format("{}{}.sent", calls.after.empty() ? "" : ";", c.number);
    ++calls.callers;
  }
  return out;
}

// Each connection lists all that it waits for, so a barrier of n before m takes n m names.
void check_expressible(const HtsimMatrix& matrix, const std::vector<Calls>& calls) {
  constexpr std::size_t kMostNames = 10'000'000;
  std::size_t names = 0;
  for (std::size_t t = 0; t < calls.size(); ++t) {
    if (matrix.connections.triggers[t].one_each && calls[t].callers > 1)
      throw InputError(
          matrix.trigger_where[t],
          fmt::format("multishot, called by {} connections: which one of them starts which connection depends on who "
                      "ends first, which is not possible with --exact; write oneshot triggers",
                      calls[t].callers));
    names += calls[t].callers * calls[t].flows;
    if (names > kMostNames)
      throw InputError(matrix.trigger_where[t],
                       fmt::format("up to this trigger, connections wait for more than {} others in all, "
                                   "which is not possible with --exact",
                                   kMostNames));
  }
}

}  // namespace

std::string format_htsim_program(const HtsimMatrix& matrix, std::string_view one_path) {
  const std::vector<Calls> calls = calls_of(matrix);
  check_expressible(matrix, calls);
  std::string out = fmt::format("id,src,dst,size_bytes,delay,after{}\n", one_path.empty() ? "" : ",profile");
  for (const UetConnection& c : matrix.connections.rows) {
    const std::string delay = c.start > Time{} ? format_value(c.start) : "";
    out += fmt::format("{},{},{},{},{},{}", c.number, c.src, c.dst, c.size.count, delay,
                       c.trigger == kNoTrigger ? "" : calls[c.trigger].after);
    if (!one_path.empty()) out += fmt::format(",{}", c.one_path ? one_path : "");
    out += '\n';
  }
  return out;
}

}  // namespace weir::scenario
