#include "weir/base/checksum.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL  // no library to link with
#include <xxhash.h>

namespace weir {

struct Checksum::State {
  XXH3_state_t of;
};

Checksum::Checksum() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->of); }
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum::~Checksum() = default;

void Checksum::update(std::string_view bytes) { XXH3_128bits_update(&state_->of, bytes.data(), bytes.size()); }

void Checksum::restart() { XXH3_128bits_reset(&state_->of); }

std::string Checksum::text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->of);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string checksum_of(std::string_view bytes) {
  Checksum out;
  out.update(bytes);
  return out.text();
}

}  // namespace weir
