// Whether the threads of a run are quicker together than one of them alone, which is found by trying.
#pragma once

#include <array>
#include <cstdint>

namespace weir::engine {

// On a busy machine, where a thread waits for another that has no processor, and in a network with little to do between
// two waits, several threads may take longer than one. So each way is tried for a while, again and again, and most of
// the time goes by the way that has done more work in its time. Results do not depend on it.
class ThreadTrials {
 public:
  // Whether one thread does the next round alone.
  bool alone() const { return way_ == kAlone; }
  // A round has ended that did so much work, in any unit, in so many nanoseconds.
  void add(std::uint64_t work, std::int64_t ns);
  // The share of all work that one thread has done alone; 0 if there has been none.
  double share_alone() const;

 private:
  enum Way : std::uint8_t { kTogether, kAlone };
  struct Pace {
    double work = 0;
    double ns = 0;
  };
  void end_of_span();

  static constexpr std::int64_t kTrial = 10'000'000;  // ns: longer than a thread has its processor at a time
  static constexpr std::int64_t kFirstTrials = 16;  // from one trial to the next there are so many times its length ...
  static constexpr std::int64_t kMostTrials = 128;  // ... and as long as the choice stays, each time twice as many
  static constexpr double kMemory = 0.5;            // how much a trial counts when the next one has been made
  static constexpr double kClear = 1.05;            // so much more is done by one thread alone if that is chosen

  Way way_ = kTogether;     // of the present rounds ...
  Way chosen_ = kTogether;  // ... and between trials
  Pace now_;                // of the present span, which is a trial or goes from one to the next
  std::int64_t span_ = kTrial;
  std::int64_t trials_ = kFirstTrials;
  std::array<Pace, 2> paces_;
  std::array<double, 2> done_{};  // work
};

}  // namespace weir::engine
