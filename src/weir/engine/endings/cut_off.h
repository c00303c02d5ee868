// Flows that can never end, since something that they need is lost whenever it is sent.
//
// A link is dead when it is down and will not come up again, or when it loses every packet. A switch is closed to a
// packet that its buffer cannot hold even while it is empty. A flow is cut off when its next unacknowledged packet, or
// the acknowledgement of that, meets a dead link or a closed switch on every path that the flow can take from now on,
// and no packet is under way that may still make it go on.
//
// The paths that a flow can take follow from its entropies: one if it does not spray; if it does, all that its path
// choice may ever draw (host/path_choice.h), each with the way back that belongs to it. Where switches choose paths
// (`adaptive`, `round-robin`, `flowlets`, `conga`), data may take any of their equal-cost ports; ways back follow from
// entropies unless switches choose the paths of acknowledgements as well.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/engine/model/network.h"
#include "weir/engine/stall.h"
#include "weir/host/message_queue.h"
#include "weir/net/link/packet_visit.h"
#include "weir/net/model/routing.h"

namespace weir::engine {

// The state of a run between epochs, whose links will not change any more.
struct CutOffView {
  const net::Routing& routing;    // in force
  const std::vector<bool>& dead;  // by link
  std::function<void(const std::function<void(std::uint32_t src, const host::Flow&)>&)> each_flow;
  std::function<void(const net::PacketVisit&)> each_packet;
  // The messages of a connection that are not acknowledged, in order.
  std::function<std::span<const host::QueuedMessage>(std::uint32_t src, const host::Flow&)> messages_of;
  // The end of the message of the flow that its receiver waits for; nothing if it waits for none.
  std::function<std::optional<std::int64_t>(std::uint32_t src, const host::Flow&)> expected_end;
  bool drivers_go_on = false;  // a driver will do something, whatever becomes of packets
};

// How far a packet comes at best if it is sent again and again.
enum class Fate : std::uint8_t { lost, arrives, acknowledged };

// Searches the flows of a run. What it has found out about a flow's entropies is kept for the next look().
class CutOffSearch {
 public:
  // Both must outlive this.
  CutOffSearch(const Model& model, const Network& network);

  // Whether some switch is closed to a packet that some profile may send.
  bool buffers_matter() const { return buffers_matter_; }

  // Returns what cuts the flows off; nothing if no flow is active, if one of them is not cut off, or if a driver will
  // still do something. All calls must have the same dead links.
  std::optional<Obstacles> look(const CutOffView& view);

 private:
  struct Known {
    std::uint32_t wire = 0;  // of the packet
    Fate fate = Fate::lost;
  };

  const Model& model_;
  const Network& network_;
  bool buffers_matter_ = false;
  std::unordered_map<std::uint64_t, Known> known_;  // of flows that spray, by id
};

}  // namespace weir::engine
