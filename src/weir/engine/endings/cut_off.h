// Flows that can never end, since something that they need is lost whenever it is sent.
//
// A link is dead when it is down and will not come up again, or when it loses every packet. A switch is closed to a
// packet that its buffer can never hold, not even while it is empty. A flow is cut off when on every way that it can
// take from now on its next unacknowledged packet, or what comes back for it, meets a dead link or a closed switch, and
// no packet is under way that may still make it go on.
//
// The ways that a flow can take follow from its entropies: one if it does not spray; if it does, all that its path
// choice may ever draw (host/path_choice.h), each with the way back that belongs to it. Where switches choose
// (`adaptive`, `round-robin`, `flowlets`), data may take any of their equal-cost ports, and entropies tell the ways
// back but where switches choose for acknowledgements as well.
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
  // Of a connection: its messages that are not acknowledged, in order.
  std::function<std::span<const host::QueuedMessage>(std::uint32_t src, const host::Flow&)> messages_of;
  // Behind the message of it that the receiver waits for; nothing: it waits for none.
  std::function<std::optional<std::int64_t>(std::uint32_t src, const host::Flow&)> expected_end;
  bool drivers_go_on = false;  // whatever becomes of packets
};

// What becomes of a packet that is sent again and again.
enum class Fate : std::uint8_t { lost, arrives, acknowledged };

// Searches the flows of a run. What it has found out about a flow's entropies is kept for the next look().
class CutOffSearch {
 public:
  // Both must outlive this.
  CutOffSearch(const Model& model, const Network& network);

  // Whether some switch is closed to a packet that some profile may send.
  bool buffers_matter() const { return buffers_matter_; }

  // What cuts the flows off; nothing if no flow is active, if one of them is not cut off, or if a message or
  // computation of the program will still start. All calls must have the same dead links.
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
