#include "hosts/wire/keys.h"

#include <sodium.h>

#include <span>
#include <stdexcept>
#include <string_view>

namespace weir::hosts {
namespace {

constexpr std::string_view kUse = "weir or-ack v1";

// BLAKE2b, keyed, of what is fed to it piece by piece.
class Hash {
 public:
  explicit Hash(const MasterKey& master) {
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start");
    crypto_generichash_init(&state_, master.data(), master.size(), sizeof(PairKey::key));
  }
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;
  ~Hash() { sodium_memzero(&state_, sizeof state_); }

  void feed(std::span<const std::uint8_t> bytes) { crypto_generichash_update(&state_, bytes.data(), bytes.size()); }
  void feed(const Address& address) {
    const std::uint8_t kind = address.v6 ? 6 : 4;
    feed({&kind, 1});
    feed({address.bytes.data(), address.size()});
  }
  std::array<std::uint8_t, 16> end() {
    std::array<std::uint8_t, 16> out{};
    crypto_generichash_final(&state_, out.data(), out.size());
    return out;
  }

 private:
  crypto_generichash_state state_;
};

}  // namespace

PairKey pair_key(const MasterKey& master, const Address& from, const Address& to, std::uint64_t epoch) {
  Hash hash(master);
  hash.feed({reinterpret_cast<const std::uint8_t*>(kUse.data()), kUse.size()});
  hash.feed(from);
  hash.feed(to);
  std::array<std::uint8_t, 8> number{};
  for (std::size_t i = 0; i < number.size(); ++i) number[i] = static_cast<std::uint8_t>(epoch >> (56 - 8 * i));
  hash.feed(number);
  return {epoch, hash.end()};
}

PairKeys pair_keys(const MasterKey& master, const Address& from, const Address& to, std::uint64_t epoch) {
  return {pair_key(master, from, to, epoch), pair_key(master, from, to, epoch == 0 ? 0 : epoch - 1),
          pair_key(master, from, to, epoch + 1)};
}

}  // namespace weir::hosts
