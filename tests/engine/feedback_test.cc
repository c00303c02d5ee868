// What algorithms are told, by hand: telemetry, acknowledgements, losses, notifications.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

using namespace literals;

// What one test's flows were told; a run with one thread only.
struct Told {
  std::vector<cc::Ack> acks;
  std::vector<Telemetry> telemetry;
  std::vector<cc::Send> sends;
  std::vector<cc::Loss> losses;
  std::vector<Time> cnps;
  std::vector<cc::FlowFacts> facts;
};
Told told;

// Writes down everything that it hears. No window, no pacing; asks for telemetry and for CNPs on acknowledgements.
class Recorder {
 public:
  struct Params {
    Rate rate;
    bool every_loss = false;
    static void describe(ParamList<Params>&) {}
  };
  static constexpr cc::About about{
      .name = "recorder", .title = "Recorder", .source = "test", .needs = cc::Needs::telemetry};
  static cc::ReceiverRules receiver(const Params&) {
    return {.cnp = true, .cnp_packet = false, .cnp_interval = 500_ns};
  }
  Recorder(const Params& p, const cc::FlowFacts& facts, cc::Control& control) {
    control.rate = p.rate;
    control.every_loss = p.every_loss;
    told.facts.push_back(facts);
  }
  void on_ack(const Params&, const cc::FlowFacts&, const cc::Ack& ack, cc::Control&) {
    told.acks.push_back(ack);
    told.telemetry.push_back(*ack.telemetry);
  }
  void on_send(const Params&, const cc::FlowFacts&, const cc::Send& send, cc::Control&) { told.sends.push_back(send); }
  void on_loss(const Params&, const cc::FlowFacts&, const cc::Loss& loss, cc::Control&) { told.losses.push_back(loss); }
  void on_cnp(const Params&, const cc::FlowFacts&, Time now, cc::Control&) { told.cnps.push_back(now); }
};

class Feedback : public testing::TestWithParam<net::PortKind> {
 protected:
  Feedback() {
    told = {};
    s_.profiles = {recorder({})};
  }
  static host::Profile recorder(Rate rate, bool every_loss = false) {
    static const cc::Algorithm algorithm = cc::describe<Recorder>();
    return of(algorithm, rate, every_loss);
  }
  static host::Profile of(const cc::Algorithm& algorithm, Rate rate, bool every_loss) {
    host::Profile p = profile(algorithm);
    const auto params = std::make_shared<Recorder::Params>();
    params->rate = rate;
    params->every_loss = every_loss;
    p.params = params;
    return p;
  }
  Outcome run_it() { return run(s_, {.port = GetParam()}); }

  Scenario s_;
};

class OrderedRecorder : public Recorder {
 public:
  static constexpr cc::About about{.name = "ordered_recorder",
                                   .title = "Ordered recorder",
                                   .source = "test",
                                   .needs = cc::Needs::telemetry | cc::Needs::order};
  using Recorder::Recorder;
};

bool same(const HopTelemetry& a, const HopTelemetry& b) {
  return a.time == b.time && a.tx_bytes == b.tx_bytes && a.queue == b.queue && a.rate_mbps == b.rate_mbps;
}

// Hosts of 100 Gb/s, a link of 50 Gb/s between two switches, 1 us each. A full packet has 1000 + 48 + 42 bytes and
// lasts 87,200 and 174,400 ps. Packets 0, 1, 2 and 3 leave the host every 87,200 ps and reach the first switch at
//   1,087,200   1,174,400   1,261,600   1,348,800;   they leave it at
//   1,087,200   1,261,600   1,436,000   1,610,400
// with 0, 0 (packet 2 comes at that very instant), 1 and 0 packets behind them. The second switch they reach at
//   2,261,600   2,436,000   2,610,400   2,784,800    and leave at once.
constexpr std::int64_t kFirst[] = {1'087'200, 1'261'600, 1'436'000, 1'610'400};
constexpr std::int32_t kBehind[] = {0, 0, 1, 0};
constexpr std::int64_t kSecond[] = {2'261'600, 2'436'000, 2'610'400, 2'784'800};
constexpr std::int64_t kWire = 1'090;

