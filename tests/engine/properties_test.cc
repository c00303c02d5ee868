// What must hold in every network: nothing is lost that was not dropped, nothing hangs, an empty network is as fast
// as arithmetic says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

using namespace literals;

// Runs a scenario and, some time after its last flow has ended, one more byte: by then the network is at rest.
class Rested {
 public:
  Rested(Scenario scenario, const Way& way) : scenario_(std::move(scenario)) {
    scenario_.stop = 1_s;
    last_start_ = run(scenario_).end + 2_ms;
    scenario_.stop += 10_ms;
    scenario_.add_flow(0, 1, 1_B, last_start_);
    model_ = scenario_.model(way.port);
    traffic_ = scenario_.traffic();
    simulation_ = std::make_unique<Simulation>(
        *model_, *traffic_, RunOptions{.threads = way.threads, .scheduler = way.scheduler, .stop = scenario_.stop});
    simulation_->on_finish([this](const host::FlowRecord& r) { flows_.push_back(r); }, FinishCalls::later);
    simulation_->advance();
  }

  const std::vector<host::FlowRecord>& flows() const { return flows_; }
  Counters counters() const { return simulation_->counters(); }

  void expect_completion() const {
    const Counters c = counters();
    EXPECT_GE(c.flows_started, scenario_.flows.size());
    EXPECT_EQ(c.flows_completed, c.flows_started);
    EXPECT_EQ(flows_.size(), c.flows_completed);
    EXPECT_EQ(flows_.back().start, last_start_);
    EXPECT_LT(simulation_->now(), 1_s) << "some flow never ended";
  }

  void expect_rest() {
    std::vector<net::TrafficClass> classes{net::TrafficClass::priority};
    for (unsigned c = 0; c < model_->data_classes(); ++c) classes.push_back(net::data_class(c));
    for (std::uint32_t id = 0; id < model_->topology.ports(); ++id) {
      const net::Port& p = simulation_->port(id);
      EXPECT_EQ(p.queued, 0u) << "port " << id;
      EXPECT_FALSE(p.paused) << "port " << id;
      EXPECT_EQ(p.pending_control, 0u) << "port " << id;
    }
    for (std::uint32_t s = 0; s < model_->topology.switches; ++s) {
      const auto& buffer = simulation_->switch_state(s).buffer;
      EXPECT_FALSE(buffer.needs_departure_events()) << "switch " << s;
      for (std::uint32_t i = 0; i < model_->routing.ports(s).size(); ++i)
        for (const auto c : classes) {
          EXPECT_EQ(buffer.pool(i, c).bytes, 0) << "switch " << s << " ingress " << i;
          EXPECT_EQ(buffer.pool(i, c).headroom, 0) << "switch " << s << " ingress " << i;
        }
    }
  }

  // Every packet that entered a switch has left it or was dropped there; what a link lost never entered.
  void expect_packets_conserved() {
    const net::Topology& t = model_->topology;
    std::vector<std::int64_t> balance(t.nodes(), 0);
    for (std::uint32_t id = 0; id < t.ports(); ++id) {
      // Each pause was followed by a resume, both sent by the far end's port.
      const auto packets = static_cast<std::int64_t>(simulation_->port(id).tx_packets) -
                           2 * static_cast<std::int64_t>(simulation_->port(net::Topology::reverse(id)).pauses);
      balance[t.port_owner(id)] -= packets;
      balance[t.port_peer(id)] += packets - static_cast<std::int64_t>(simulation_->port(id).lost);
    }
    std::uint64_t drops = 0;
    for (std::uint32_t s = 0; s < t.switches; ++s) {
      EXPECT_EQ(balance[t.hosts + s], static_cast<std::int64_t>(simulation_->switch_state(s).drops)) << "switch " << s;
      drops += simulation_->switch_state(s).drops;
    }
    EXPECT_EQ(drops, counters().dropped);
  }

