#include "weir/cc/fixed_window.h"

namespace weir::cc {

void FixedWindow::Params::describe(ParamList<Params>& p) {
  p.bytes("window", &Params::window,
          "window; 0 = bandwidth-delay product of the path (its base RTT, its slowest link)");
  p.rate("rate", &Params::rate, "pacing rate; 0 = not paced");
}

}  // namespace weir::cc
