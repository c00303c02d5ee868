#include "weir/theory/sampling.h"

#include <algorithm>
#include <cassert>

#include "weir/base/units.h"

namespace weir::theory {
namespace {

using Pair = std::array<double, 2>;

constexpr double kGap = 0.05;
constexpr double kJain = 0.95;
constexpr double kStepsPerScale = 128;
constexpr int kMaxSteps = 5'000'000;

double bytes_per_ns(Rate r) { return r.bytes_per_second() * 1e-9; }
double nanoseconds(Time t) { return static_cast<double>(t.ps) * 1e-3; }

class Fluid {
 public:
  explicit Fluid(const SamplingModel& m)
      : per_rtt_{bytes_per_ns(m.slow), bytes_per_ns(m.fast)},
        sampled_(per_rtt_),
        per_time_(m.beta / nanoseconds(m.rtt)),
        per_byte_(m.beta / static_cast<double>((m.mtu * m.acks_per_drop).count)) {}

  double time() const { return time_; }
  const Pair& per_rtt() const { return per_rtt_; }
  const Pair& sampled() const { return sampled_; }
  double gap(const Pair& rates) const { return rates[1] - rates[0]; }
  double gain() const { return gap(per_rtt_) - gap(sampled_); }
  double slope_of_gain() const {
    return per_rtt_drop(per_rtt_[1]) - per_rtt_drop(per_rtt_[0]) - sampled_drop(sampled_[1]) +
           sampled_drop(sampled_[0]);
  }

  // A step that is small beside the time in which any of the rates changes.
  double natural_step() const { return 1 / (kStepsPerScale * std::max(per_time_, per_byte_ * sampled_[1])); }

  void step(double h) {
    for (double& r : per_rtt_) r = after(r, h, [this](double x) { return per_rtt_drop(x); });
    for (double& s : sampled_) s = after(s, h, [this](double x) { return sampled_drop(x); });
    time_ += h;
  }

 private:
  double per_rtt_drop(double r) const { return -per_time_ * r; }
  double sampled_drop(double s) const { return -per_byte_ * s * s; }

  template <class F>
  static double after(double x, double h, F&& slope) {
    const double k1 = slope(x);
    const double k2 = slope(x + h / 2 * k1);
    const double k3 = slope(x + h / 2 * k2);
    const double k4 = slope(x + h * k3);
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }

  double time_ = 0;
  Pair per_rtt_;
  Pair sampled_;
  double per_time_;  // beta / r
  double per_byte_;  // beta / (s MTU)
};

// When `value` of the fluid first comes down to 0, interpolated within the step, and what `also` is then.
struct Crossing {
  double time = 0;
  double also = 0;
};
template <class F, class G>
std::optional<Crossing> first_zero(Fluid fluid, F&& value, G&& also) {
  double before = value(fluid);
  if (before <= 0) return Crossing{fluid.time(), also(fluid)};
  for (int n = 0; n < kMaxSteps; ++n) {
    const double time = fluid.time();
    const double also_before = also(fluid);
    fluid.step(fluid.natural_step());
    const double now = value(fluid);
    if (now <= 0) {
      const double share = before / (before - now);
      return Crossing{time + share * (fluid.time() - time), also_before + share * (also(fluid) - also_before)};
    }
    before = now;
  }
  return std::nullopt;
}
template <class F>
std::optional<double> time_of_zero(const Fluid& fluid, F&& value) {
  const auto crossing = first_zero(fluid, value, [](const Fluid&) { return 0.0; });
  return crossing ? std::optional(crossing->time) : std::nullopt;
}

}  // namespace

void SamplingModel::describe(ParamList<SamplingModel>& p) {
  p.time("rtt", &SamplingModel::rtt, "round-trip time r", "FCF IV-B", Time{1'000'000}, Time{kPicosecondsPerSecond});
  p.integer("acks", &SamplingModel::acks_per_drop, 1, 1'000'000, "acknowledgements between decreases, s", "FCF IV-B");
  p.bytes("mtu", &SamplingModel::mtu, "bytes per acknowledgement, MTU", "FCF IV-B", Bytes{1}, Bytes{1'000'000});
  p.number("beta", &SamplingModel::beta, 0.001, 1, "decrease", "FCF IV-B");
  p.rate("fast", &SamplingModel::fast, "rate of the faster flow at first, C_1", "FCF IV-B", Rate{1'000'000});
  p.rate("slow", &SamplingModel::slow, "rate of the slower flow at first, C_0", "FCF IV-B", Rate{1'000'000});
}

bool SamplingModel::gains() const {
  // s MTU < r (C_1 + C_0), in bits and bit/s times picoseconds
  const auto bits = static_cast<__int128>((mtu * acks_per_drop).count) * 8 * kPicosecondsPerSecond;
  return bits < static_cast<__int128>(rtt.ps) * (static_cast<__int128>(fast.bits_per_second) + slow.bits_per_second);
}

double jain(const std::array<double, 2>& x) {
  const double sum = x[0] + x[1];
  return sum * sum / (2 * (x[0] * x[0] + x[1] * x[1]));
}

std::vector<SamplingState> integrate(const SamplingModel& model, Time step, Time until) {
  assert(step.ps > 0);
  Fluid fluid(model);
  std::vector<SamplingState> out;
  for (Time t; t <= until; t += step) {
    const double at = nanoseconds(t);
    while (fluid.time() < at) {
      const double left = at - fluid.time();
      const double h = fluid.natural_step();
      fluid.step(std::min(h, left));
      if (h >= left) break;
    }
    out.push_back({t, fluid.per_rtt(), fluid.sampled()});
  }
  return out;
}

SamplingTimes sampling_times(const SamplingModel& model) {
  const Fluid start(model);
  const double gap = kGap * start.gap(start.sampled());
  SamplingTimes out;
  if (model.gains()) {
    const auto peak = first_zero(
        start, [](const Fluid& f) { return f.slope_of_gain(); }, [](const Fluid& f) { return f.gain(); });
    if (peak) {
      out.peak = peak->time;
      out.peak_gain = peak->also;
      Fluid at_peak = start;  // the gain is 0 at the very start, too
      while (at_peak.time() < peak->time) at_peak.step(at_peak.natural_step());
      out.end_of_gain = time_of_zero(at_peak, [](const Fluid& f) { return f.gain(); });
    }
  }
  out.per_rtt_gap = time_of_zero(start, [&](const Fluid& f) { return f.gap(f.per_rtt()) - gap; });
  out.sampled_gap = time_of_zero(start, [&](const Fluid& f) { return f.gap(f.sampled()) - gap; });
  out.sampled_jain = time_of_zero(start, [](const Fluid& f) { return kJain - jain(f.sampled()); });
  // both fall by the same factor, so that their ratio stays as it is
  if (jain(start.per_rtt()) >= kJain) out.per_rtt_jain = 0;
  return out;
}

}  // namespace weir::theory
