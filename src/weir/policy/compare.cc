#include "weir/policy/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace weir::policy {
namespace {

constexpr double kNotable = 0.01;

class Differences {
 public:
  void add(double a, double b) {
    const double d = std::abs(a - b);
    out_.largest = std::max(out_.largest, d);
    sum_ += d;
    above_ += d > kNotable ? 1 : 0;
    ++out_.decisions;
  }
  Difference result() const {
    Difference out = out_;
    const auto n = static_cast<double>(std::max<std::size_t>(out.decisions, 1));
    out.mean = sum_ / n;
    out.differing = static_cast<double>(above_) / n;
    return out;
  }

 private:
  Difference out_;
  double sum_ = 0;
  std::size_t above_ = 0;
};

struct FlowMemory {
  alignas(8) std::array<std::byte, Decider::kMaxMemory> bytes{};
};

}  // namespace

Difference compare_on_walks(const Decider& a, const Decider& b, const WalkOptions& options) {
  Differences out;
  std::map<std::uint32_t, FlowMemory> memories;
  for (const Sample& sample : walk(a, options)) {
    const auto [memory, is_new] = memories.try_emplace(sample.flow);
    if (is_new) b.start(memory->second.bytes.data());
    out.add(sample.factor, b.decide(sample.observation, memory->second.bytes.data()));
  }
  return out.result();
}

Difference compare_on_grid(const Decider& a, const Decider& b) {
  Differences out;
  FlowMemory of_a;
  FlowMemory of_b;
  constexpr Time kBase{8'192'000};
  for (int quarter = 0; quarter <= 52; ++quarter)  // of a power of two
    for (int tenth = 10; tenth <= 500; ++tenth) {
      Observation o;
      o.rtt = kBase * tenth / 10;
      o.base_rtt = kBase;
      o.rate = std::ldexp(1 + 0.25 * (3 - quarter % 4), -1 - quarter / 4);
      o.rate = std::min(o.rate, 1.0);
      o.sent = 100;
      a.start(of_a.bytes.data());
      b.start(of_b.bytes.data());
      out.add(a.decide(o, of_a.bytes.data()), b.decide(o, of_b.bytes.data()));
    }
  return out.result();
}

}  // namespace weir::policy
