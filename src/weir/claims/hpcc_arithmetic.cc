// Claims of the HPCC paper that take no network: rules of thumb, the telemetry's format, one flow told of
// acknowledgements by hand.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "weir/base/int_wire.h"
#include "weir/base/random.h"
#include "weir/base/telemetry.h"
#include "weir/base/units.h"
#include "weir/cc/hpcc.h"
#include "weir/cc/reciprocal_table.h"
#include "weir/claims/catalogue.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

// Sections 3.3, 5.1 (footnote 4) and 5.4.
void a1_rule_for_the_additive_step(Context& context) {
  const auto step = [](Time t, int flows) {
    return cc::Hpcc::additive_step((100_Gbps).bytes_per_second() * t.seconds(), 0.95, flows);
  };
  const double big = step(13_us, 100);
  const double sixteen = step(4_us, 16);
  const double hundred = step(4_us, 100);
  const auto is = [](double value, double wanted) { return std::abs(value - wanted) < 1e-9; };
  context.judge("A1", is(big, 81.25) && is(sixteen, 156.25) && is(hundred, 25),
                fmt::format("{:.2f}, {:.0f}, {:.0f} B", big, sixteen, hundred));
}

// Records of a port as a run has them, long enough for each counter to wrap around.
HopTelemetry random_record(const RandomStream& random, std::uint64_t& draws) {
  constexpr std::uint32_t kSpeeds[] = {25'000, 50'000, 100'000, 200'000, 400'000};
  HopTelemetry out;
  out.time =
      static_cast<std::int64_t>(random.below(draws++, 1'000'000'000'000));  // a second, of 16.8 ms until it wraps
  out.tx_bytes = static_cast<std::int64_t>(random.below(draws++, 10'000'000'000));  // of 134 MB
  out.queue = static_cast<std::int32_t>(random.below(draws++, 4'000'000));
  out.rate_mbps = kSpeeds[random.below(draws++, 5)];
  return out;
}

bool same(const HopTelemetry& a, const HopTelemetry& b) {
  return a.time == b.time && a.tx_bytes == b.tx_bytes && a.queue == b.queue && a.rate_mbps == b.rate_mbps;
}

// Whether the differences of two records, of which HPCC makes all it knows, are right to a unit though both were cut.
bool differences_survive(const IntFormat& format, const HopTelemetry& before, std::int64_t ps, std::int64_t bytes) {
  HopTelemetry now = before;
  now.time += ps;
  now.tx_bytes += bytes;
  const HopTelemetry a = format.quantise(before);
  const HopTelemetry b = format.quantise(now);
  return std::abs(format.elapsed_ps(b, a) - ps) < 1'000 && std::abs(format.sent_bytes(b, a) - bytes) < 128;
}

void a2_telemetry_on_the_wire(Context& context) {
  const RandomStream random(1, 0, Purpose::algorithm);
  const IntFormat format = IntFormat::wire();
  constexpr int kStacks = 20'000;
  std::uint64_t draws = 0;
  int intact = 0;
  for (int i = 0; i < kStacks; ++i) {
    IntStack stack;
    stack.hops = kMaxWireHops;
    stack.path_id = static_cast<std::uint16_t>(random.below(draws++, 1 << 12));
    bool good = true;
    for (HopTelemetry& hop : stack.hop) {
      const HopTelemetry exact = random_record(random, draws);
      hop = format.quantise(exact);
      const auto later = static_cast<std::int64_t>(random.below(draws++, 1'000'000'000));
      const auto more = static_cast<std::int64_t>(random.below(draws++, 10'000'000));
      good &= differences_survive(format, exact, later, more);
    }
    const IntStack back = decode_int(encode_int(stack));
    good &= back.hops == stack.hops && back.path_id == stack.path_id;
    for (std::size_t h = 0; h < stack.hop.size(); ++h) good &= same(back.hop[h], stack.hop[h]);
    intact += good;
  }
  context.judge("A2", kIntWireBytes == 42 && intact == kStacks,
                fmt::format("{} B for {} hops, {:.1f} % of 1 KB; {} of {} random stacks come back, with differences of "
                            "counters right to one unit",
                            kIntWireBytes, kMaxWireHops, static_cast<double>(kIntWireBytes) / 10, intact, kStacks));
}

void a3_table_of_reciprocals(Context& context) {
  constexpr double kEpsilon = 0.0042;
  const cc::ReciprocalTable table(kEpsilon);
  double error = 0;
  for (std::uint32_t n = 1; n <= cc::ReciprocalTable::kLargest; ++n)
    error = std::max(error, std::abs(table.reciprocal(n) * n - 1));
  const std::size_t bytes = 4 * table.size();
  context.judge("A3", bytes <= 10'000 && error <= 0.0045,
                fmt::format("epsilon = {}: {} entries of 4 B = {} B, largest relative error {:.2f} %", kEpsilon,
                            table.size(), bytes, 100 * error));
}

// A flow at 100 Gb/s with B T = W_0 = 162,500 B, told of acknowledgements.
class Told {
 public:
  explicit Told(cc::Hpcc::Reaction reaction)
      : params_{.w_ai = 0_B, .reaction = reaction, .ewma = false}, hpcc_(params_, facts(), control_) {}

  // At `now` of a packet that left the switch at `left`, when so many bytes had been sent and `queue` were waiting.
  void ack(Time now, Bytes seq, Bytes snd_nxt, Time left, std::int64_t sent, std::int32_t queue) {
    Telemetry records;
    records.hop[0] = {left.ps, sent, queue, 100'000};
    cc::Ack a;
    a.now = now;
    a.seq = seq;
    a.snd_nxt = snd_nxt;
    a.hops = 1;
    a.telemetry = &records;
    hpcc_.on_ack(params_, facts(), a, control_);
  }
  std::int64_t window() const { return control_.window.count; }

 private:
  static cc::FlowFacts facts() {
    cc::FlowFacts f;
    f.line_rate = f.path_rate = 100_Gbps;
    f.base_rtt = f.network_rtt = 13_us;
    return f;
  }

  cc::Hpcc::Params params_;
  cc::Control control_;
  cc::Hpcc hpcc_;
};

// Figure 5: two acknowledgements of one round trip report the same queue, 0.9 B T behind a full link: U = 1.9 = 2 eta.
std::int64_t window_after_both(cc::Hpcc::Reaction reaction) {
  Told flow(reaction);
  flow.ack(20_us, 1_B, 200_KB, 10_us, 0, 146'250);  // begins the round
  flow.ack(33_us, 1_B, 200_KB, 23_us, 162'500, 146'250);
  require(flow.window() == 81'250, "the first acknowledgement does not halve the window");
  flow.ack(34_us, 1_B, 200_KB, 36_us, 325'000, 146'250);
  return flow.window();
}

void a17_the_reference_window_avoids_overreaction(Context& context) {
  constexpr double kW0 = 162'500;
  const auto part = [](std::int64_t window) { return kW0 / static_cast<double>(window); };
  const double hpcc = part(window_after_both(cc::Hpcc::Reaction::hpcc));
  const double per_ack = part(window_after_both(cc::Hpcc::Reaction::per_ack));
  context.judge("A17", hpcc == 2 && per_ack == 4, fmt::format("W_0 / {:g}; W_0 / {:g}", hpcc, per_ack));
}

void a25_queue_as_time(Context& context) {
  const Time t = transmission_time(13_KB, 100_Gbps);
  context.judge("A25", t == 1040_ns, fmt::format("{:.2f} us", us(t)));
}

// Section 5.3: payload at 50 % of capacity, with 48 B of header and an acknowledgement of 60 B per 1,000 B 55.4 %.
void a56_residual_capacity(Context& context) {
  const double load = 0.5 * (1000 + 48 + 60) / 1000;
  const double ratio = (1 - load) / 0.361;
  const double int_on_data = 0.95 - load * (1 + 42 / 1000.0);
  context.judge("A56", std::abs(ratio - 1.235) < 5e-4,
                fmt::format("{:.3f}; but with an INT overhead of 4.2 % the residue is {:.1f} %, not 36.1 %, and the "
                            "ratio {:.2f}",
                            ratio, 100 * int_on_data, (1 - load) / int_on_data));
}

}  // namespace

std::vector<Evaluator> hpcc_arithmetic() {
  return {
      {{"A1"}, Tier::quick, 0.01, a1_rule_for_the_additive_step, Evidence::exact},
      {{"A2"}, Tier::quick, 0.1, a2_telemetry_on_the_wire, Evidence::exact},
      {{"A3"}, Tier::quick, 0.5, a3_table_of_reciprocals, Evidence::exact},
      {{"A17"}, Tier::quick, 0.01, a17_the_reference_window_avoids_overreaction, Evidence::exact},
      {{"A25"}, Tier::quick, 0.01, a25_queue_as_time, Evidence::exact},
      {{"A56"}, Tier::quick, 0.01, a56_residual_capacity, Evidence::exact},
  };
}

}  // namespace weir::claims
