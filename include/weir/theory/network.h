// A network as theory sees it: links with capacities, and flows as fluids on fixed paths, or spread over several.
//
// Capacities may be in any unit; rates are in the same one. For results at a target utilisation,
// multiply the capacities by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weir::theory {

struct Flow {
  std::vector<std::uint32_t> links;  // the links that it crosses, at least one and none twice
  double weight = 1;                 // number of flows on this path that it stands for; its rate is their sum
  std::vector<double> shares = {};   // by link of `links`: the share of its rate there, > 0; empty: 1 on each

  double share(std::size_t k) const { return shares.empty() ? 1 : shares[k]; }
};

struct Network {
  std::vector<double> capacities;  // by link, > 0
  std::vector<Flow> flows;
};

// A[i][j] != 0: flow j crosses link i (the incidence matrix of HPCC, appendix A.2).
Network from_incidence(const std::vector<std::vector<int>>& a, std::vector<double> capacities);

// Throws InputError if a capacity or a weight is not positive or a flow's links are not as above.
void check(const Network&);

// What the flows put on each link: Y = A R, where A_ij is the share of flow j that link i carries.
std::vector<double> loads(const Network&, const std::vector<double>& rates);

// By flow, the largest ratio of load and capacity on its path: max_i Y_i / C_i over the i with A_ij > 0.
std::vector<double> congestion(const Network&, const std::vector<double>& rates);

// Whether no flow can get more without another one getting less: no link is overloaded, and each flow
// crosses a full one, both up to the relative tolerance.
bool pareto_optimal(const Network&, const std::vector<double>& rates, double tolerance = 1e-9);

// By flow, a full link of its path on which no other flow has a higher rate per weight. If every flow has one,
// the rates are max-min fair (Bertsekas and Gallager, Data Networks, 6.5.2).
std::vector<std::optional<std::uint32_t>> bottlenecks(const Network&, const std::vector<double>& rates,
                                                      double tolerance = 1e-9);

}  // namespace weir::theory