  // Without drops every byte crosses each link once: what a host gets is what its flows carry. Not so if packets
  // overtake each other and are taken for lost, or not each of them is acknowledged, or answered by counting alone.
  void expect_bytes_exact() {
    ASSERT_EQ(counters().dropped, 0u);
    for (const auto& p : model_->profiles) {
      if (!p.balancing.has_one_path() || p.ack_every.count > 0) return;
      if (p.on_ramp && p.on_ramp->packets_per_ack > 1 && p.on_ramp->burst_gap > Time{}) return;
    }
    EXPECT_EQ(counters().nacks, 0u) << "packets of a flow were reordered";
    EXPECT_EQ(counters().timeouts, 0u);
    EXPECT_EQ(counters().retransmitted, 0u);
    const net::Topology& t = model_->topology;
    std::vector<std::int64_t> in(t.hosts, 0);
    std::int64_t packets = 0;
    for (const auto& f : flows_) {
      const auto& with = model_->profiles[f.profile];
      const std::int64_t n = (f.size.count + model_->transport.payload.count - 1) / model_->transport.payload.count;
      packets += n;
      in[f.dst] += f.size.count + n * (model_->data_wire(with) - model_->transport.payload).count;
      in[f.src] += n * model_->ack_wire(with).count;
      if (with.unsolicited.count > 0)
        in[f.src] += std::max<std::int64_t>(0, n - with.unsolicited_packets(model_->transport.payload)) *
                     model_->transport.min_frame.count;
      if (with.on_ramp) in[f.src] += n / with.on_ramp->packets_per_ack * with.on_ramp->ack_size.count;
    }
    EXPECT_EQ(counters().data_packets, static_cast<std::uint64_t>(packets));
    for (std::uint32_t h = 0; h < t.hosts; ++h) {
      const std::uint32_t nic = model_->routing.nic(h);
      const std::int64_t control =
          2 * simulation_->port(nic).pauses * model_->network.pfc_frame.count;  // each with its resume
      EXPECT_EQ(static_cast<std::int64_t>(simulation_->port_figures(net::Topology::reverse(nic)).sent_bytes),
                in[h] + control)
          << "host " << h;
    }
  }

  Simulation& simulation() { return *simulation_; }

 private:
  Scenario scenario_;
  Time last_start_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<traffic::Traffic> traffic_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<host::FlowRecord> flows_;
};

// A random scenario in which every packet fits an empty buffer, so that every flow can end.
Scenario passable_scenario(std::uint64_t seed) {
  Scenario s = random_scenario(seed);
  std::int64_t largest = s.transport.ack_header.count;
  for (const auto& p : s.profiles) {
    largest = std::max(largest, s.transport.payload.count + s.transport.header.count +
                                    (p.reads_telemetry() ? s.transport.int_bytes.count : 0));
  }
  s.buffer.pfc_alpha = std::max(s.buffer.pfc_alpha, 0.125);
  s.buffer.size.count = std::max(s.buffer.size.count, s.set_aside() + 20 * largest);
  s.sample = {};
  return s;
}

class AnyScenario : public testing::TestWithParam<std::uint64_t> {
 protected:
  void check(const Way& way) {
    const Scenario s = passable_scenario(GetParam());
    SCOPED_TRACE(s.text);
    Rested run(s, way);
    run.expect_completion();
    run.expect_rest();
    // Where a link goes down, a pause may end without a resume, and packets change their path.
    if (!s.faults.link_events.empty()) return;
    run.expect_packets_conserved();
    // What a switch has trimmed is told by a NACK, and sent again.
    if (run.counters().dropped + run.counters().lost + run.counters().trimmed > 0) return;
    // Flowlets of short gaps may overtake each other, which go-back-N takes for losses.
    const bool keeps_order = std::none_of(s.profiles.begin(), s.profiles.end(),
                                          [](const host::Profile& p) { return p.balancing.has_flowlets(); });
    if (!keeps_order && run.counters().nacks > 0) return;
    EXPECT_EQ(run.counters().nacks, 0u) << "packets of a flow were reordered";
    const bool cnp_packets = run.counters().cnps > 0;  // are not counted there
    // Nor are tail probes.
    const bool probes = s.transport.tail_probe && run.counters().retransmitted > 0;
    if (run.counters().timeouts == 0 && !probes && !cnp_packets) run.expect_bytes_exact();
  }
};

TEST_P(AnyScenario, EndsAndLosesNothing) { check({}); }
TEST_P(AnyScenario, EndsAndLosesNothingInTwoPartitions) {
  check({.port = GetParam() % 2 == 0 ? net::PortKind::fifo : net::PortKind::queued, .threads = 2});
}

