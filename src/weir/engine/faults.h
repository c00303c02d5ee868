// What goes wrong in a network, as a scenario writes it row by row and as the engine uses it: links
// that lose packets, links that go down and up, hosts that stall.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weir/base/params.h"
#include "weir/net/link_faults.h"
#include "weir/net/topology.h"

namespace weir::engine {

// Random loss on some links, in both directions. A later row counts for links that several name.
struct LossRow {
  std::string links = "all";
  double probability = 0;

  static void describe(ParamList<LossRow>& p) {
    p.text("links", &LossRow::links,
           "all, hosts (links of hosts), fabric (links between switches), or the links between two nodes, as 320-0");
    p.number("probability", &LossRow::probability, 0, 1,
             "a packet is lost on the wire with this probability; pause and resume frames never are")
        .required = true;
  }
};

// All that goes wrong, worked out for a topology.
struct Faults {
  std::map<std::uint32_t, net::LinkFaults> links;  // by link
};

struct FaultRows {
  std::vector<LossRow> loss;
};

// Throws InputError "network.loss.0.links: what is wrong" with the key of the row to blame.
Faults work_out(const FaultRows&, const net::Topology&);

}  // namespace weir::engine
