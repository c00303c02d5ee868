#include "hosts/queue/segment.h"

#include <netinet/in.h>

#include <algorithm>

namespace weir::hosts {
namespace {

constexpr std::size_t kIpv4Header = 20;
constexpr std::size_t kIpv6Header = 40;
constexpr std::size_t kTcpHeader = 20;
constexpr unsigned kFin = 0x01;
constexpr unsigned kSyn = 0x02;
constexpr unsigned kRst = 0x04;

std::uint16_t read16(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }
std::uint32_t read32(const std::uint8_t* at) { return std::uint32_t{read16(at)} << 16 | read16(at + 2); }

Address address(const std::uint8_t* at, bool v6) {
  Address out{.v6 = v6};
  std::copy_n(at, out.size(), out.bytes.begin());
  return out;
}

// TCP of `size` bytes in all, at at + skip.
std::optional<Segment> read_tcp(const std::uint8_t* at, std::size_t copied, std::size_t skip, std::size_t size,
                                Segment segment) {
  if (copied < skip + kTcpHeader || size < skip + kTcpHeader) return std::nullopt;
  const std::uint8_t* tcp = at + skip;
  const std::size_t header = std::size_t{tcp[12]} >> 4 << 2;
  if (header < kTcpHeader || size < skip + header) return std::nullopt;
  segment.flow.source_port = read16(tcp);
  segment.flow.destination_port = read16(tcp + 2);
  segment.seq = read32(tcp + 4);
  segment.length = static_cast<std::uint32_t>(size - skip - header);
  segment.syn = (tcp[13] & kSyn) != 0;
  segment.ends = (tcp[13] & (kFin | kRst)) != 0;
  return segment;
}

}  // namespace

std::optional<Segment> read_segment(const std::uint8_t* at, std::size_t copied, std::size_t whole) {
  Segment out;
  if (copied >= kIpv4Header && at[0] >> 4 == 4) {
    const std::size_t header = std::size_t{at[0] & 15u} << 2;
    const std::size_t size = read16(at + 2);
    const bool later_fragment = (read16(at + 6) & 0x1fff) != 0;
    if (header < kIpv4Header || at[9] != IPPROTO_TCP || later_fragment) return std::nullopt;
    out.flow.source = address(at + 12, false);
    out.flow.destination = address(at + 16, false);
    return read_tcp(at, copied, header, size == 0 ? whole : size, out);
  }
  if (copied >= kIpv6Header && at[0] >> 4 == 6) {
    const std::size_t payload = read16(at + 4);
    std::size_t header = kIpv6Header;
    unsigned next = at[6];
    // What is longer than its length can say has that in an option (RFC 2675), and so had all of these in Linux.
    if (next == IPPROTO_HOPOPTS && payload == 0 && copied >= header + 8) {
      next = at[header];
      header += 8 * (std::size_t{at[header + 1]} + 1);
    }
    if (next != IPPROTO_TCP) return std::nullopt;
    out.flow.source = address(at + 8, true);
    out.flow.destination = address(at + 24, true);
    return read_tcp(at, copied, header, payload == 0 ? whole : kIpv6Header + payload, out);
  }
  return std::nullopt;
}

}  // namespace weir::hosts
