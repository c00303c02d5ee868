#include "hosts/clock/mesh.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>

namespace weir::hosts::clock {

std::vector<std::size_t> choose_neighbours(const Address& self, std::span<const Address> others, std::size_t most) {
  std::vector<std::size_t> chosen;
  if (others.size() <= most) {
    chosen.resize(others.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    return chosen;
  }
  // A circle of all hosts in order of their addresses, and distances along it: the same ones for every host, so that
  // choices are mutual; 1 among them, so that all are connected; the others spread like random ones, by a linear
  // congruential generator that all hosts start alike.
  std::vector<Address> circle(others.begin(), others.end());
  circle.push_back(self);
  std::sort(circle.begin(), circle.end());
  const std::size_t hosts = circle.size();
  const std::size_t half = (hosts - 1) / 2;
  std::set<std::size_t> distances{1};
  std::uint64_t state = hosts;
  while (distances.size() < std::min(half, most / 2)) {
    state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
    distances.insert(1 + (state >> 33) % half);
  }
  const auto place = static_cast<std::size_t>(std::lower_bound(circle.begin(), circle.end(), self) - circle.begin());
  std::set<Address> neighbours;
  for (const std::size_t d : distances) {
    neighbours.insert(circle[(place + d) % hosts]);
    neighbours.insert(circle[(place + hosts - d) % hosts]);
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (neighbours.contains(others[i])) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace weir::hosts::clock
