// OR-ACKs for user space: or_ack_wire.h has the form.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "hosts/path/data_path.h"
#include "hosts/wire/or_ack_wire.h"

namespace weir::hosts {

// A packet of this flow has arrived.
struct OrAck {
  Flow flow;                  // of the data
  std::uint16_t key_id = 0;   // the epoch of the key modulo 2^16
  std::uint32_t seq = 0;      // first byte of the packet
  std::int64_t received = 0;  // ns, the clock of the host that received it

  bool operator==(const OrAck&) const = default;
};

// The payload of UDP.
struct OrAckBytes {
  alignas(8) std::array<std::uint8_t, WEIR_OR_ACK_SIZE_V6> bytes{};
  std::size_t size = 0;

  operator std::span<const std::uint8_t>() const { return {bytes.data(), size}; }
};

// Signed by the key, whose epoch gives the key id. Both addresses of the flow are of one kind.
OrAckBytes write_or_ack(const OrAck& or_ack, const PairKey& key);

// What such a payload says that came `from` one address `to` another; nothing if it is none, whatever its tag. Its
// length must be exact.
std::optional<OrAck> read_or_ack(std::span<const std::uint8_t> payload, const Address& from, const Address& to);

// That of the keys which the OR-ACK names, or null.
const PairKey* key_of(const OrAck& or_ack, const PairKeys& keys);

// Whether the tag of the payload, which read_or_ack has read as this, is right by the key.
bool tag_is_right(std::span<const std::uint8_t> payload, const OrAck& or_ack, const PairKey& key);

}  // namespace weir::hosts
