// Fair rates, without packets.
#include <cmath>
#include <vector>

#include "weir/theory/alpha_fair.h"
#include "weir/theory/max_min.h"
#include "weir/theory/network.h"

int main() {
  const weir::theory::Network network = weir::theory::from_incidence({{1, 1, 0}, {1, 0, 1}}, {10e9, 20e9});
  weir::theory::check(network);
  const weir::theory::Filling fair = weir::theory::max_min(network);
  const weir::theory::AlphaFair proportional = weir::theory::alpha_fair(network, 1);
  const bool is_full = std::abs(weir::theory::congestion(network, fair.rates)[0] - 1) < 1e-9;
  const bool is_right = std::abs(fair.rates[0] - 5e9) < 1 && std::abs(fair.rates[2] - 15e9) < 1 &&
                        fair.bottlenecks[0] == 0 && fair.levels.size() == 2;
  return is_full && is_right && weir::theory::pareto_optimal(network, fair.rates) &&
                 weir::theory::bottlenecks(network, fair.rates)[2] == 1u &&
                 weir::theory::loads(network, fair.rates)[1] <= 20e9 * 1.0001 && proportional.rates.size() == 3 &&
                 proportional.sweeps > 0 && weir::theory::additive_equilibrium(network, 1e9).rates.size() == 3
             ? 0
             : 1;
}
