// A lower bound of the time in which messages that wait for each other can complete: there are no queues but those that
// no network can avoid.
//
// A message of P packets and w bytes on the wire (headers without INT) that starts at s on an otherwise empty path is
// received at
//     s + delivery(P)           propagation, the first packet's store and forward, P - 1 packets at the slowest link
// and acknowledged one acknowledgement's way later. Starts follow from the events waited for, by the longest path
// through the program. Messages share hosts' links, and the links between a group of hosts and the rest of the network
// (net/model/cuts.h), which count as one link. If such a link carries messages i with heads r_i (the earliest instant
// at which i can reach it), work p_i (the transmissions of its packets) and tails q_i (the time from there to the
// end), these messages do not all end before
//     C + min q_i,   C = the end of serving them in order of r_i, each p_i long
// A node that waits for several messages of its host starts no earlier than their downlink is done with them. Hence
//     one flow per host (permutation)    latency + size / slowest link
//     incast of n                        latency + n * size / downlink
//     n flows out of a rack              latency + n * size / uplinks of the rack
//     ring of n hosts, k steps           k * (latency + segment / slowest link)
// News between hosts are assumed to be instant.
//
// For a driver, the starts follow from a play of it in which each message arrives when an empty network would deliver
// it, whatever else is under way. A driver that is told sooner sends no message later (Driver::unhindered), so these
// starts are the earliest that are possible, and the bound above holds for shared links, GPUs' ways to the switches of
// their servers among them. Slots that messages wait for are left out, and a collective has the same bound however its
// messages are recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/engine/model/model.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/program.h"

namespace weir::engine {

struct CompletionBound {
  Time received;      // when all messages are received; counted from time 0, as the events of the program are
  Time acknowledged;  // when the last sender knows that
};

// The most messages of a driver for which a bound is computed: playing more would take seconds.
inline constexpr std::uint64_t kMostMessagesOfBounds = 10'000'000;
// The bound of the messages that a driver sends.
CompletionBound completion_bound(const Model& model, const UnhinderedDriver& driver);

// The bounds of each part of the program.
std::vector<CompletionBound> completion_bounds(const Model& model, const traffic::Program& program);

}  // namespace weir::engine
