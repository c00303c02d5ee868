#include "hosts/clock/keyring.h"

#include <string_view>

#include <sodium.h>

namespace weir::hosts::clock {

KeyRing::KeyRing(PairKeyMaker make, const Address& local, const Address& peer, std::uint64_t epoch)
    : maker_(std::move(make)), local_(local), peer_(peer), epoch_(epoch) {
  make_all();
}

void KeyRing::at(std::uint64_t epoch) {
  if (epoch == epoch_) return;
  epoch_ = epoch;
  make_all();
}

std::optional<Key> KeyRing::receive(std::uint16_t id) const {
  const auto ahead = static_cast<std::uint16_t>(id - this->id() + 1);
  if (ahead >= receive_.size()) return std::nullopt;
  return receive_[ahead];
}

Key KeyRing::make(const Address& from, const Address& to, std::uint64_t epoch) const {
  constexpr std::string_view purpose = "weir clock v1";
  const PairKey pair = maker_(from, to, epoch);
  Key out{};
  crypto_generichash(out.data(), out.size(), reinterpret_cast<const unsigned char*>(purpose.data()), purpose.size(),
                     pair.key.data(), pair.key.size());
  return out;
}

void KeyRing::make_all() {
  send_ = make(local_, peer_, epoch_);
  for (std::size_t i = 0; i < receive_.size(); ++i) receive_[i] = make(peer_, local_, epoch_ + i - 1);
}

}  // namespace weir::hosts::clock