INSTANTIATE_TEST_SUITE_P(Random, AnyScenario, testing::Range<std::uint64_t>(1'000, 1'000 + scenario_count(24)));

// PFC with headroom for what is under way: an incast of any width, a small buffer, no drop.
class Lossless : public testing::TestWithParam<std::tuple<int, net::PortKind>> {};

Scenario incast(net::Topology topology, std::uint32_t fan_in, Bytes size) {
  Scenario s;
  s.topology = std::move(topology);
  s.profiles = {unlimited(), profile("hpcc"), profile("dcqcn", {{"cnp_packet", "false"}})};
  const std::uint32_t receiver = s.topology.hosts - 1;
  for (std::uint32_t h = 0; h < fan_in; ++h)
    s.add_flow(h % receiver, receiver, size, Time{h * 1'000}, static_cast<std::uint16_t>(h % 3 == 2 ? h % 2 + 1 : 0));
  s.add_flow(receiver, 0, size);  // and something against the stream
  s.buffer.pfc_alpha = 0.125;
  s.buffer.size = {s.set_aside() + 300'000};
  return s;
}

TEST_P(Lossless, DropsNothing) {
  const auto fan_in = static_cast<std::uint32_t>(std::get<0>(GetParam()));
  net::LeafSpine two_tiers;
  two_tiers.spines = 2;
  for (const bool one_switch : {true, false}) {
    SCOPED_TRACE(one_switch ? "one switch" : "two tiers");
    Rested run(incast(one_switch ? build(net::Star{fan_in + 1}) : build(two_tiers), fan_in, 100_KB),
               {.port = std::get<1>(GetParam())});
    run.expect_completion();
    run.expect_rest();
    run.expect_packets_conserved();
    run.expect_bytes_exact();
    if (fan_in > 2) {
      EXPECT_GT(run.counters().pauses, 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FanIn, Lossless,
                         testing::Combine(testing::Values(2, 5, 16, 60),
                                          testing::Values(net::PortKind::fifo, net::PortKind::queued)));

// Lossy switches whose buffer holds one or two packets: still every flow ends.
class TinyBuffer : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(TinyBuffer, EveryFlowEnds) {
  const auto [bytes, fan_in] = GetParam();
  Scenario s =
      incast(build(net::Star{static_cast<std::uint32_t>(fan_in) + 1}), static_cast<std::uint32_t>(fan_in), 20_KB);
  s.buffer.mode = net::BufferMode::lossy;
  s.buffer.size = {bytes};
  s.transport.min_rto = 100_us;
  s.transport.nack_interval = 20_us;
  Rested run(s, {});
  run.expect_completion();
  run.expect_rest();
  run.expect_packets_conserved();
  EXPECT_GT(run.counters().dropped, 0u);
  EXPECT_GT(run.counters().timeouts, 0u);
}

INSTANTIATE_TEST_SUITE_P(Random, TinyBuffer,
                         testing::Combine(testing::Values(1'100, 2'200, 5'000), testing::Values(2, 7, 20)));

// A sender's slots are used again and again. A receiver that has not heard of a slot for a long time must not take a
// new flow for an old one.
TEST(Slots, MayBeReusedAnyNumberOfTimes) {
  Scenario s;
  s.topology = build(net::Dumbbell{3, 3, 100_Gbps, 100_ns, 100_Gbps, 10_us});
  s.profiles = {unlimited()};
  s.buffer.mode = net::BufferMode::lossy;
  s.buffer.size = {6'000};
  s.transport.min_rto = 100_us;
  s.add_flow(0, 3, 1_B);
  // More flows than a 16-bit generation can tell apart stay on the near side.
  constexpr int kFlows = 33'000;
  for (int i = 1; i <= kFlows; ++i) s.add_flow(0, 1, 1_B, i * 1_us);
  // Then a flow to the far side loses packets.
  const Time start = (kFlows + 10) * 1_us;
  for (const std::uint32_t src : {0u, 1u, 2u}) s.add_flow(src, 3, 100_KB, src == 0 ? start + 3_us : start);
  const Outcome one = run(s, {.threads = 1});
  EXPECT_GT(one.counters.dropped, 0u);
  EXPECT_EQ(difference(one, run(s, {.threads = 2})), "");
}

// Alone in the network, with a window that never closes, a flow takes exactly what arithmetic says.
struct Lone {
  const char* name;
  net::Topology (*topology)();
};
std::ostream& operator<<(std::ostream& out, const Lone& l) { return out << l.name; }

const Lone kLone[] = {
    {"Star", [] { return build(net::Star{}); }},
    {"SlowStar",
     [] {
       return build(net::Star{4, 33_Gbps, 777_ns});
     }},
    {"Dumbbell",
     [] {
       return build(net::Dumbbell{2, 2, 100_Gbps, 1_us, 25_Gbps, 5_us});
     }},
    {"FastDumbbell",
     [] {
       return build(net::Dumbbell{2, 2, 10_Gbps, 300_ns, 400_Gbps, 0_us});
     }},
    {"ParkingLot",
     [] {
       return build(net::ParkingLot{5, 40_Gbps, 1_us, 33_Gbps, 123_ns});
     }},
    {"LeafSpine", [] { return build(net::LeafSpine{}); }},
    {"Clos", [] { return build(net::Clos{}); }},
    {"SlowCore",
     [] {
       return build(net::Clos{2, 2, 2, 2, 2, 100_Gbps, 40_Gbps, 10_Gbps, 1_us, 2_us, 3_us});
     }},
    {"FatTree", [] { return build(net::FatTree{4}); }},
};

class LoneFlow : public testing::TestWithParam<std::tuple<Lone, net::PortKind>> {};

TEST_P(LoneFlow, TakesTheIdealTime) {
  Scenario s;
  s.topology = std::get<0>(GetParam()).topology();
  s.profiles = {unlimited(), telemetry_reader()};
  s.transport.min_rto = 1_s;
  const std::uint32_t last = s.topology.hosts - 1;
  Time start;
  for (const std::uint16_t with : {std::uint16_t{0}, std::uint16_t{1}})
    for (const auto& [src, dst] : {std::pair{0u, last}, {last, 0u}, {0u, 1u}, {1u, last / 2}})
      for (const Bytes size : {1_B, 999_B, 1'000_B, 1'001_B, 1'000'500_B, 1_MB}) {
        if (src == dst) continue;
        s.add_flow(src, dst, size, start, with);
        start += 10_ms + Time{static_cast<std::int64_t>(s.flows.size()) * 1'234'567};
      }
  s.buffer.size = 1_GB;
  const Outcome out = run(s, {.port = std::get<1>(GetParam())});
  const auto model = s.model();
  ASSERT_EQ(out.flows.size(), s.flows.size());
  for (const auto& f : out.flows) {
    const host::Profile& with = model->profiles[f.profile];
    const net::Framing framing{
        .payload = 1'000_B, .header = model->data_wire(with) - 1'000_B, .ack = model->ack_wire(with)};
    EXPECT_EQ((f.finish - f.start).ps, model->paths.ideal_fct(f.src, f.dst, f.size, framing).ps)
        << f.size.count << " B from " << f.src << " to " << f.dst << " with " << with.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Topologies, LoneFlow,
                         testing::Combine(testing::ValuesIn(kLone),
                                          testing::Values(net::PortKind::fifo, net::PortKind::queued)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) +
                                  (std::get<1>(test.param) == net::PortKind::fifo ? "Fifo" : "Queued");
                         });

// Marks: what ports say they marked is what receivers counted; with one threshold it is what exceeded it.
TEST(Marking, IsCountedAtBothEnds) {
  Scenario s = incast(build(net::Star{9}), 8, 100_KB);
  s.profiles = {unlimited(), unlimited(), unlimited()};
  s.ecn.enabled = true;
  s.ecn.k_min = s.ecn.k_max = 20_KB;
  s.ecn.at_rate = {};
  for (const auto kind : {net::PortKind::fifo, net::PortKind::queued}) {
    Rested run(s, {.port = kind});
    std::uint64_t marked = 0;
    for (std::uint32_t id = 0; id < s.topology.ports(); ++id) marked += run.simulation().port_figures(id).marked;
    EXPECT_EQ(marked, run.counters().marked);
    EXPECT_GT(marked, 500u);
    EXPECT_LT(marked, 800u);
    EXPECT_EQ(run.counters().cnps, 0u);  // nobody asked for any
  }
}

}  // namespace
}  // namespace weir::engine
