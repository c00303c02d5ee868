// On-Ramp's rule written a second time, plainly: bytes are counted in 64 bits and never wrap, all else in 128, notes
// are a list that is searched from its begin. It is given the same as on_ramp_rule.h, and must do the same to the bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>

#include "weir/cc/on_ramp_rule.h"

namespace weir::cc {

class OnRampOracle {
 public:
  using Wide = __int128;

  struct Departure {
    Wide sent = 0;
    Wide paused = 0;
    std::size_t place = 0;
    std::int64_t seq = 0;
  };

  explicit OnRampOracle(const weir_on_ramp_params& p) : p_(p), beta_(std::min<Wide>(p.initial_beta, kOne)) {}

  void on_send(std::uint32_t seq, std::uint32_t length, long long time) {
    const Wide now = std::max<Wide>(time, 0);
    const std::int64_t bytes = std::min<std::int64_t>(length, kSpan / 2);
    const std::int64_t first = unwrapped(seq);
    if (begun_ && first < end_ && first >= end_ - kSpan) return on_resend(seq, static_cast<std::uint32_t>(bytes));
    if (!begun_ || first != end_ || first + bytes - answered_ > kSpan) forget(first);
    if (p_.max_age > 0 && !notes_.empty() && now - notes_.front().sent > p_.max_age) forget(first);
    begun_ = true;
    if (!newest_stays(first, now)) notes_.pop_back();
    notes_.push_back({now, paused(now), first, bytes});
    end_ = first + bytes;
  }

  void on_resend(std::uint32_t seq, std::uint32_t length) {
    const std::int64_t behind = unwrapped(seq) + std::min<std::int64_t>(length, kSpan);
    if (!begun_ || behind <= answered_) return;
    if (behind >= end_) return forget(behind);
    answered_ = behind;
    while (notes_.size() > 1 && notes_[1].seq <= answered_) notes_.pop_front();
  }

  void on_more(std::uint32_t seq, std::uint32_t length) {
    if (!begun_ || unwrapped(seq) != end_ || length > kSpan / 2) return;
    end_ += length;
    if (notes_.empty()) return;
    notes_.back().length += length;
    if (notes_.back().length > kSpan / 2) forget(end_);
  }

  std::optional<Departure> find(std::uint32_t number) const {
    const std::int64_t seq = unwrapped(number);
    if (seq < answered_ || seq >= end_) return std::nullopt;
    for (std::size_t n = notes_.size(); n-- > 0;) {
      const Note& a = notes_[n];
      if (a.seq > seq) continue;
      if (seq < a.seq + a.length) return Departure{a.sent, a.paused, n, seq};
      const Note& b = notes_[n + 1];
      const Wide part = fraction(seq - a.seq, b.seq - a.seq);
      return Departure{a.sent + times(std::max<Wide>(b.sent - a.sent, 0), part),
                       a.paused + times(std::max<Wide>(b.paused - a.paused, 0), part), n, seq};
    }
    return std::nullopt;
  }

  int on_or_ack(std::uint32_t seq, long long delay_given, long long time) {
    const std::optional<Departure> green = find(seq);
    if (!green) return 0;
    const Wide now = std::max<Wide>(time, 0);
    const Wide delay = bounded(delay_given);
    Wide excess = delay - bounded(p_.threshold);
    if (p_.strawman == 0) {
      const Wide between = black_ ? green->paused - black_->paused : 0;
      if (between > 0) {
        const Wide fall = std::clamp<Wide>(black_delay_ - delay, 0, between);
        const Wide gain = std::min<Wide>(p_.gain, kOne);
        beta_ = (beta_ * (kOne - gain) + (fall == between ? kOne : fraction(fall, between)) * gain + kOne / 2) / kOne;
      }
      if (excess > 0) excess -= times(std::max<Wide>(paused(now) - green->paused, 0), beta_);
    }
    black_ = green;
    black_delay_ = delay;
    answered_ = green->seq + 1;
    notes_.erase(notes_.begin(), notes_.begin() + static_cast<std::ptrdiff_t>(green->place));
    if (excess <= 0) return 1;
    pause(excess, now);
    return 2;
  }

  void remember(long long delay, long long then) {
    const Wide excess = bounded(delay) - bounded(p_.threshold);
    if (excess > 0) pause(excess, then);
  }

  Wide paused(Wide now) const { return before_ + std::clamp(now, begin_, until_) - begin_; }
  Wide next() const { return until_; }
  Wide beta() const { return beta_; }
  std::size_t notes() const { return notes_.size(); }
  std::uint32_t end() const { return static_cast<std::uint32_t>(end_); }
  std::uint32_t answered() const { return static_cast<std::uint32_t>(answered_); }

 private:
  struct Note {
    Wide sent;
    Wide paused;
    std::int64_t seq;
    std::int64_t length;
  };

  static constexpr Wide kOne = 1 << 24;
  static constexpr std::int64_t kSpan = 1 << 29;
  static constexpr std::int64_t kNotes = 128;
  static constexpr Wide kLast = (Wide{1} << 63) - 1;

  static Wide bounded(Wide ticks) { return std::clamp(ticks, -((Wide{1} << 62) - 1), (Wide{1} << 62) - 1); }
  static Wide times(Wide whole, Wide part) { return (whole * part + kOne / 2) / kOne; }
  static Wide fraction(Wide part, Wide whole) {
    return whole >= Wide{1} << 39 ? (part / kOne * kOne) / (whole / kOne) : part * kOne / whole;
  }
  // The byte of this number that is nearest to the end.
  std::int64_t unwrapped(std::uint32_t seq) const {
    if (!begun_) return seq;
    return end_ + static_cast<std::int32_t>(seq - static_cast<std::uint32_t>(end_));
  }

  bool newest_stays(std::int64_t seq, Wide now) const {
    if (notes_.size() < 2) return true;
    const std::int64_t room = kNotes - std::ssize(notes_);
    if (room == 0) return false;
    const Note& before = notes_[notes_.size() - 2];
    if (Wide{seq - before.seq} * room >= seq - answered_) return true;
    const Wide gap = now - before.sent;
    return gap > 0 && (gap >= Wide{1} << 56 || gap * room >= now - notes_.front().sent);
  }

  void forget(std::int64_t seq) {
    notes_.clear();
    answered_ = end_ = seq;
  }

  void pause(Wide excess, Wide now) {
    now = std::max(now, begin_);
    if (p_.max_pause > 0) excess = std::min<Wide>(excess, p_.max_pause);
    before_ = paused(now);
    begin_ = now;
    until_ = std::min(now + excess, kLast);
  }

  weir_on_ramp_params p_;
  Wide before_ = 0;
  Wide begin_ = 0;
  Wide until_ = 0;
  std::optional<Departure> black_;
  Wide black_delay_ = 0;
  Wide beta_;
  bool begun_ = false;
  std::int64_t answered_ = 0;
  std::int64_t end_ = 0;
  std::deque<Note> notes_;
};

}  // namespace weir::cc
