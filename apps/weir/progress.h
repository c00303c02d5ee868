// How a run is getting on, on standard error: one line that is rewritten on a terminal, a line
// every ten seconds elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "weir/run/execute.h"

namespace weir::app {

// The line itself. It is cleared when this ends.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;

  // Whether it is time for another.
  bool due() const;
  void show(const std::string& line);
  void clear() const;
  double since_begin() const;  // s
  double since_last() const;   // s, since it was shown

 private:
  using Clock = std::chrono::steady_clock;
  const bool terminal_;
  const Clock::time_point begin_;
  Clock::time_point last_;
  bool shown_ = false;
};

// How long something still takes, by how much of it is done. It counts down while nothing new is known. Where it was
// foreseen too early, it says so, instead of a time that grows.
class Forecast {
 public:
  // What is left when that share has taken `elapsed` seconds: "about 12 s left", "longer than foreseen"; "" = not
  // known.
  std::string text(double done, double elapsed);

 private:
  double done_ = 0;
  double end_ = 0;  // seconds that it takes in all, as foreseen; 0 = nothing yet
  bool is_late_ = false;
};

// The line of one run, with what is to be expected of it.
class ProgressLine {
 public:
  // `expected` is what the traffic amounts to, `stop` the end of the run in simulated time.
  ProgressLine(const scenario::Expected& expected, Time stop);
  void show(const Progress& progress);
  // Something to be told above the line.
  void tell(const std::string& text) const;

  // How many flows there are, as far as that is known: "5", "about 4000000", "over 2000000".
  static std::string flows_text(const scenario::Expected& expected);
  // The line with what is to be expected of a run of which that share took `elapsed` seconds. Where all has been sent
  // once, nothing can be foretold.
  static std::string with_forecast(const std::string& line, double done, double elapsed, Forecast& forecast);

 private:
  Forecast forecast_;
  const scenario::Expected expected_;
  const Time stop_;
  StatusLine line_;
  std::uint64_t last_hops_ = 0;
};

// "12 s", "3 min 20 s"
std::string duration_text(double seconds);

}  // namespace weir::app
