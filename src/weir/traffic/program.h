// Messages and computations that wait for each other: collectives and schedules of applications.
//
// A node is a message between two hosts, or a computation on one. It becomes ready when all the events that it waits
// for have happened, or at time 0 if it waits for none. A message starts `delay` later; a computation starts at once
// and takes `delay`. Three events can be waited for:
//
//   started    a message's sender may send its first bit; a computation begins
//   sent       the sender has the acknowledgement of the last byte; a computation has ended
//   received   the receiver has every byte; a computation has ended
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/units.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

// The largest number of nodes accepted; beyond it memory would run out.
inline constexpr std::uint32_t kMaxNodes = 100'000'000;

enum class Event : std::uint8_t { started, sent, received };
inline constexpr std::size_t kEvents = 3;

// A constant graph. Nodes are numbered from 0; a message's number is the id of its flow.
class Program {
 public:
  struct Node {
    std::uint32_t src = 0;
    std::uint32_t dst = 0;  // the same host: a computation
    Bytes size;             // payload, 1 B to kMaxFlowSize; of a message
    Time delay;
    std::uint16_t tag = 0;
    std::uint16_t profile = 0;
    std::uint16_t sport = 0;  // for the ECMP hash; 0 = Traffic gives one
    std::uint16_t dport = 0;

    bool is_message() const { return src != dst; }
  };
  // `then` waits for this event of `node`.
  struct Edge {
    std::uint32_t node = 0;
    Event event = Event::received;
    std::uint32_t then = 0;
  };
  // The nodes of one traffic source; their completion is reported under its tag.
  struct Part {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::uint16_t tag = 0;
    Bytes buffer;           // as in MessageSums, of a collective operation
    double bus_factor = 0;  // 0 = not a collective operation
  };

  Program() = default;
  // Edges name nodes that exist.
  Program(std::vector<Node> nodes, std::span<const Edge> edges, std::uint16_t tag);

  // Says that the whole program is one collective operation (MessageSums).
  void measure(Bytes buffer, double bus_factor) {
    parts_.front().buffer = buffer;
    parts_.front().bus_factor = bus_factor;
  }
  // Adds another program, independent of this one; its node numbers continue from here.
  void append(const Program& other);

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  bool empty() const { return nodes_.empty(); }
  const Node& operator[](std::uint32_t node) const { return nodes_[node]; }
  std::span<Node> nodes() { return nodes_; }
  std::span<const Part> parts() const { return parts_; }

  // The number of events that the node waits for.
  std::uint32_t waits(std::uint32_t node) const { return waits_[node]; }
  // The nodes that wait for this event; a node that waits for it twice is listed twice.
  std::span<const std::uint32_t> then(std::uint32_t node, Event event) const {
    const std::size_t at = kEvents * node + static_cast<std::size_t>(event);
    return {then_.data() + first_[at], first_[at + 1] - first_[at]};
  }

  // Whether some node waits for an event at a host other than its own. `received` happens at a message's receiver, all
  // other events at its sender.
  bool waits_across_hosts() const;
  // The nodes in topological order. Nodes on a cycle, and those that depend on one, are missing.
  std::vector<std::uint32_t> in_order() const;
  // The nodes of one cycle, each waiting for the next and the last for the first; empty if there is none.
  std::vector<std::uint32_t> cycle() const;

 private:
  std::vector<Node> nodes_;
  std::vector<std::size_t> first_{0};  // by node and event: the start of its range in then_
  std::vector<std::uint32_t> then_;
  std::vector<std::uint32_t> waits_;
  std::vector<Part> parts_;
};

// The flows of a source as messages that wait for nothing but their start.
Program independent(Source& source, std::optional<Labels> labels, std::uint16_t tag);

// Throws InputError if nodes wait for each other in a cycle, or if the sum of all delays is beyond the clock.
// `place` and `name` tell a node to the user ("line 7", "id 3").
void check_program(const Program&, const std::function<Where(std::uint32_t)>& place,
                   const std::function<std::string(std::uint32_t)>& name);

}  // namespace weir::traffic
