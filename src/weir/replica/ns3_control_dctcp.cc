// DCTCP (CC_MODE 8) with a rate instead of its window: line rate at the start, one additive step in each round trip.
#include <algorithm>
#include <vector>

#include "weir/cc/dctcp.h"
#include "weir/replica/ns3_control.h"

namespace weir::replica {
namespace {

class DctcpControl final : public Control {
 public:
  DctcpControl(const engine::Model& model, const Ns3Params& params)
      : Control(params.window, 0),
        g_(params_as<cc::Dctcp>(model).g),
        rate_ai_(params.dctcp_rate_ai.bits_per_second),
        r_min_(params.dctcp_r_min.bits_per_second),
        payload_(static_cast<std::uint64_t>(model.transport.payload.count)) {}

  void start(const SenderFacts& facts) override { flows_.push_back({.line_rate = facts.line_rate}); }

  NewRate on_ack(std::uint32_t flow, const SenderAck& ack) override {
    Flow& f = flows_[flow];
    std::int64_t rate = ack.rate;
    f.marks += ack.marked;
    const bool new_batch = ack.seq > f.last_update;
    if (new_batch) begin_batch(f, ack);
    if (f.reduced && ack.seq > f.reduced_until) f.reduced = false;
    if (ack.marked && !f.reduced) {
      rate = std::max(r_min_, times(rate, 1 - f.alpha / 2));
      f.reduced = true;
      f.reduced_until = ack.snd_nxt;
    }
    if (!f.reduced && new_batch) rate = std::min(f.line_rate, rate + rate_ai_);
    return rate;
  }

 private:
  struct Flow {
    std::int64_t line_rate = 0;
    std::uint64_t last_update = 0;
    std::uint64_t batch = 0;  // packets
    std::uint64_t marks = 0;  // since the batch began
    double alpha = 1;
    bool reduced = false;  // and not again until
    std::uint64_t reduced_until = 0;
  };

  // The first batch only counts packets; its marks count for the second one.
  void begin_batch(Flow& f, const SenderAck& ack) const {
    const bool first = f.last_update == 0;
    if (!first) {
      const double fraction = std::min(1.0, static_cast<double>(f.marks) / static_cast<double>(f.batch));
      f.alpha = (1 - g_) * f.alpha + g_ * fraction;
      f.marks = 0;
    }
    f.last_update = ack.snd_nxt;
    f.batch = (first ? ack.snd_nxt : ack.snd_nxt - ack.seq) / payload_ + 1;
  }

  const double g_;
  const std::int64_t rate_ai_;
  const std::int64_t r_min_;
  const std::uint64_t payload_;
  std::vector<Flow> flows_;
};

}  // namespace

std::unique_ptr<Control> make_dctcp(const engine::Model& model, const Ns3Params& params) {
  return std::make_unique<DctcpControl>(model, params);
}

}  // namespace weir::replica
