// PCC-RL: a policy, trained by reinforcement learning, sets a flow's rate after each probe of the round trip.
//
// Source: Tessler et al., Reinforcement Learning for Datacenter Congestion Control (2021). When a probe returns, the
// flow has an observation (policy/observation.h), and the policy gives the factor by which its rate changes
// (policy/decider.h). Whoever embeds the run may decide in the policy's place (decision_maker.h).
//
// With probe = "data" the probe is a data packet: the first one that leaves after a decision has taken effect. Its
// acknowledgement brings the round trip and the next decision. Which packet that is follows from when the acknowledged
// one left, so lost probes, go-back-N, timeouts and selective recovery need nothing special: what is sent again is a
// probe, too. The first acknowledgement of a flow brings its first decision.
//
// With probe = "packet" it is a small packet of its own, as in section 2 of the paper (figure 2), behind the burst that
// follows a decision. One that is lost is asked for again when the acknowledgements of kOvertakes later packets have
// come.
//
// Without max_inflight there is no window, so a flow that hears nothing goes on at its rate. The paper says nothing of
// losses, which its policies do not see on the public code's inputs; loss_factor is ours.
//
// The preset `public` is the setting of the simulator that the authors have published (github.com/NVlabs/RLCC,
// nv_ccsim), as far as its parameter files and its runs show it: flows begin at line rate; the least rate is 2^-14 of
// it; rates are multiples of 2^-20 of the line rate and factors multiples of 2^-16; a probe is a packet behind at least
// four packets of 1,024 B; a burst has at most 16 KiB, and a flow at most 40 of these in flight (in its long-short
// scenarios ten); CNPs are at least 4 us apart. How long a burst is between these bounds is not published: section 2 of
// the paper says that it grows with the rate and the time since the last one, and here it is what the rate sends in
// burst_time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "weir/cc/algorithm.h"
#include "weir/cc/decision_maker.h"
#include "weir/policy/decider.h"

namespace weir::cc {

class PccRl {
 public:
  enum class Probe : std::uint8_t { data, packet };

  struct Params {
    std::string policy = "standard";
    Probe probe = Probe::data;
    int burst = 1;
    Time burst_time;
    int max_burst = 16;
    Bytes max_inflight;
    Time decision_latency;
    double first_rate = 0.1;
    Rate min_rate{10'000'000};
    double min_rate_share = 0;
    int rate_bits = 0;
    int factor_bits = 0;
    Time cnp_interval{50'000'000};
    double loss_factor = 1;
    // Of no parameter. load() makes the decider of `policy`, unless there is one or a maker. With a maker, the decider
    // is not used but for its inputs: if they are the paper's, receivers send CNPs.
    std::shared_ptr<const policy::Decider> decider;
    DecisionMaker* maker = nullptr;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{
      .name = "pcc_rl",
      .title = "PCC-RL",
      .source = "Tessler et al., Reinforcement Learning for Datacenter Congestion Control, 2021"};
  static std::span<const Preset> presets();
  static ReceiverRules receiver(const Params&);
  static void load(Params&, const DataFiles&);

  // By the policy's signal, which is that of a free path up to beta base round trips.
  static DelayTarget delay_target(const Params&, const FlowFacts&, Time host_delay);

  // Throws std::logic_error if the parameters have neither a decider nor a maker.
  PccRl(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
  void on_loss(const Params&, const FlowFacts&, const Loss&, Control&);
  void on_cnp(const Params&, const FlowFacts&, Time now, Control&);
  void on_send(const Params&, const FlowFacts&, const Send&, Control&);
  void on_timer(const Params&, const FlowFacts&, Time now, Control&);
  void on_echo(const Params&, const FlowFacts&, const Echo&, Control&);

  // For probes and tests: the rate as a fraction of the line rate.
  double rate() const { return rate_; }

 private:
  static constexpr std::uint32_t kOvertakes = 4;

  // A probe has returned with this round trip.
  void probed(const Params&, const FlowFacts&, Time now, Time rtt, Control&);
  void change(const Params&, const FlowFacts&, Time now, double factor, Control&);
  void set_rate(const Params&, const FlowFacts&, double rate, Control&);

  // What left then or later is a probe: a data packet, or with probe = packet the probe behind the data packet that
  // left then. max = a decision is due already.
  Time probes_from_;
  double rate_;
  std::uint32_t sent_ = 0;  // these three and acknowledged_ since the last decision
  std::uint32_t cnps_ = 0;
  std::uint32_t nacks_ : 28 = 0;
  std::uint32_t overtaken_ : 4 = 0;  // acknowledged packets that left after the probe (probe = packet)
  std::uint32_t flow_ = 0;           // of the maker
  Bytes acknowledged_;
  Time no_cut_before_;
  Time rtt_;                                                    // of the last probe
  double factor_ = 1;                                           // of the decision that is due
  alignas(8) std::byte memory_[policy::Decider::kMaxMemory]{};  // of the decider, which uses the first bytes only
};

}  // namespace weir::cc
