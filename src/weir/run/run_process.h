// One run of a study, in a process of its own.
//
// A process per run and not a thread: what a run takes too much of, or trips over, ends that run alone, and the memory
// of one is given back when it ends. fork() hands the scenario over; it costs well under a millisecond.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "weir/study/plan.h"

namespace weir::run {

// Lets this process end when the one that started it does.
void end_with_parent();

// How a run's process ended.
struct RunEnd {
  enum class How { done, failed, cannot_write };  // the last: a full disk, for whichever run
  How how = How::failed;
  std::string why;  // it is not done
};

class RunProcess {
 public:
  // Begins the run, whose result appears in the sweep's directory whole. It fails when it takes more than `memory`
  // bytes; 0 = it may take what there is. Throws std::system_error.
  RunProcess(const study::Plan& plan, const std::string& dir, std::size_t run, std::uint64_t memory = 0);

  std::size_t run() const { return run_; }
  // Nothing while it is at work; to be asked until it has ended. Throws std::system_error if that cannot be known.
  std::optional<RunEnd> end();
  // Gives the run up, and waits for the process.
  void stop();

 private:
  // Shared with the process, which writes into it what it has to tell: pipes would take a descriptor for each.
  static constexpr std::size_t kMessageSize = 4096;
  struct Unmap {
    void operator()(char* at) const { ::munmap(at, kMessageSize); }
  };

  void remove_partial() const;

  std::size_t run_;
  std::string target_;  // the result
  std::unique_ptr<char, Unmap> message_;
  pid_t pid_ = 0;
};

}  // namespace weir::run
