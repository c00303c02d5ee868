// What models predict: rates of flows on links.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "module.h"
#include "weir/base/error.h"
#include "weir/catalogue.h"
#include "weir/theory/alpha_fair.h"
#include "weir/theory/max_min.h"
#include "weir/theory/network.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

using Numbers = std::vector<double>;
using Paths = std::vector<std::vector<std::uint32_t>>;

theory::Network network_of(const Numbers& capacities, Paths paths, const Numbers& weights) {
  theory::Network out{capacities, {}};
  if (!weights.empty() && weights.size() != paths.size())
    throw InputError("weights", "there are " + std::to_string(weights.size()) + "; valid is one for each of " +
                                    std::to_string(paths.size()) + " flows");
  for (std::size_t j = 0; j < paths.size(); ++j)
    out.flows.push_back({std::move(paths[j]), weights.empty() ? 1 : weights[j]});
  theory::check(out);
  return out;
}

}  // namespace

void add_theory(nb::module_& m) {
  m.def(
      "max_min",
      [](const Numbers& capacities, Paths paths, const Numbers& weights) {
        theory::Filling f = theory::max_min(network_of(capacities, std::move(paths), weights));
        return nb::make_tuple(std::move(f.rates), std::move(f.bottlenecks), std::move(f.levels));
      },
      "capacities"_a, "paths"_a, "weights"_a,
      nb::sig("def max_min(capacities: collections.abc.Sequence[float], "
              "paths: collections.abc.Sequence[collections.abc.Sequence[int]], "
              "weights: collections.abc.Sequence[float]) -> tuple[list[float], list[int], list[float]]"));
  m.def(
      "alpha_fair",
      [](const Numbers& capacities, Paths paths, double alpha, const Numbers& weights) {
        return theory::alpha_fair(network_of(capacities, std::move(paths), weights), alpha).rates;
      },
      "capacities"_a, "paths"_a, "alpha"_a, "weights"_a);
  m.def(
      "additive_equilibrium",
      [](const Numbers& capacities, Paths paths, double increase, const Numbers& weights) {
        return theory::additive_equilibrium(network_of(capacities, std::move(paths), weights), increase).rates;
      },
      "capacities"_a, "paths"_a, "increase"_a, "weights"_a);
  m.def(
      "loads",
      [](const Numbers& capacities, Paths paths, const Numbers& rates) {
        const theory::Network network = network_of(capacities, std::move(paths), {});
        if (rates.size() != network.flows.size())
          throw InputError("rates", "valid is one for each of " + std::to_string(network.flows.size()) + " flows");
        return theory::loads(network, rates);
      },
      "capacities"_a, "paths"_a, "rates"_a);
  m.def("catalogue_json", &catalogue_json);
}

}  // namespace weir::python
