// The keys of messages about clocks between us and one other host: made of the pair's keys of an epoch, so that neither
// kind of message can pass for the other.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "hosts/clock/wire.h"
#include "hosts/path/data_path.h"

namespace weir::hosts::clock {

using PairKeyMaker = std::function<PairKey(const Address& from, const Address& to, std::uint64_t epoch)>;

class KeyRing {
 public:
  // `local` is ours.
  KeyRing(PairKeyMaker make, const Address& local, const Address& peer, std::uint64_t epoch);

  // To be called now and then; keys are made when the epoch changes.
  void at(std::uint64_t epoch);

  std::uint16_t id() const { return static_cast<std::uint16_t>(epoch_); }
  const Key& send() const { return send_; }
  // The key that the peer signs with and calls `id`: of this epoch, the one before, or the next, since the hosts' times
  // of day differ.
  std::optional<Key> receive(std::uint16_t id) const;
  const Address& local() const { return local_; }

 private:
  Key make(const Address& from, const Address& to, std::uint64_t epoch) const;
  void make_all();

  PairKeyMaker maker_;
  Address local_;
  Address peer_;
  std::uint64_t epoch_;
  Key send_{};
  std::array<Key, 3> receive_{};  // of epoch_ - 1, epoch_, epoch_ + 1
};

}  // namespace weir::hosts::clock
