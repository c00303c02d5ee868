// Keys of ordered pairs of hosts, by epoch, out of the master key that all hosts share.
#pragma once

#include <array>
#include <cstdint>

#include "hosts/path/data_path.h"

namespace weir::hosts {

using MasterKey = std::array<std::uint8_t, 32>;

// The epoch at this Unix time; both in seconds, key_lifetime > 0.
constexpr std::uint64_t key_epoch(std::uint64_t unix_time, std::uint64_t key_lifetime) {
  return unix_time / key_lifetime;
}

// By which `from` signs what it sends to `to`: BLAKE2b of 128 bits, keyed by the master key (libsodium's
// crypto_generichash), over "weir or-ack v1", the two addresses, and the epoch as 8 bytes, big-endian. An address is
// its kind, 4 or 6, and its bytes.
PairKey pair_key(const MasterKey& master, const Address& from, const Address& to, std::uint64_t epoch);

// That of the epoch and those of its neighbours; before epoch 0 there is none, and `previous` is that of 0.
PairKeys pair_keys(const MasterKey& master, const Address& from, const Address& to, std::uint64_t epoch);

}  // namespace weir::hosts
