// Finds out by trials whether the threads of a run are quicker together than one of them alone.
#pragma once

#include <array>
#include <cstdint>

namespace weir::engine {

// Several threads may take longer than one on a busy machine, where a thread waits for another that has no processor,
// and in a network with little work between two waits. So each way is tried for a while, again and again, and for most
// of the time the run goes the way that has done more work in its time. Results do not depend on it.
class ThreadTrials {
 public:
  // Whether one thread does the next round alone.
  bool alone() const { return way_ == kAlone; }
  // Called when a round has ended, with the work that it did, in any unit, and its nanoseconds.
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
  static constexpr std::int64_t kFirstTrials = 16;    // lengths of a trial until the next one, once the choice changed
  static constexpr std::int64_t kMostTrials = 128;    // the most of these; they double each time that the choice stays
  static constexpr double kMemory = 0.5;              // how much a trial counts when the next one has been made
  static constexpr double kClear = 1.05;              // one thread alone is chosen if it does so many times as much

  Way way_ = kTogether;     // the way of the present rounds
  Way chosen_ = kTogether;  // the way between trials
  Pace now_;                // of the present span, which is a trial or goes from one to the next
  std::int64_t span_ = kTrial;
  std::int64_t trials_ = kFirstTrials;
  std::array<Pace, 2> paces_;
  std::array<double, 2> done_{};  // work
};

}  // namespace weir::engine
