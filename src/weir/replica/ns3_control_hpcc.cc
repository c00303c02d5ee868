// HPCC (CC_MODE 3): the state is a rate. With multi_rate there is one for each hop, and the least of them counts.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "weir/cc/hpcc.h"
#include "weir/replica/ns3_control.h"

namespace weir::replica {
namespace {

// A reference rate, and what equation 4 of HPCC keeps beside it.
struct Register {
  std::int64_t reference = 0;
  double u = 1;
  int stage = 0;
};

class HpccControl final : public Control {
 public:
  HpccControl(const engine::Model& model, const Ns3Params& params)
      : Control(params.window, model.transport.int_bytes.count),
        p_(params_as<cc::Hpcc>(model)),
        multi_rate_(params.multi_rate),
        sample_feedback_(params.sample_feedback),
        format_{static_cast<std::uint32_t>(model.transport.int_multiplier)} {}

  void start(const SenderFacts& facts) override {
    Flow& f = flows_.emplace_back();
    f.facts = facts;
    f.registers.fill({.reference = facts.line_rate});
  }

  NewRate on_ack(std::uint32_t flow, const SenderAck& ack) override {
    Flow& f = flows_[flow];
    const bool full = ack.seq > f.last_update;
    if (!full && p_.reaction == cc::Hpcc::Reaction::per_rtt) return {};
    if (f.last_update == 0) {
      f.last_update = ack.snd_nxt;
      std::copy(ack.hops.begin(), ack.hops.end(), f.before.begin());
      return {};
    }
    const NewRate rate = multi_rate_ ? by_hop(f, ack, full) : by_fullest(f, ack, full);
    if (full) f.last_update = std::max(f.last_update, ack.snd_nxt);
    return rate;
  }

  bool moves_gap() const override { return true; }

 private:
  struct Flow {
    SenderFacts facts;
    std::uint64_t last_update = 0;  // 0: no acknowledgement yet
    std::array<Hop, kMaxHops> before;
    std::array<Register, kMaxHops> registers;  // the first one only, unless multi_rate
  };

  bool counts(const Hop& hop, bool full) const { return full || !sample_feedback_ || format_.queue_bytes(hop) > 0; }

  // HPCC algorithm 1, line 5: the hop's load since the record before.
  double load(const Flow& f, const Hop& now, const Hop& before, std::uint64_t elapsed) const {
    const double capacity = now.gbps * 1e9;
    const double rate =
        static_cast<double>(format_.sent_bytes(now, before) * 8) / (static_cast<double>(elapsed) * 1e-9);
    const auto queue = static_cast<double>(std::min(format_.queue_bytes(now), format_.queue_bytes(before)));
    return rate / capacity +
           queue * static_cast<double>(f.facts.line_rate) / capacity / static_cast<double>(f.facts.window);
  }

  static void smooth(Register& r, double load, std::uint64_t elapsed, std::uint64_t t) {
    elapsed = std::min(elapsed, t);
    r.u = (r.u * static_cast<double>(t - elapsed) + load * static_cast<double>(elapsed)) / static_cast<double>(t);
  }

  // HPCC equation 4. The register's own rate and stage move with full updates only.
  std::int64_t compute(const Flow& f, Register& r, bool full) const {
    const double c = r.u / p_.eta;
    const bool multiply = c >= 1 || r.stage >= p_.max_stage;
    constexpr double kLargest = 9e18;  // c may be tiny
    const auto base =
        multiply ? static_cast<std::int64_t>(std::min(static_cast<double>(r.reference) / c, kLargest)) : r.reference;
    const std::int64_t rate = std::clamp(base + p_.r_ai.bits_per_second,
                                         std::min(p_.r_min.bits_per_second, f.facts.line_rate), f.facts.line_rate);
    if (full) {
      r.reference = rate;
      r.stage = multiply ? 0 : r.stage + 1;
    }
    return rate;
  }

  NewRate by_fullest(Flow& f, const SenderAck& ack, bool full) {
    double most = 0;
    std::uint64_t elapsed_of_most = 0;
    bool any = false;
    for (std::size_t i = 0; i < ack.hops.size(); ++i) {
      if (!counts(ack.hops[i], full)) continue;
      any = true;
      const std::uint64_t elapsed = format_.elapsed_ns(ack.hops[i], f.before[i]);
      const double u = load(f, ack.hops[i], f.before[i], elapsed);
      if (u > most) {
        most = u;
        elapsed_of_most = elapsed;
      }
      f.before[i] = ack.hops[i];
    }
    if (!any) return {};
    smooth(f.registers[0], most, elapsed_of_most, static_cast<std::uint64_t>(f.facts.base_rtt));
    return compute(f, f.registers[0], full);
  }

  NewRate by_hop(Flow& f, const SenderAck& ack, bool full) {
    std::int64_t least = f.facts.line_rate;
    bool any = false;
    for (std::size_t i = 0; i < ack.hops.size(); ++i) {
      Register& r = f.registers[i];
      if (!counts(ack.hops[i], full)) {
        least = std::min(least, r.reference);
        continue;
      }
      any = true;
      const std::uint64_t elapsed = format_.elapsed_ns(ack.hops[i], f.before[i]);
      smooth(r, load(f, ack.hops[i], f.before[i], elapsed), elapsed, static_cast<std::uint64_t>(f.facts.base_rtt));
      f.before[i] = ack.hops[i];
      least = std::min(least, compute(f, r, full));
    }
    if (!any) return {};
    return least;
  }

  const cc::Hpcc::Params& p_;
  const bool multi_rate_;
  const bool sample_feedback_;
  const HopFormat format_;
  std::vector<Flow> flows_;
};

}  // namespace

std::unique_ptr<Control> make_hpcc(const engine::Model& model, const Ns3Params& params) {
  return std::make_unique<HpccControl>(model, params);
}

}  // namespace weir::replica
