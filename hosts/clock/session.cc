#include "hosts/clock/session.h"

#include <sodium.h>

namespace weir::hosts::clock {

bool NumberWindow::is_new(std::uint64_t number) {
  if (number > largest_) {
    const std::uint64_t ahead = number - largest_;
    seen_ = ahead < 64 ? seen_ << ahead | 1 : 1;
    largest_ = number;
    return true;
  }
  const std::uint64_t behind = largest_ - number;
  if (behind >= 64 || (seen_ >> behind & 1) != 0) return false;
  seen_ |= std::uint64_t{1} << behind;
  return true;
}

Session::Session() { renew(); }

void Session::renew() {
  do randombytes_buf(&ours_, sizeof ours_);
  while (ours_ == 0);
  theirs_ = 0;
  number_ = 0;
  window_ = {};
}

Session::Verdict Session::heard(const Header& header) {
  if (header.to != ours_) {
    candidate_ = header.from;
    return Verdict::stranger;
  }
  if (header.from == theirs_) return window_.is_new(header.number) ? Verdict::good : Verdict::repeated;
  if (theirs_ != 0) {
    renew();
    candidate_ = header.from;
    return Verdict::stranger;
  }
  theirs_ = candidate_ = header.from;
  window_.is_new(header.number);
  return Verdict::begins;
}

Header Session::next(Kind kind) {
  return {.kind = kind, .from = ours_, .to = theirs_ != 0 ? theirs_ : candidate_, .number = ++number_};
}

}  // namespace weir::hosts::clock
