// TIMELY (CC_MODE 7): one update in each round trip.
#include <algorithm>
#include <vector>

#include "weir/cc/timely.h"
#include "weir/replica/ns3_control.h"

namespace weir::replica {
namespace {

constexpr std::int64_t kTimestampBytes = 8;

class TimelyControl final : public Control {
 public:
  explicit TimelyControl(const engine::Model& model)
      : Control(static_cast<Window>(params_as<cc::Timely>(model).window.kind), kTimestampBytes),
        p_(params_as<cc::Timely>(model)),
        t_low_(p_.t_low.ps / 1000),
        t_high_(p_.t_high.ps / 1000),
        min_rtt_(p_.min_rtt.ps / 1000) {}

  void start(const SenderFacts& facts) override {
    Flow& f = flows_.emplace_back();
    f.line_rate = f.rate = facts.line_rate;
    f.delta = cc::scaled(p_.delta, p_.scale_rate, {facts.line_rate}).bits_per_second;
    f.hai = cc::scaled(p_.hai, p_.scale_rate, {facts.line_rate}).bits_per_second;
  }

  NewRate on_ack(std::uint32_t flow, const SenderAck& ack) override {
    Flow& f = flows_[flow];
    if (ack.seq <= f.last_update) return {};
    const bool first = f.last_update == 0;
    if (!first) update(f, ack.rtt);
    if (ack.snd_nxt > f.last_update) {
      f.last_update = ack.snd_nxt;
      f.last_rtt = ack.rtt;
    }
    return first ? NewRate{} : f.rate;
  }

 private:
  struct Flow {
    std::int64_t line_rate = 0;
    std::int64_t delta = 0;
    std::int64_t hai = 0;
    std::int64_t rate = 0;
    std::uint64_t last_update = 0;
    std::int64_t last_rtt = 0;
    double rtt_diff = 0;
    int stage = 0;
  };

  // TIMELY algorithm 1.
  void update(Flow& f, std::int64_t rtt) const {
    const auto change = static_cast<double>(rtt - f.last_rtt);
    f.rtt_diff = (1 - p_.alpha) * f.rtt_diff + p_.alpha * change;
    const double gradient = f.rtt_diff / static_cast<double>(min_rtt_);
    if (rtt < t_low_ || (rtt <= t_high_ && gradient <= 0)) {
      f.rate = std::min(f.rate + (f.stage < p_.hai_after ? f.delta : f.hai), f.line_rate);
      ++f.stage;
      return;
    }
    const double factor = rtt > t_high_ ? 1 - p_.beta * (1 - static_cast<double>(t_high_) / static_cast<double>(rtt))
                                        : std::max(0.0, 1 - p_.beta * gradient);
    f.rate = std::max(p_.r_min.bits_per_second, times(f.rate, factor));
    f.stage = 0;
  }

  const cc::Timely::Params& p_;
  const std::int64_t t_low_;  // ns
  const std::int64_t t_high_;
  const std::int64_t min_rtt_;  // ns
  std::vector<Flow> flows_;
};

}  // namespace

std::unique_ptr<Control> make_timely(const engine::Model& model) { return std::make_unique<TimelyControl>(model); }

}  // namespace weir::replica
