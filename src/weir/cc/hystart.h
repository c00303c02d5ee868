// HyStart: the end of slow start before the first loss (Ha and Rhee, "Taming the elephants: New TCP slow start",
// Computer Networks 55(9), 2011), as Linux has it in tcp_cubic up to version 5.4. HyStart++ (RFC 9406) is another one.
//
// A round begins with an acknowledgement of what was sent after the previous round began. Slow start ends when one of
// two tests succeeds, with at least 16 packets in the window:
//
//   train   acknowledgements have been following each other for longer than half of the least round trip: the path is
//           full, since half of a round trip is about its one-way delay
//   delay   the least round trip of the first eight acknowledgements of a round is above the least of all by more than
//           an eighth of it, but at least 4 ms and at most 16 ms
//
// Linux reads both off a clock of a millisecond. Where round trips are shorter than 2 ms half of one is 0 on it, so
// that the train test succeeds as soon as the clock has gone on by one within a round. Whether a round of some
// microseconds meets such an instant depends on chance; the phase of the clock is drawn for each flow.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/cc/algorithm.h"

namespace weir::cc {

class HyStart {
 public:
  // tcp_cubic.c: hystart_low_window, hystart_ack_delta, HYSTART_MIN_SAMPLES, HYSTART_DELAY_MIN, HYSTART_DELAY_MAX.
  static constexpr double kLowWindow = 16;       // packets
  static constexpr std::uint32_t kAckDelta = 2;  // ms
  static constexpr std::uint8_t kMinSamples = 8;
  static constexpr std::uint16_t kDelayMin = 4 * 8;  // of an eighth of a millisecond
  static constexpr std::uint16_t kDelayMax = 16 * 8;

  void begin_round(const FlowFacts& facts, Time now, Bytes snd_nxt) {
    round_start_ = last_ack_ = clock(facts, now);
    end_ = snd_nxt;
    rtt_ = 0;
    samples_ = 0;
  }
  bool ends_round(const Ack& ack) const { return ack.seq > end_; }
  // A flow begins, or begins anew after a timeout.
  void reset(const FlowFacts& facts, Time now, Bytes snd_nxt) {
    least_ = 0;
    found_ = reduced_ = false;
    begin_round(facts, now, snd_nxt);
  }

  // The algorithm has reduced its window; whether it has since the last reset().
  void note_reduction() { reduced_ = true; }
  bool has_reduced() const { return reduced_; }

  // Each acknowledgement of new data, in slow start or not.
  void measure(Time rtt) {
    const std::uint16_t eighths = in_eighths(rtt);
    if (least_ == 0 || eighths < least_) least_ = eighths;
  }
  // An acknowledgement in slow start, with kLowWindow packets or more: whether slow start ends, which it does once.
  bool finds_end(const FlowFacts& facts, const Ack& ack) {
    if (found_) return false;
    const bool train = is_train(clock(facts, ack.now));
    const bool delayed = is_delayed(in_eighths(ack.rtt));
    found_ = train || delayed;
    return found_;
  }

 private:
  static std::uint32_t clock(const FlowFacts& facts, Time now) {
    const std::uint64_t phase = facts.random.below(kPhaseDraw, static_cast<std::uint64_t>(kTick.ps));
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(now.ps) + phase) /
                                      static_cast<std::uint64_t>(kTick.ps));
  }
  static std::uint16_t in_eighths(Time rtt) {
    return static_cast<std::uint16_t>(std::clamp<std::int64_t>(rtt.ps / (kTick.ps / 8), 1, 65'535));
  }
  // A gap of more than kAckDelta ends the train, and no other can begin within the round.
  bool is_train(std::uint32_t now) {
    if (now - last_ack_ > kAckDelta) return false;
    last_ack_ = now;
    return now - round_start_ > least_ / 16u;
  }
  bool is_delayed(std::uint16_t rtt) {
    if (samples_ < kMinSamples) {
      rtt_ = rtt_ == 0 ? rtt : std::min(rtt_, rtt);
      ++samples_;
      return false;
    }
    return rtt_ > least_ + std::clamp<unsigned>(least_ / 8u, kDelayMin, kDelayMax);
  }

  static constexpr Time kTick{1'000'000'000};
  static constexpr std::uint64_t kPhaseDraw = ~std::uint64_t{0};

  Bytes end_;                      // of the round: what had not been sent when it began
  std::uint32_t round_start_ = 0;  // ms
  std::uint32_t last_ack_ = 0;     // ms; of the train
  std::uint16_t least_ = 0;        // least round trip, an eighth of a millisecond each; 0 = none yet
  std::uint16_t rtt_ = 0;          // least of the round's first acknowledgements
  std::uint8_t samples_ = 0;       // how many these have been
  bool found_ = false;
  bool reduced_ = false;
};

}  // namespace weir::cc
