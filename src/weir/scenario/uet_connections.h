// Flows for the replica of uet-htsim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "weir/base/error.h"
#include "weir/base/units.h"
#include "weir/replica/uet_connections.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/traffic.h"

namespace weir::scenario {

// A CSV file of connections, the file of fidelity.connections. Its columns:
//
//   number      of the flow, from 1 on
//   src, dst, size_bytes
//   start_ns    empty where a trigger starts it
//   started_by  a trigger's number: "3", when it is called; "3 after 4", when it has been called four times;
//               "3 one each", the next connection at each call. All connections of a trigger have the same here.
//   starts      the number of a trigger that the end of this connection calls; empty = none
//   one_path    yes or no: the same entropy for all packets, and no adaptive routing
//
// With `kept` connections each row is a message, and rows of one number are those of one connection.
//
// Reads such a file. Throws InputError that names file and line.
replica::UetConnections parse_connections(std::string_view text, const std::string& file, std::uint32_t hosts,
                                          bool kept = false);
std::string format_connections(const replica::UetConnections& connections);

// A message of the connection with this row's number, which is a new one with its first message. Throws InputError with
// the place if it leads elsewhere, or if the connection becomes too large.
void add_message(replica::UetConnections& connections, std::map<std::uint32_t, std::uint32_t>& rows,
                 const replica::UetConnection& message, const Where& where);

// A row that nothing ever starts, if there is one.
std::optional<std::size_t> never_started(const replica::UetConnections& connections);

// Makes connections of all flows of the traffic that start before `stop`, numbered from 1 on. Throws InputError if they
// are too many or too large.
replica::UetConnections connections_of(traffic::Traffic& traffic, Time stop);
// The connections of a scenario: those of its file, or else of its traffic.
replica::UetConnections connections_of(const Scenario&, const engine::Model&, traffic::Traffic&);

}  // namespace weir::scenario
