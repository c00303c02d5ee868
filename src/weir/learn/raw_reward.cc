#include "weir/learn/raw_reward.h"

#include <algorithm>

#include "weir/policy/observation.h"

namespace weir::learn {

std::vector<LayerShape> raw_shape(int inputs, int outputs, policy::Activation last) {
  return dense_shape(std::array{inputs, 32, 16, outputs}, last);
}

std::array<double, kRawInputs> look_raw(const policy::Signal& signal, double limit, const policy::Observation& o,
                                        Outcome& outcome) {
  const double sent = std::max(1.0, static_cast<double>(o.sent));
  outcome.signal = policy::signal(signal, o);
  const double error = outcome.signal / signal.scale;
  outcome.reward = -error * error;
  const double inflation = static_cast<double>(o.rtt.ps) / static_cast<double>(o.base_rtt.ps);
  return {o.rate, std::min(inflation, limit), o.cnps / sent, o.nacks / sent};
}

}  // namespace weir::learn
