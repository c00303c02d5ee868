// What the agents say to each other about clocks: UDP datagrams on port 7471, probes of 61 bytes and reports of some
// hundred. All numbers are big-endian.
//
//   0 u8   version, 1; 2 for a report with the time of day, which older agents refuse
//   1 u8   kind
//   2 u16  key id: the epoch of the key mod 2^16
//   4 u64  the sender's nonce for the receiver
//  12 u64  the receiver's nonce for the sender, as the sender knows it; 0: it does not
//  20 u64  number of the message, rising
//  28      greeting: nothing
//          first, second: u8 1 if the sender wants to be probed often, a record (16 bytes)
//          report: u8 hops left, host, u64 its start, u32 number, i64 at, in version 2 i64 its time of day minus its
//          clock and u32 the error of that in ns, u8 edges, and each edge
//   .      16 bytes: SipHash-2-4 of 128 bits over all before it, with the key of (sender, receiver)
//
//   record: u32 number of a first probe, i64 its time, u32 how much later the second one was (kNotSeen: it was not
//   seen;
//           kNoRecord: there is no record)
//   host:   u8 1 for IPv6, 16 bytes address
//   edge:   host, i64 offset, i32 drift in 2^-40, u32 error in ns, u32 its growth in 2^-40, u32 its bias in ns
//
// A first probe and the second one right behind it are a coded pair. The first carries the record of when an earlier
// pair left, the second that of when a pair of the other host came: so both hosts learn of both directions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "hosts/path/address.h"

namespace weir::hosts::clock {

inline constexpr std::size_t kHeaderBytes = 28;
inline constexpr std::size_t kRecordBytes = 16;
inline constexpr std::size_t kTagBytes = 16;
inline constexpr std::size_t kProbeBytes = kHeaderBytes + 1 + kRecordBytes + kTagBytes;
inline constexpr std::size_t kMostEdges = 28;    // of a report, which then fits into any path's packets of 1,280 bytes
inline constexpr std::size_t kReportBytes = 39;  // without edges, header and tag
// The time of day takes the place of an edge.
inline constexpr std::size_t kTimeOfDayBytes = 12;
inline constexpr std::size_t kEdgeBytes = 41;
inline constexpr std::size_t kLargestMessage = kHeaderBytes + kReportBytes + kMostEdges * kEdgeBytes + kTagBytes;

using Key = std::array<std::uint8_t, 16>;
using Buffer = std::array<std::uint8_t, kLargestMessage>;

enum class Kind : std::uint8_t { greeting = 1, first = 2, second = 3, report = 4 };

struct Header {
  Kind kind = Kind::greeting;
  std::uint16_t key_id = 0;
  std::uint64_t from = 0;  // nonces
  std::uint64_t to = 0;
  std::uint64_t number = 0;
};

struct Record {
  std::uint32_t number = 0;            // of the first probe, mod 2^32
  std::int64_t time = 0;               // ns, by the clock of the host that sends the record
  std::optional<std::uint32_t> apart;  // ns from the first to the second; nothing: the second was not seen
};

// An edge of the graph of clocks: to's clock against the origin's from Report::at on (Estimate).
struct ReportEdge {
  Address to;
  std::int64_t offset = 0;  // ns
  double drift = 0;         // ns per ns
  double error = 0;         // ns, at Report::at
  double growth = 0;        // ns per ns
  double bias = 0;          // ns, of the error
};

// A host's time of day, CLOCK_REALTIME in ns since 1970, minus its clock. It changes only when the time of day is set.
struct TimeOfDay {
  std::int64_t ahead = 0;   // ns
  std::uint32_t error = 0;  // ns
};

// What a host has measured; others hand it on unchanged.
struct Report {
  std::uint8_t hops = 0;  // how often it may still be handed on
  Address origin;
  std::uint64_t started = 0;  // rises with every start of the origin
  std::uint32_t number = 0;   // rises with every report
  std::int64_t at = 0;        // by the origin's clock
  std::optional<TimeOfDay> time_of_day;
  std::vector<ReportEdge> edges;
};
// So many edges fit beside what else it tells.
inline std::size_t most_edges(const Report& report) { return report.time_of_day ? kMostEdges - 1 : kMostEdges; }

struct Probe {
  bool eager = false;  // the sender does not know the receiver's clock well enough
  std::optional<Record> record;
};

struct Message {
  Header header;
  std::variant<std::monostate, Probe, Report> body;  // of a greeting, a probe, a report
};

// Each writes a message and returns its length.
std::size_t write_greeting(Buffer& out, const Header& header, const Key& key);
std::size_t write_probe(Buffer& out, const Header& header, const Probe& probe, const Key& key);
std::size_t write_report(Buffer& out, const Header& header, const Report& report, const Key& key);

// Nothing if it is no message, or has values that no clock has.
std::optional<Message> read_message(std::span<const std::uint8_t> bytes);
// The header alone, of bytes that are long enough for one.
std::optional<Header> read_header(std::span<const std::uint8_t> bytes);
// Whether the message was written with this key.
bool is_signed(std::span<const std::uint8_t> bytes, const Key& key);

}  // namespace weir::hosts::clock
