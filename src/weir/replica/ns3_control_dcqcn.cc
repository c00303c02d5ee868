// DCQCN (CC_MODE 1), the form of network cards. A CNP is the mark on an acknowledgement. Each flow has timers of its
// own from its first CNP on; that they go on when nothing else happens costs time here as it does there.
#include <vector>

#include "weir/cc/dcqcn.h"
#include "weir/replica/ns3_control.h"

namespace weir::replica {
namespace {

// MicroSeconds() takes a whole number.
std::int64_t whole_us(Time t) { return t.ps / 1'000'000 * 1'000; }

class DcqcnControl final : public Control {
 public:
  DcqcnControl(const engine::Model& model, Ns3Events& events)
      : Control(static_cast<Window>(params_as<cc::Dcqcn>(model).window.kind), 0),
        p_(params_as<cc::Dcqcn>(model)),
        t_alpha_(whole_us(p_.t_alpha)),
        t_d_(whole_us(p_.t_d)),
        t_i_(whole_us(p_.t_i)),
        events_(events) {}

  void start(const SenderFacts& facts) override {
    Flow& f = flows_.emplace_back();
    f.line_rate = f.target = facts.line_rate;
    f.r_ai = cc::scaled(p_.r_ai, p_.scale_rate, {facts.line_rate}).bits_per_second;
    f.r_hai = cc::scaled(p_.r_hai, p_.scale_rate, {facts.line_rate}).bits_per_second;
  }

  NewRate on_ack(std::uint32_t flow, const SenderAck& ack) override {
    Flow& f = flows_[flow];
    // A dead flow's timers would change nothing any more.
    if (!ack.marked || f.finished) return {};
    f.cnp_for_alpha = f.cnp_for_decrease = true;
    if (!f.first_cnp) return {};
    f.first_cnp = false;
    f.alpha = 1;
    f.cnp_for_alpha = false;
    f.target = ack.rate;
    events_.schedule(ack.now + t_alpha_, {kUpdateAlpha, flow});
    events_.schedule(ack.now + t_d_ + 1, {kDecreaseRate, flow});
    return {};
  }

  NewRate on_timer(const Event& event, std::int64_t rate) override {
    Flow& f = flows_[event.index];
    if (f.finished) return {};
    switch (event.kind) {
      case kUpdateAlpha: update_alpha(f, event.index); return {};
      case kDecreaseRate: return decrease(f, event.index, rate);
      default:
        if (event.data != f.increase_timer) return {};
        arm_increase(f, event.index);
        return increase(f, rate);
    }
  }

  void finish(std::uint32_t flow) override { flows_[flow].finished = true; }

 private:
  struct Flow {
    std::int64_t line_rate = 0;
    std::int64_t r_ai = 0;
    std::int64_t r_hai = 0;
    std::int64_t target = 0;
    double alpha = 1;
    int stage = 0;
    std::uint32_t increase_timer = 0;  // the one that counts
    bool first_cnp = true;
    bool cnp_for_alpha = false;
    bool cnp_for_decrease = false;
    bool finished = false;
  };

  void update_alpha(Flow& f, std::uint32_t flow) {
    f.alpha = (1 - p_.g) * f.alpha + (f.cnp_for_alpha ? p_.g : 0);
    f.cnp_for_alpha = false;
    events_.schedule(events_.now() + t_alpha_, {kUpdateAlpha, flow});
  }

  NewRate decrease(Flow& f, std::uint32_t flow, std::int64_t rate) {
    events_.schedule(events_.now() + t_d_, {kDecreaseRate, flow});
    if (!f.cnp_for_decrease) return {};
    if (p_.clamp_target || f.stage > 0) f.target = rate;
    f.stage = 0;
    f.cnp_for_decrease = false;
    ++f.increase_timer;
    events_.schedule(events_.now() + t_i_, {kIncreaseRate, flow, f.increase_timer});
    return std::max(p_.r_min.bits_per_second, times(rate, 1 - f.alpha / 2));
  }

  void arm_increase(Flow& f, std::uint32_t flow) {
    events_.schedule(events_.now() + t_i_, {kIncreaseRate, flow, f.increase_timer});
  }

  // Fast recovery for F stages, one additive increase, then hyper increase.
  NewRate increase(Flow& f, std::int64_t rate) {
    if (f.stage >= p_.fast_recovery)
      f.target = std::min(f.target + (f.stage == p_.fast_recovery ? f.r_ai : f.r_hai), f.line_rate);
    ++f.stage;
    return rate / 2 + f.target / 2;
  }

  const cc::Dcqcn::Params& p_;
  const std::int64_t t_alpha_;
  const std::int64_t t_d_;
  const std::int64_t t_i_;
  Ns3Events& events_;
  std::vector<Flow> flows_;
};

}  // namespace

std::unique_ptr<Control> make_dcqcn(const engine::Model& model, Ns3Events& events) {
  return std::make_unique<DcqcnControl>(model, events);
}

}  // namespace weir::replica
