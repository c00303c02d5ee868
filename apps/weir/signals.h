// Ctrl-C, SIGTERM and SIGHUP end a run at the end of an epoch; the second one kills.
#pragma once

namespace weir::app {

// One that is ignored, as SIGHUP is under nohup, stays so.
void catch_signals();
// The signal that has come, or 0.
int pending_signal();

// After catch_signals(), while one lives: no signal of these kills, for what must not be left half done.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
};

}  // namespace weir::app
