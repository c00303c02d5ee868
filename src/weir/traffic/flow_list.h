// Explicit flows, from a CSV file or from the scenario itself.
//
// The only source whose memory grows with the number of flows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

// The flows of a file, in its order. Tag and profile are indices into the lists of names here, whose first entry is ""
// = not given.
struct FlowTable {
  struct Name {
    std::string text;
    Where where;  // the first line with this name
  };

  std::vector<Flow> flows;
  std::vector<Name> tags;
  std::vector<Name> algorithms;
};

// CSV with a header. Columns: src, dst, size_bytes and one of start_ps, start_ns, start_us
// (decimals down to a picosecond) are required; tag, algorithm (or profile), sport and dport are
// optional, and an empty field there means not given (0 for ports). flow_id, if there, orders
// flows of one start. Columns of results, such as fct_ns, are ignored, so that the flows.csv of a
// run can be run again; others are refused. Throws InputError naming file and line.
FlowTable parse_flow_list(std::string_view text, const std::string& file, std::uint32_t hosts);

// Throws InputError unless both hosts exist and differ, size is 1 B to kMaxFlowSize and start >= 0.
void check_flow(const Flow&, std::uint32_t hosts, const Where&);

class FlowList : public CopyableSource<FlowList> {
 public:
  struct Params {
    std::string file;

    static void describe(ParamList<Params>& p) {
      Param& file = p.text("file", &Params::file, "CSV with the columns src, dst, size_bytes, start_ps (or _ns, _us)");
      file.required = true;
      file.names_file = [](std::string_view) { return true; };
    }
  };

  // Flows with their final tags and profiles. They need not be in order of start: they are
  // sorted by (start, id), and equal ones stay in the order given. Check them first.
  explicit FlowList(std::vector<Flow> flows);

  // Reads the file and turns its names into indices: context.labels where none is given.
  FlowList(const Params&, const Context&);

  std::optional<Flow> next() override;
  Time end() const override { return flows_.empty() ? Time{} : Time{flows_.back().start.ps + 1}; }

 private:
  std::vector<Flow> flows_;
  std::size_t sent_ = 0;
};

}  // namespace weir::traffic
