// The input files of uet-htsim: connection matrices (.cm) and fat trees (.topo). Read strictly: what that simulator
// would take for something else, or stop at with an assertion, is an error here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/replica/uet_connections.h"

namespace weir::scenario {

struct HtsimMatrix {
  std::uint32_t nodes = 0;
  Where nodes_where;
  replica::UetConnections connections;
  std::vector<Where> trigger_where;  // of their definitions
};
struct HtsimMatrixRules {
  bool exact = false;  // starts may have fractions, and a connection of size 0 has the largest size: it does not end
  bool kept = false;   // -conn_reuse: rows are messages, and have no triggers
};
// Rows with `prio 7` take one path; other priorities have no effect there, and none here. Throws InputError with file
// and line, also for a trigger that nobody calls, or that waits for itself.
HtsimMatrix parse_htsim_matrix(std::string_view text, const std::string& file, HtsimMatrixRules rules = {});

struct HtsimTier {
  std::int64_t gbps = 0;  // down; so are the links up of the tier below
  std::int64_t latency_ns = 0;
  std::int64_t switch_latency_ns = 0;
  std::uint32_t radix_down = 0;
  std::uint32_t radix_up = 0;
  std::uint32_t bundle = 1;
  std::uint32_t oversubscribed = 1;
};
struct HtsimTree {
  std::uint32_t nodes = 0;
  std::uint32_t tiers = 0;
  std::uint32_t pod = 0;  // hosts
  std::array<HtsimTier, 3> tier;
  Where where;          // of the rate of hosts
  bool queues = false;  // sizes stand here, which have no effect there

  std::uint32_t pods() const { return nodes / pod; }
  std::uint32_t edges_per_pod() const { return pod / tier[0].radix_down; }
  std::uint32_t middles_per_pod() const { return tier[0].radix_up / tier[1].bundle; }
  std::uint32_t cores() const { return tiers < 3 ? 0 : middles_per_pod() * (tier[1].radix_up / tier[2].bundle); }
};
// Throws InputError with file and line, also for radixes that make no tree.
HtsimTree parse_htsim_tree(std::string_view text, const std::string& file);

}  // namespace weir::scenario
