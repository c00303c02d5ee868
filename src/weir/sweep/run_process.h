// One run of a study, in a process of its own.
//
// It is a process and not a thread so that a run that takes too much of something, or fails, ends alone, and its memory
// is given back when it ends. fork() hands the scenario over, and takes well under a millisecond.
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
  enum class How { done, failed, cannot_write };  // cannot_write: a full disk, which concerns all runs
  How how = How::failed;
  std::string why;       // why it is not done
  bool resumed = false;  // from a checkpoint that an earlier process had left
};

struct RunRules {
  std::uint64_t memory = 0;  // bytes; the run fails when it takes more; 0 = it may take what there is
  double checkpoint_s = 0;   // it keeps a checkpoint so often; 0 = none
  bool looks_back = true;    // it looks for what earlier processes have left of it
};

class RunProcess {
 public:
  // Begins the run, or goes on with what is left of it; its result appears in the sweep's directory whole. If somebody
  // else has put the same result there meanwhile, it is done. Throws std::system_error.
  RunProcess(const study::Plan& plan, const std::string& dir, std::size_t run, const RunRules& rules = {});

  std::size_t run() const { return run_; }
  // How the run ended; nothing while it is at work. Call it until it gives an end. Throws std::system_error if the end
  // cannot be known.
  std::optional<RunEnd> end();
  // Gives the run up, and waits for the process. A checkpoint stays.
  void stop();

 private:
  // Shared with the process, which writes into it what it has to tell: pipes would take a descriptor for each.
  static constexpr std::size_t kMessageSize = 4096;
  struct Unmap {
    void operator()(char* at) const { ::munmap(at, kMessageSize); }
  };

  enum class Left { nothing, checkpoint };
  void remove_partial(Left stays) const;

  std::size_t run_;
  std::string target_;   // the result
  std::string partial_;  // where it is made
  std::unique_ptr<char, Unmap> message_;
  pid_t pid_ = 0;
};

}  // namespace weir::run
