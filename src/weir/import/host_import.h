// From what `weir-host trace` has captured on real hosts to a scenario: what would On-Ramp have done with another T?
#pragma once

#include <optional>
#include <span>
#include <string>

#include "weir/base/units.h"
#include "weir/result/host_trace.h"

namespace weir::scenario {

struct HostImport {
  std::string toml;
  std::string flows;  // data file `flows_name`
};

struct HostImportOptions {
  std::string flows_name;
  Rate rate;                // of the hosts' links; 0: that of the trace's settings
  Bytes buffer{1'000'000};  // of each port of the switch
  // A connection that has sent nothing for so long sends another message, which is a flow of its own in the scenario.
  // It should be more than a round trip with full queues, and less than an application's pauses.
  Time gap{20'000'000'000};
  std::optional<Time> threshold;  // T; nothing: that of the trace. 0: without On-Ramp
};

// One trace for each host that sent. Their begins are set side by side by the hosts' clocks of the day. The network is
// taken to be one switch, whose links are as long as the least one-way delay tells. Throws InputError.
HostImport import_host(std::span<const result::HostTrace> traces, const HostImportOptions& options);

}  // namespace weir::scenario