TEST_P(Feedback, TelemetryByHand) {
  s_.topology = build(net::Dumbbell{1, 1, 100_Gbps, 1_us, 50_Gbps, 1_us});
  s_.add_flow(0, 1, 4'000_B);
  run_it();
  ASSERT_EQ(told.acks.size(), 3u);  // the one that ends a flow is not told
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const auto n = static_cast<std::int64_t>(i);
    EXPECT_EQ(told.acks[i].hops, 2);
    const auto& hop = told.telemetry[i].hop;
    EXPECT_TRUE(same(hop[0], {kFirst[i], n * kWire, static_cast<std::int32_t>(kBehind[i] * kWire), 50'000}));
    EXPECT_TRUE(same(hop[1], {kSecond[i], n * kWire, 0, 100'000}));
  }
}

// Packet 3 finds packet 2; packet 4 comes when packet 2 leaves, and finds packet 3; packet 5 finds 3 and 4.
TEST_P(Feedback, TheQueueThatPacketsFindByHand) {
  s_.topology = build(net::Dumbbell{1, 1, 100_Gbps, 1_us, 50_Gbps, 1_us});
  s_.network.int_queue = net::IntQueue::found;
  s_.add_flow(0, 1, 7'000_B);
  constexpr std::int32_t kFound[] = {0, 0, 0, 1, 1, 2};
  for (const auto mode : {host::IntMode::exact, host::IntMode::wire}) {
    told = {};
    s_.transport.int_mode = mode;
    run_it();
    ASSERT_EQ(told.acks.size(), 6u);
    const std::int32_t unit = mode == host::IntMode::exact ? 1 : 80;  // bytes
    for (std::size_t i = 0; i < 6; ++i) {
      SCOPED_TRACE(i);
      EXPECT_EQ(told.telemetry[i].hop[0].queue, kFound[i] * static_cast<std::int32_t>(kWire) / unit);
      EXPECT_EQ(told.telemetry[i].hop[1].queue, 0);
      if (i < 4 && mode == host::IntMode::exact) {
        EXPECT_EQ(told.telemetry[i].hop[0].time, kFirst[i]);
      }
    }
  }
}

TEST_P(Feedback, TelemetryOnTheWireByHand) {
  s_.topology = build(net::Dumbbell{1, 1, 100_Gbps, 1_us, 50_Gbps, 1_us});
  s_.transport.int_mode = host::IntMode::wire;
  s_.add_flow(0, 1, 4'000_B);
  run_it();
  ASSERT_EQ(told.acks.size(), 3u);
  EXPECT_FALSE(told.facts[0].telemetry.is_exact());
  const std::int64_t sent[] = {0, 8, 17};  // 1,090 and 2,180 bytes in units of 128
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const auto& hop = told.telemetry[i].hop;
    EXPECT_TRUE(same(hop[0], {kFirst[i] / 1'000, sent[i], kBehind[i] * 13, 50'000}));  // 1,090 / 80 = 13
    EXPECT_TRUE(same(hop[1], {kSecond[i] / 1'000, sent[i], 0, 100'000}));
  }
}

TEST_P(Feedback, AcknowledgementsByHand) {
  s_.topology = build(net::Dumbbell{1, 1, 100_Gbps, 1_us, 50_Gbps, 1_us});
  s_.add_flow(0, 1, 3'500_B, 1_us);
  const Outcome out = run_it();
  ASSERT_EQ(told.facts.size(), 1u);
  const cc::FlowFacts& f = told.facts[0];
  EXPECT_EQ(f.line_rate, 100_Gbps);
  EXPECT_EQ(f.path_rate, 50_Gbps);
  EXPECT_EQ(f.wire, Bytes{kWire});
  EXPECT_EQ(f.payload, 1'000_B);
  EXPECT_EQ(f.size, 3'500_B);
  EXPECT_EQ(f.start, 1_us);
  EXPECT_EQ(f.switch_hops, 2);
  // 3 us there and back, 2 * 87,200 + 174,400 there, and 88 bytes back: 2 * 7,040 + 14,080.
  EXPECT_EQ(f.base_rtt.ps, 6'000'000 + 348'800 + 28'160);
  EXPECT_EQ(f.network_rtt, f.base_rtt);

  ASSERT_EQ(told.acks.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const auto n = static_cast<std::int64_t>(i);
    const cc::Ack& a = told.acks[i];
    EXPECT_EQ(a.sent_at.ps, 1'000'000 + n * 87'200);
    EXPECT_EQ(a.now.ps, 1'000'000 + f.base_rtt.ps + n * 174'400);  // the bottleneck spaces them
    EXPECT_EQ(a.rtt, a.now - a.sent_at);
    EXPECT_EQ(a.seq.count, 1'000 * (n + 1));
    EXPECT_EQ(a.packet_seq.count, 1'000 * n);
    EXPECT_EQ(a.acked, 1'000_B);
    EXPECT_EQ(a.snd_nxt, 3'500_B);
    EXPECT_EQ(a.in_flight.count, 2'500 - 1'000 * n);
    EXPECT_TRUE(a.app_limited);
    EXPECT_FALSE(a.ecn);
  }
  // The last packet: 500 + 90 bytes.
  EXPECT_EQ(out.flows.at(0).finish.ps, 1'000'000 + f.base_rtt.ps + 3 * 174'400 - 500 * (160 + 80));

  ASSERT_EQ(told.sends.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto n = static_cast<std::int64_t>(i);
    EXPECT_EQ(told.sends[i].now.ps, 1'000'000 + n * 87'200);
    EXPECT_EQ(told.sends[i].seq.count, 1'000 * n);
    EXPECT_EQ(told.sends[i].wire.count, i < 3 ? kWire : 590);
    EXPECT_EQ(told.sends[i].in_flight.count, std::min<std::int64_t>(3'500, 1'000 * (n + 1)));
    EXPECT_FALSE(told.sends[i].retransmission);
    EXPECT_EQ(told.sends[i].app_limited, i == 3);
  }
  EXPECT_TRUE(told.losses.empty());
}

// A receiving host takes 2 us for each answer: acknowledgements come so much later, and say so, whatever finds what is
// lost. Answers with jitter keep their order.
TEST_P(Feedback, TimeInTheReceivingHostIsTold) {
  s_.topology = build(net::Dumbbell{1, 1, 100_Gbps, 1_us, 50_Gbps, 1_us});
  s_.host.receive_delay = 2_us;
  for (const auto recovery : {host::RecoveryKind::go_back_n, host::RecoveryKind::sack}) {
    told = {};
    s_.profiles[0].recovery.kind = recovery;
    s_.flows.clear();
    s_.add_flow(0, 1, 3'500_B, 1_us);
    const Outcome out = run_it();
    ASSERT_EQ(told.acks.size(), 3u);
    const Time base = told.facts[0].base_rtt;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto n = static_cast<std::int64_t>(i);
      EXPECT_EQ(told.acks[i].endpoint_delay, 2_us);
      EXPECT_EQ(told.acks[i].now.ps, 1'000'000 + base.ps + n * 174'400 + 2'000'000);
      EXPECT_EQ(told.acks[i].packet_seq.count, 1'000 * n);
    }
    EXPECT_EQ(out.flows.at(0).finish.ps, 1'000'000 + base.ps + 3 * 174'400 - 500 * (160 + 80) + 2'000'000);
  }
  told = {};
  s_.host.receive_jitter = 5_us;
  s_.flows.clear();
  s_.add_flow(0, 1, 100'000_B);
  run_it();
  ASSERT_EQ(told.acks.size(), 99u);
  double sum = 0;
  for (std::size_t i = 0; i < told.acks.size(); ++i) {
    EXPECT_GE(told.acks[i].endpoint_delay, 2_us);
    if (i > 0) {
      EXPECT_GT(told.acks[i].packet_seq, told.acks[i - 1].packet_seq);
    }
    sum += static_cast<double>(told.acks[i].endpoint_delay.ps) * 1e-6;
  }
  EXPECT_GT(sum / 99, 7) << "2 us and the mean of what is drawn; less would be faster than the draws";
}

// An application takes 7 us before a flow's first byte: all comes so much later and round trips are as long, below a
// Linux host's stack as well. What is drawn on top is in the mean what is written.
TEST_P(Feedback, TimeOfApplicationsIsInNoRoundTrip) {
  s_.topology = build(net::Dumbbell{1, 1, 100_Gbps, 1_us, 50_Gbps, 1_us});
  s_.profiles[0].recovery.kind = host::RecoveryKind::sack;
  s_.add_flow(0, 1, 3'500_B, 1_us);
  for (const bool stack : {false, true}) {
    if (stack) s_.profiles[0].stack = host::StackParams{};
    s_.host.application_delay = {};
    told = {};
    const Outcome plain = run_it();
    const std::vector<cc::Ack> acks = std::exchange(told, {}).acks;
    ASSERT_FALSE(acks.empty());
    s_.host.application_delay = 7_us;
    const Outcome late = run_it();
    ASSERT_EQ(told.acks.size(), acks.size());
    for (std::size_t i = 0; i < acks.size(); ++i) {
      EXPECT_EQ(told.acks[i].now, acks[i].now + 7_us);
      EXPECT_EQ(told.acks[i].rtt, acks[i].rtt);
    }
    EXPECT_EQ(late.flows.at(0).start, 1_us);
    EXPECT_EQ(late.flows.at(0).finish, plain.flows.at(0).finish + 7_us);
  }
  s_.host.application_jitter = 20_us;
  s_.flows.clear();
  constexpr int kFlows = 400;
  for (int n = 0; n < kFlows; ++n) s_.add_flow(0, 1, 1_B, n * 1_ms);
  Time sum;
  Time least = Time::max();
  for (const auto& flow : run_it().flows) {
    sum += flow.finish - flow.start;
    least = std::min(least, flow.finish - flow.start);
  }
  const Time alone = 7_us + told.facts.back().base_rtt;
  EXPECT_NEAR(static_cast<double>(sum.ps / kFlows - alone.ps) * 1e-6, 20, 3) << "three standard errors";
  EXPECT_LT(least, alone + 1_us);
}

// DCQCN slows down when CNPs come, which are packets of their own, and not before: eight flows of 1 MB, which need 671
// us and headers, end before CNPs that take a millisecond.
TEST_P(Feedback, CnpsTakeTheirTime) {
  s_.topology = build(net::Star{9});
  s_.ecn.enabled = true;
  s_.ecn.k_min = s_.ecn.k_max = 10'000_B;
  s_.ecn.at_rate = {};
  s_.profiles = {profile("dcqcn", {{"cnp_packet", "true"}})};
  for (std::uint32_t h = 0; h < 8; ++h) s_.add_flow(h, 8, 1_MB);
  const auto last = [&] {
    const auto flows = run_it().flows;
    return std::max_element(flows.begin(), flows.end(),
                            [](const auto& a, const auto& b) { return a.finish < b.finish; })
        ->finish;
  };
  EXPECT_GT(last(), 1_ms);
  s_.host.cnp_delay = 1_ms;
  EXPECT_LT(last(), 800_us);
}

// Every fact of a flow against the model: of a path that is not the longest one, in a network that trims, and with all
// that is not a default. The names on the left are all members of FlowFacts, in their order: one more does not compile.
TEST_P(Feedback, FactsAreTheModels) {
  s_.seed = 7;
  s_.topology = build(net::LeafSpine{.leaves = 2,
                                     .spines = 2,
                                     .hosts_per_leaf = 2,
                                     .host_rate = 100_Gbps,
                                     .fabric_rate = 40_Gbps,
                                     .fabric_delay = 3_us});
  s_.network.trimming = true;
  s_.buffer.mode = net::BufferMode::per_port;
  s_.transport.payload = 1'500_B;
  s_.transport.int_mode = host::IntMode::wire;
  s_.transport.int_multiplier = 4;
  s_.add_flow(0, 1, 2'000_B, 5_us);
  s_.add_flow(3, 0, 3'000_B, 9_us);
  run_it();
  const auto model = s_.model(GetParam());
  ASSERT_EQ(told.facts.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    SCOPED_TRACE(i);
    const traffic::Flow& flow = s_.flows[i];
    const auto& [line_rate, path_rate, base_rtt, network_rtt, payload, wire, size, start, switch_hops, trimming,
                 telemetry, random] = told.facts[i];
    const Bytes data = model->data_wire(s_.profiles[0]);
    const Bytes ack = model->ack_wire(s_.profiles[0]);
    EXPECT_EQ(line_rate, 100_Gbps);
    EXPECT_EQ(path_rate, i == 0 ? 100_Gbps : 40_Gbps);
    EXPECT_EQ(base_rtt, model->paths.base_rtt(flow.src, flow.dst, data, ack));
    EXPECT_EQ(network_rtt, model->paths.base_rtt(0, 3, data, ack));
    EXPECT_EQ(base_rtt < network_rtt, i == 0);
    EXPECT_EQ(payload, 1'500_B);
    EXPECT_EQ(wire, 1'500_B + s_.transport.header + s_.transport.int_bytes);
    EXPECT_EQ(size, flow.size);
    EXPECT_EQ(start, flow.start);
    EXPECT_EQ(switch_hops, i == 0 ? 1 : 3);
    EXPECT_TRUE(trimming);
    EXPECT_EQ(telemetry.tx_unit, 4 * 128);
    EXPECT_EQ(random.bits(3), RandomStream(7, static_cast<std::uint32_t>(i), Purpose::algorithm).bits(3));
  }
  told = {};
  s_.network.trimming = false;
  run_it();
  EXPECT_FALSE(told.facts[0].trimming);
}

// A hundred packets at twice the rate of the link that follows, which has room for ten: about half of the others are
// lost, and each acknowledgement finds another one. All had been sent before the first was found.
TEST_P(Feedback, LossesOfAnEpisodeAreToldOnceOrAsTheyAreFound) {
  s_.topology = build(net::Dumbbell{1, 1, 100_Gbps, 100_us, 50_Gbps, 1_us});
  s_.buffer.mode = net::BufferMode::per_port;
  s_.buffer.size = 10'900_B;
  for (const bool every_loss : {false, true}) {
    told = {};
    s_.profiles = {recorder({}, every_loss)};
    s_.profiles[0].recovery.kind = host::RecoveryKind::sack;
    s_.flows.clear();
    s_.add_flow(0, 1, 100'000_B);
    const Outcome out = run_it();
    ASSERT_GT(out.counters.retransmitted, 30u);
    std::int64_t lost = 0;
    for (const cc::Loss& loss : told.losses) lost += loss.lost.count;
    if (every_loss) {
      EXPECT_EQ(lost, static_cast<std::int64_t>(1'000 * out.counters.retransmitted));
      EXPECT_GT(told.losses.size(), 30u);
    } else {
      EXPECT_LE(told.losses.size(), 2u) << "another one when a packet that was sent again is lost again";
    }
  }
}

// Writes down everything that it hears, and asks for the delivery rate instead of telemetry.
class RateRecorder {
 public:
  struct Params {
    static void describe(ParamList<Params>&) {}
  };
  static constexpr cc::About about{
      .name = "rate-recorder", .title = "Rate recorder", .source = "test", .needs = cc::Needs::delivery_rate};
  RateRecorder(const Params&, const cc::FlowFacts&, cc::Control& control) { control.window = 20'000_B; }
  void on_ack(const Params&, const cc::FlowFacts&, const cc::Ack& ack, cc::Control&) { told.acks.push_back(ack); }
};

// The first twenty packets of 1,048 bytes fill the window, one every 83,840 ps; they leave the link of 50 Gb/s every
// 167,680 ps. When they were sent, nothing had been delivered since the start: the n-th tells n packets since then.
// Each that follows is sent with the acknowledgement 20 before it, and comes back after the base round-trip time, as
// the path holds 38: 20 packets in that time, or in the one that lay between its own transmission and that of the last
// packet delivered by then. That was the round trip of the packet 20 before it, among the first twenty 83,840 ps longer
// for each.
TEST_P(Feedback, DeliveryRatesByHand) {
  static const cc::Algorithm algorithm = cc::describe<RateRecorder>();
  s_.topology = build(net::Dumbbell{1, 1, 100_Gbps, 1_us, 50_Gbps, 1_us});
  s_.profiles = {profile(algorithm)};
  s_.add_flow(0, 1, 101'000_B);
  run_it();
  // 3 us there and back, 2 * 83,840 + 167,680 there, and 60 bytes back: 2 * 4,800 + 9,600.
  constexpr std::int64_t kBase = 6'000'000 + 335'360 + 19'200;
  ASSERT_EQ(told.acks.size(), 100u);
  for (std::size_t i = 0; i < told.acks.size(); ++i) {
    SCOPED_TRACE(i);
    const cc::Ack& a = told.acks[i];
    const auto n = static_cast<std::int64_t>(i) + 1;
    if (n <= 20) {
      EXPECT_EQ(a.delivered.count, 1'000 * n);
      EXPECT_EQ(a.delivery_span, a.now);
    } else {
      EXPECT_EQ(a.delivered, 20'000_B);
      EXPECT_EQ(a.rtt.ps, kBase);
      EXPECT_EQ(a.delivery_span.ps, n <= 40 ? kBase + 83'840 * (n - 21) : kBase);
    }
    EXPECT_FALSE(a.delivery_app_limited);
  }
  // One that does not ask is told nothing.
  told = {};
  s_.profiles = {recorder({})};
  run_it();
  ASSERT_FALSE(told.acks.empty());
  for (const auto& a : told.acks) EXPECT_EQ(a.delivery_span, 0_us);
}

// One waiting packet fits: of packets that come together, the third is lost.
TEST_P(Feedback, LossesByHand) {
  s_.topology = build(net::Star{4});
  s_.profiles.push_back(profile("fixed-window", {{"window", "1 GB"}}));
  s_.buffer.mode = net::BufferMode::lossy;
  s_.buffer.size = {2'000};
  s_.transport.min_rto = 100_us;
  // Host 0's packets of 1090 bytes come at 1,087,200 and every 87,200 ps; these come just before and keep the port
  // busy.
  s_.add_flow(1, 3, 1'000_B, Time{3'000}, 1);
  s_.add_flow(2, 3, 1'000_B, Time{3'000}, 1);
  s_.add_flow(0, 3, 3'000_B);
  const Outcome out = run_it();
  EXPECT_EQ(out.counters.dropped, 1u);
  ASSERT_EQ(told.losses.size(), 1u);
  const cc::Loss& l = told.losses[0];
  EXPECT_EQ(l.kind, cc::Loss::Kind::nack);
  EXPECT_EQ(l.seq, 0_B);
  EXPECT_EQ(l.lost, 3'000_B);
  EXPECT_EQ(l.snd_nxt, 3'000_B);
  EXPECT_EQ(l.in_flight, 3'000_B);
  // The NACK comes with an acknowledgement of nothing, for the second packet; the one for the third is not sent.
  ASSERT_EQ(told.acks.size(), 3u);
  EXPECT_EQ(told.acks[0].acked, 0_B);
  EXPECT_EQ(told.acks[0].seq, 0_B);
  EXPECT_EQ(told.acks[0].packet_seq, 1'000_B);
  EXPECT_EQ(told.acks[0].hops, 1);
  EXPECT_EQ(told.acks[0].now, l.now);
  EXPECT_EQ(told.acks[1].acked, 1'000_B);
  EXPECT_EQ(told.sends.size(), 6u);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_TRUE(told.sends[i].retransmission);
}

TEST_P(Feedback, TimeoutsAreTold) {
  s_.topology = build(net::Star{4});
  s_.profiles.push_back(profile("fixed-window", {{"window", "1 GB"}}));
  s_.buffer.mode = net::BufferMode::lossy;
  s_.buffer.size = {2'000};
  s_.transport.min_rto = 100_us;
  s_.add_flow(1, 3, 1'000_B, Time{3'000}, 1);
  s_.add_flow(2, 3, 1'000_B, Time{3'000}, 1);
  s_.add_flow(0, 3, 700_B, Time{24'000});  // lasts less: the packet comes when the others do
  run_it();
  ASSERT_EQ(told.losses.size(), 1u);
  EXPECT_EQ(told.losses[0].kind, cc::Loss::Kind::timeout);
  EXPECT_EQ(told.losses[0].now, 100_us + 24_ns);
  EXPECT_EQ(told.losses[0].lost, 700_B);
}

// Whether packet number n of a port is marked is draw n of the port's stream, against what the packet left behind.
TEST_P(Feedback, MarksAreDrawnByHand) {
  s_.topology = build(net::Dumbbell{1, 1, 100_Gbps, 1_us, 50_Gbps, 1_us});
  s_.seed = 5;
  s_.ecn.enabled = true;
  s_.ecn.k_min = 10_KB;
  s_.ecn.k_max = 80_KB;
  s_.ecn.p_max = 0.7;
  s_.ecn.at_rate = 25_Gbps;  // twice that at 50 Gb/s
  s_.add_flow(0, 1, 500_KB);
  const Outcome out = run_it();
  ASSERT_EQ(told.acks.size(), 499u);
  const std::uint32_t bottleneck = 4;  // the first of the third link's two ports
  const RandomStream random(5, bottleneck, Purpose::ecn_mark);
  std::uint64_t marked = 0;
  for (std::size_t i = 0; i < told.acks.size(); ++i) {
    const double queue = told.telemetry[i].hop[0].queue;
    const bool expected = queue > 160'000 || (queue > 20'000 && random.uniform(i) < 0.7 * (queue - 20'000) / 140'000);
    ASSERT_EQ(told.acks[i].ecn, expected) << i;
    marked += expected;
  }
  EXPECT_GT(marked, 100u);
  EXPECT_LE(marked, out.counters.marked);
}

// Every notification reaches its sender, at most one in each interval, and marks reach it with every acknowledgement.
TEST_P(Feedback, EveryCnpArrives) {
  s_.topology = build(net::Star{7});
  s_.ecn.enabled = true;
  s_.ecn.k_min = s_.ecn.k_max = 3'000_B;
  s_.ecn.at_rate = {};
  s_.buffer.mode = net::BufferMode::lossy;  // so that there are gaps
  s_.buffer.size = {30'000};
  s_.transport.min_rto = 100_us;
  s_.transport.nack_interval = 5_us;
  for (std::uint16_t h = 0; h < 6; ++h) {
    s_.profiles.push_back(recorder((31 + 7 * h) * 1_Gbps));  // not in step: each loses some packets
    s_.add_flow(h, 6, 40_KB, {}, static_cast<std::uint16_t>(h + 1));
  }
  const Outcome out = run_it();
  EXPECT_GT(out.counters.dropped, 100u);
  EXPECT_GT(out.counters.nacks, 5u);
  EXPECT_GT(out.counters.cnps, 50u);
  EXPECT_EQ(told.cnps.size(), out.counters.cnps);
  const auto marked = std::count_if(told.acks.begin(), told.acks.end(), [](const cc::Ack& a) { return a.ecn; });
  EXPECT_GT(static_cast<std::uint64_t>(marked), out.counters.cnps);
  EXPECT_LT(static_cast<std::uint64_t>(marked), out.counters.marked);  // gaps are reported once
}

// A paced flow sends at its rate, whatever the line could do.
TEST_P(Feedback, PacingIsExact) {
  s_.topology = build(net::Star{2});
  s_.profiles = {recorder(33_Gbps)};
  s_.add_flow(0, 1, 100_KB, 5_us);
  run_it();
  ASSERT_EQ(told.sends.size(), 100u);
  for (std::size_t i = 0; i < 100; ++i)
    ASSERT_EQ(told.sends[i].now.ps,
              5'000'000 + static_cast<std::int64_t>(i) * 264'243);  // 1090 * 8000 / 33 = 264,242.4
}

// Nodes take turns, so that hosts are behind and ahead of each other, unless the algorithm needs calls in order.
TEST_P(Feedback, CallsOfAllHostsAreInOrderIfThatIsNeeded) {
  static const cc::Algorithm ordered = cc::describe<OrderedRecorder>();
  s_.topology = build(net::Dumbbell{4, 4, 100_Gbps, 1_us, 400_Gbps, 1_us});
  for (std::uint32_t h = 0; h < 4; ++h) s_.add_flow(h, 4 + h, 100_KB, h * 77_ns);
  const auto is_in_order = [&] {
    told = {};
    run_it();
    return std::is_sorted(told.acks.begin(), told.acks.end(),
                          [](const cc::Ack& a, const cc::Ack& b) { return a.now < b.now; });
  };
  EXPECT_FALSE(is_in_order());
  s_.profiles = {of(ordered, {}, false)};
  EXPECT_TRUE(is_in_order());
}

INSTANTIATE_TEST_SUITE_P(Ports, Feedback, testing::Values(net::PortKind::fifo, net::PortKind::queued),
                         [](const auto& test) { return test.param == net::PortKind::fifo ? "Fifo" : "Queued"; });

}  // namespace
}  // namespace weir::engine
