// What happens to single packets and flows, event by event: packets.csv.
//
// The engine records the events of the chosen ports and times (net/trace.h); this keeps those of the chosen flows. What
// it costs is told in docs/reference/results.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/engine/engine.h"
#include "weir/net/trace.h"
#include "weir/probe/port_params.h"
#include "weir/probe/probe.h"
#include "weir/probe/results.h"

namespace weir::probe {

// Flow ids that a list such as "0, 17, 200-299" means: ranges, both ends included, ascending. Throws InputError that
// says what is valid.
struct IdRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};
std::vector<IdRange> parse_ids(std::string_view list);
bool contains(const std::vector<IdRange>& ranges, std::uint64_t id);

struct PacketsParams {
  std::string ports = "all, hosts";
  std::string flows;
  Time start;
  Time stop;

  static void describe(ParamList<PacketsParams>& p) {
    p.text("ports", &PacketsParams::ports, std::string("ports at which packets are followed") + kPortsHelp);
    p.text("flows", &PacketsParams::flows, "their ids, such as \"0, 17, 200-299\"; empty = all flows");
    p.time("start", &PacketsParams::start, "no event before this time");
    p.time("stop", &PacketsParams::stop, "no event from this time on; 0 = to the end of the run");
  }
};

class PacketProbe : public ArchivedProbe<PacketProbe> {
 public:
  using Params = PacketsParams;
  static constexpr std::string_view kName = "packets";
  static constexpr std::string_view kMeaning = "what happens to single packets and flows, event by event";
  static constexpr bool kNeedsPackets = true;

  static void check(const Params&, const Checks&);
  static std::optional<std::string_view> trace_key(const Params&) { return ""; }
  // Has the engine trace, if there is a directory.
  PacketProbe(const Params&, const Context&);

  void finish(Summary&) override;

  template <class A>
  void archive(A& a) {
    if (file_) file_->archive(a);
  }

 private:
  void write(net::TraceEvents events);
  void write(const net::TraceEvent& event);
  bool chosen(std::uint64_t flow) const;

  const net::Topology& topology_;
  const std::vector<IdRange> flows_;  // empty: all
  std::optional<ResultFile> file_;
};

}  // namespace weir::probe
