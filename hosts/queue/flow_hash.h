// A hash of flows that nobody outside can foresee.
#pragma once

#include <sodium.h>

#include <array>
#include <cstring>

#include "hosts/path/address.h"

namespace weir::hosts {

// SipHash-2-4 with a key of its own, drawn when it is made.
class FlowHash {
 public:
  FlowHash() { crypto_shorthash_keygen(key_.data()); }

  std::size_t operator()(const Flow& flow) const {
    std::array<unsigned char, 36> text;
    std::memcpy(text.data(), flow.source.bytes.data(), 16);
    std::memcpy(text.data() + 16, flow.destination.bytes.data(), 16);
    std::memcpy(text.data() + 32, &flow.source_port, 2);
    std::memcpy(text.data() + 34, &flow.destination_port, 2);
    std::size_t out = 0;
    static_assert(sizeof out == crypto_shorthash_BYTES);
    crypto_shorthash(reinterpret_cast<unsigned char*>(&out), text.data(), text.size(), key_.data());
    return out;
  }

 private:
  std::array<unsigned char, crypto_shorthash_KEYBYTES> key_{};
};

// The IPv4 address and the IPv6 one with the same bytes differ in `v6` only, which hashes need not tell apart.
}  // namespace weir::hosts
