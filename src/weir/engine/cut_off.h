// Flows that can never end, since all they send or all that comes back is lost.
//
// A link is dead when it is down and will not come up again, or when it loses every packet. A flow is cut off when
// every path that its data may take from now on crosses a dead link, or every path that its acknowledgements may take,
// and no packet is on its way that may still make it go on. A flow that does not spray has one path, by its entropy.
#pragma once

#include <functional>
#include <vector>

#include "weir/engine/model.h"
#include "weir/engine/network.h"
#include "weir/net/packet_visit.h"
#include "weir/net/routing.h"
#include "weir/traffic/program.h"

namespace weir::engine {

// The state of a run between epochs, of which no link will change any more.
struct CutOffView {
  const Model& model;
  const Network& network;
  const net::Routing& routing;    // in force
  const std::vector<bool>& dead;  // by link
  const traffic::Program& program;
  std::function<void(const std::function<void(std::uint32_t src, const host::Flow&)>&)> each_flow;
  std::function<void(const net::PacketVisit&)> each_packet;
  std::function<void(const std::function<void(std::uint32_t node)>&)> each_signal;  // on its way to a node
};

// Is there an active flow, are all of them cut off, and will no message or computation of the program start any more?
bool all_cut_off(const CutOffView& view);

}  // namespace weir::engine
