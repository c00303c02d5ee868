#include "weir/theory/spraying.h"

#include <algorithm>
#include <cmath>

namespace weir::theory {
namespace {

constexpr auto kAppendix = "Spraying, appendix A";

double ps(Time t) { return static_cast<double>(t.ps); }

}  // namespace

void SprayingModel::describe(ParamList<SprayingModel>& p) {
  using M = SprayingModel;
  p.number("q", &M::q, 1e-9, 0.5, "part of the packets that take the congested path", kAppendix);
  p.time("t_s", &M::t_s, "round trip on other paths", kAppendix, Time{1});
  p.time("t_l", &M::t_l, "round trip on the congested path", kAppendix, Time{1});
  p.bytes("mss", &M::mss, "bytes in a packet", kAppendix, Bytes{1});
  p.number("ai", &M::ai, 1e-6, 1e6, "Swift: packets per round trip", kAppendix);
  p.number("max_mdf", &M::max_mdf, 1e-6, 1, "Swift: largest decrease", kAppendix);
  p.number("beta", &M::beta, 1e-6, 1, "Swift: multiplicative decrease constant", "Swift algorithm 1");
  p.time("target", &M::target, "Swift: target delay for large windows", "Swift 3.5");
  p.time("fs_range", &M::fs_range, "Swift: most that flow-based scaling adds", "Swift 3.5");
  p.number("fs_min_cwnd", &M::fs_min_cwnd, 0.001, 1, "Swift: window up to which it adds that", "Swift 3.5");
  p.number("fs_max_cwnd", &M::fs_max_cwnd, 2, 1e6, "Swift: window at which it adds nothing", "Swift 3.5");
  p.time("base_rtt", &M::base_rtt, "SMaRTT: base round trip; its target is 1.5 of it", kAppendix, Time{1});
  p.number("bdp", &M::bdp, 1, 1e9, "SMaRTT: bandwidth-delay product in packets", kAppendix);
  p.number("fi", &M::fi, 0, 1e3, "SMaRTT: fair increase", kAppendix);
  p.number("fd", &M::fd, 1e-6, 1, "SMaRTT: fair decrease", kAppendix);
}

Time SprayingModel::t_avg() const { return {static_cast<std::int64_t>((1 - q) * ps(t_s) + q * ps(t_l))}; }

double SprayingModel::tcp() const { return 8e12 * static_cast<double>(mss.count) / ps(t_s) * std::sqrt(1.5 / q); }

// From W (1 - decrease) to W by ai packets per round trip, with 1 / q packets in between.
double SprayingModel::sawtooth(Time rtt, double decrease) const {
  return 8e12 * static_cast<double>(mss.count) / ps(rtt) * std::sqrt((1 / decrease - 0.5) * ai / q);
}

double SprayingModel::max_window(double decrease) const { return std::sqrt(ai / (q * decrease * (1 - decrease / 2))); }

double SprayingModel::swift() const { return sawtooth(t_s, max_mdf); }

double SprayingModel::smartt_increase() const {
  const double alpha = ps(t_s) / ps(base_rtt);
  return (3 - 2 * alpha) / alpha + fi;
}

double SprayingModel::smartt_max_window() const {
  const double gamma = 1 - fd / bdp;
  const double a = smartt_increase();
  return (std::sqrt(gamma * gamma + (1 - gamma * gamma) * 2 * a / q) - gamma * gamma) / (1 - gamma * gamma);
}

double SprayingModel::smartt() const {
  const double gamma = 1 - fd / bdp;
  const double w = smartt_max_window();
  return 8e12 * static_cast<double>(mss.count) / ps(t_avg()) * smartt_increase() / (q * (gamma + (1 - gamma) * w));
}

double SprayingModel::fs_alpha() const {
  return ps(fs_range) / (1 / std::sqrt(fs_min_cwnd) - 1 / std::sqrt(fs_max_cwnd));
}

double SprayingModel::decrease(double target_delay) const {
  return std::min(max_mdf, beta * (ps(t_l) - target_delay) / ps(t_l));
}

// The target of an infinite window, as the formula of flow-based scaling continues beyond fs_max_cwnd.
double SprayingModel::resilient_swift() const {
  return sawtooth(t_avg(), decrease(ps(target) - fs_alpha() / std::sqrt(fs_max_cwnd)));
}

double SprayingModel::resilient_swift_order_1() const {
  const double m = decrease(ps(target) - fs_alpha() / std::sqrt(fs_max_cwnd));
  if (m == max_mdf) return resilient_swift();
  const double shift = beta * fs_alpha() / (2 * ps(t_l) * m * (1 - m / 2) * std::sqrt(max_window(m)));
  return resilient_swift() * (1 + shift);
}

double SprayingModel::resilient_swift_exact() const {
  const double infinite = ps(target) - fs_alpha() / std::sqrt(fs_max_cwnd);
  double m = decrease(infinite);
  for (int i = 0; i < 100; ++i) m = decrease(infinite + fs_alpha() / std::sqrt(max_window(m)));
  return sawtooth(t_avg(), m);
}

bool median_avoids_collapse(int n, int h) {
  const int congested = (h + n - 1) / n;  // at most, of h in succession
  return (h - 1) / 2 < h - congested;
}

}  // namespace weir::theory
