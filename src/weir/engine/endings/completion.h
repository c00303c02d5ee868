// The least time in which messages that wait for each other can be done: no queue but those that no network can avoid.
//
// A message of P packets and w bytes on the wire (headers without INT) that starts at s on an otherwise empty path is
// received at
//     s + delivery(P)           propagation, the first packet's store and forward, P - 1 packets at the slowest link
// and acknowledged one acknowledgement's way later. Starts follow from the events waited for, by the longest path
// through the program. What messages share are hosts' links, and the links between groups of hosts and the rest of the
// network (net/model/cuts.h), taken as one link. One that carries messages i
// with heads r_i (the earliest at which i can reach it), work p_i = its packets' transmissions and tails q_i (from
// there on to the end) is not done with them before
//     C + min q_i,   C = the end of serving them in order of r_i, each p_i long
// A node that waits for several messages of its host starts no earlier than their downlink is done with them. Hence
//     one flow per host (permutation)    latency + size / slowest link
//     incast of n                        latency + n * size / downlink
//     n flows out of a rack              latency + n * size / uplinks of the rack
//     ring of n hosts, k steps           k * (latency + segment / slowest link)
// News between hosts are taken to be instant.
//
// What a driver sends follows from what it is told. It is told of all messages as the empty network would carry them,
// whatever else is under way; nothing makes it send later than that (Driver::unhindered). So these starts are the
// earliest, and links shared, GPUs' ways to the switches of their servers among them, are not done before C + min q_i.
// Slots that messages wait for are left out, and a collective has the same bound however its messages are recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/engine/model/model.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/program.h"

namespace weir::engine {

struct CompletionBound {
  Time received;      // when all messages are; counted from time 0, as the events of the program are
  Time acknowledged;  // when the last sender knows that
};

// More messages of a driver are not played for the sake of a bound: that would take seconds.
inline constexpr std::uint64_t kMostMessagesOfBounds = 10'000'000;
// The bound of what a driver sends.
CompletionBound completion_bound(const Model& model, const UnhinderedDriver& driver);

// The bounds of each part of the program.
std::vector<CompletionBound> completion_bounds(const Model& model, const traffic::Program& program);

}  // namespace weir::engine
