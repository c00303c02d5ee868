// The evaluation of Congestion Control for Spraying with Congested Paths: bars of its figures.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/units.h"
#include "weir/claims/evaluator.h"

namespace weir::claims {

inline constexpr double kGbps = 1e9;
// Round trips of the slow path in the paper's theorems, 1.6 and 3.2 times T_s.
inline constexpr Time kSlow{10'000'000};
inline constexpr Time kSlower{20'000'000};

// One bar: an algorithm and who balances load, with several seeds.
struct Bar {
  std::vector<double> increase;          // of the completion time beyond its bound, %; infinite = not complete
  std::vector<std::vector<double>> fct;  // of all flows, us; by seed
  std::uint64_t lost = 0;                // packets dropped by full buffers
  std::uint64_t timeouts = 0;
  double mean() const;
  double error() const;  // standard error of the mean
  double p99() const;    // of the flows of all seeds
};

// What a figure runs. Seeds are 1, 2, ...
struct Setting {
  ClaimFile file;
  int seeds = 0;
  std::vector<std::string> overrides;
  World acks = World::first;                                       // among data, or ahead of it
  bool elephants = true;                                           // that are a profile of their own
  std::function<std::vector<std::string>(int seed)> by_seed = {};  // more overrides
};

// "Swift", "LSwift", "MSwift", "NSCC", "MNSCC", "MSwift-P10", "MSwift-P90".
using Algorithm = std::string;
// "ops", "adaptive", "reps"; "ecmp".
using Balancer = std::string;

extern const std::vector<Balancer> kBalancers;   // the three of the paper
extern const std::vector<Algorithm> kResilient;  // all but Swift

// The scenario of the baseline.
Setting baseline(const Context&, int seeds, std::vector<std::string> overrides = {});
// Without elephants: all hosts; a ring step of HSDP; 32 random hosts to one.
Setting permutation(const Context&, int seeds);
Setting hsdp(const Context&, int seeds);
Setting incast(const Context&, int seeds);

class Figure {
 public:
  Figure(const Setting&, const std::vector<Algorithm>&, const std::vector<Balancer>& = kBalancers);

  const Bar& at(const Algorithm& a, const Balancer& b) const { return bars_.at({a, b}); }
  double mean(const Algorithm& a, const Balancer& b) const { return at(a, b).mean(); }
  // Of the balancers.
  double mean(const Algorithm& a) const;
  const std::vector<Algorithm>& algorithms() const { return algorithms_; }
  const std::vector<Balancer>& balancers() const { return balancers_; }
  // "Swift 900 +- 30 / 1000 +- 40 / 800 +- 50 %", by balancer; of these algorithms, or all.
  std::string text(const std::vector<Algorithm>& algorithms = {}) const;

 private:
  std::string row(const Algorithm& a) const;

  std::vector<Algorithm> algorithms_;
  std::vector<Balancer> balancers_;
  std::map<std::pair<Algorithm, Balancer>, Bar> bars_;
};

}  // namespace weir::claims
