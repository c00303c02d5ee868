// What the agent may do: no more than its work on the network needs.
#pragma once

#include <string>
#include <vector>

namespace weir::hosts {

// The capabilities that this process lacks for a mode: CAP_NET_ADMIN and CAP_NET_RAW, and with `bpf` CAP_BPF and
// CAP_PERFMON, too. Empty: it has all.
std::vector<std::string> missing_capabilities(bool bpf);

// While it lives, this thread goes before all ordinary ones (SCHED_FIFO of the lowest priority), and threads that it
// starts do so for ever: who releases packets should not wait for others. Where that is not allowed, all stays as it
// is. It is made before privileges are given up, and ended behind that.
class Realtime {
 public:
  Realtime();
  Realtime(const Realtime&) = delete;
  Realtime& operator=(const Realtime&) = delete;
  ~Realtime();

  bool on() const { return on_; }

 private:
  bool on_ = false;
};

// Gives up all others, for this process and all programs that it starts, for ever. Throws std::runtime_error.
void drop_privileges();

}  // namespace weir::hosts
