// Which messages of another host are of now: an exchange of nonces, and a window of numbers behind it.
//
// Either host has a random nonce for the other. What carries ours was made after we chose it; its number must not have
// been seen before. A host that starts anew has a new nonce: before we believe that, we take a new one ourselves, which
// no recording can carry. So what was recorded in another session, or earlier in this one, is worth nothing, and all
// that it can bring about is a greeting.
#pragma once

#include <cstdint>

#include "hosts/clock/wire.h"

namespace weir::hosts::clock {

// Numbers of messages that were seen: each is new once, and those that are 64 or more behind the largest are not.
class NumberWindow {
 public:
  bool is_new(std::uint64_t number);

 private:
  std::uint64_t largest_ = 0;
  std::uint64_t seen_ = 0;  // bit i: largest_ - i
};

class Session {
 public:
  enum class Verdict : std::uint8_t {
    good,
    begins,    // good, and the first of a session: what is known of earlier ones is void
    stranger,  // signed, but not of this session: a greeting tells the other what it needs
    repeated,  // seen before, or too late
  };

  // A new session, with a nonce from the kernel.
  Session();

  Verdict heard(const Header& header);
  // The header of our next message, without the id of its key.
  Header next(Kind kind);

  // The other host has told that it hears us.
  bool established() const { return theirs_ != 0; }
  std::uint64_t ours() const { return ours_; }
  // Starts anew: nothing has been heard for long.
  void renew();

 private:
  std::uint64_t ours_ = 0;
  std::uint64_t theirs_ = 0;     // 0: not established
  std::uint64_t candidate_ = 0;  // the last nonce that a signed message carried, for greetings
  std::uint64_t number_ = 0;
  NumberWindow window_;
};

}  // namespace weir::hosts::clock
