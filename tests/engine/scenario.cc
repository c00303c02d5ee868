#include "tests/engine/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "weir/traffic/flow_list.h"
#include "weir/traffic/poisson.h"

namespace weir::engine {

using namespace literals;

namespace {

class TelemetryReader {
 public:
  struct Params {
    static void describe(ParamList<Params>&) {}
  };
  static constexpr cc::About about{
      .name = "telemetry-reader", .title = "Telemetry reader", .source = "test", .needs = cc::Needs::telemetry};
  TelemetryReader(const Params&, const cc::FlowFacts&, cc::Control&) {}
  void on_ack(const Params&, const cc::FlowFacts&, const cc::Ack&, cc::Control&) {}
};

}  // namespace

host::Profile telemetry_reader() {
  static const cc::Algorithm algorithm = cc::describe<TelemetryReader>();
  return profile(algorithm);
}

std::uint64_t scenario_count(std::uint64_t usual) {
  const char* wanted = std::getenv("WEIR_SCENARIOS");
  return wanted == nullptr ? usual : std::strtoull(wanted, nullptr, 10);
}

host::Profile profile(const cc::Algorithm& algorithm) {
  const auto params = algorithm.load(algorithm.params->make(), {});
  return {std::string(algorithm.about.name), &algorithm, params, algorithm.receiver(params.get())};
}

host::Profile profile(std::string_view algorithm, const Settings& settings) {
  host::Profile p = profile(*cc::find_algorithm(algorithm));
  const auto params = p.algorithm->params->make();
  for (const auto& [key, text] : settings) {
    const Param* param = p.algorithm->params->find(key);
    if (param == nullptr) throw std::logic_error(fmt::format("{} has no parameter {}", algorithm, key));
    param->set(params.get(), parse_value(*param, text));
  }
  p.params = p.algorithm->load(params, {});
  p.receiver = p.algorithm->receiver(p.params.get());
  return p;
}

host::Profile unlimited() { return profile("fixed-window", {{"window", "1 GB"}}); }

std::unique_ptr<Model> Scenario::model(net::PortKind port) const {
  auto m = std::make_unique<Model>(topology, seed, network);
  m->network.port = port;
  m->buffer = buffer;
  m->ecn = ecn;
  m->ecn_overrides = ecn_overrides;
  m->adaptive = adaptive;
  m->watchdog = watchdog;
  m->classes = classes;
  m->faults = work_out(faults, topology, seed);
  m->transport = transport;
  m->host = host;
  m->clocks = clocks;
  m->profiles = profiles;
  return m;
}

std::unique_ptr<traffic::Traffic> Scenario::traffic() const {
  auto t = std::make_unique<traffic::Traffic>(topology.hosts);
  t->add(std::make_unique<traffic::FlowList>(flows), std::nullopt);
  t->add(program);
  if (driver) t->add(driver->clone());
  if (poisson_load > 0) {
    traffic::Context context;
    for (std::uint32_t h = 0; h < topology.hosts; ++h) context.host_rates.push_back(topology.links[h].rate);
    context.seed = seed;
    context.source = 1;
    traffic::Poisson::Params p;
    p.sizes = "FB_Hadoop";
    p.load = poisson_load;
    p.stop = poisson_stop;
    t->add(std::make_unique<traffic::Poisson>(p, context), traffic::Labels{});
  }
  return t;
}

Scenario two_leaves(std::uint32_t hosts_per_leaf) {
  Scenario s;
  net::LeafSpine two;
  two.leaves = 2;
  two.hosts_per_leaf = hosts_per_leaf;
  s.topology = build(two);
  return s;
}

std::int64_t Scenario::set_aside() const {
  if (buffer.mode == net::BufferMode::lossy) return 0;
  std::vector<std::int64_t> needed(topology.nodes(), 0);
  const auto reserves = std::max<std::int64_t>(1, static_cast<std::int64_t>(classes.size()));
  const std::int64_t headrooms =
      classes.empty() ? 1 : std::count_if(classes.begin(), classes.end(), [](const auto& c) { return c.pfc; });
  Bytes packet = transport.payload + transport.header;
  if (std::any_of(profiles.begin(), profiles.end(), [](const auto& p) { return p.reads_telemetry(); }))
    packet = packet + transport.int_bytes;
  for (const auto& l : topology.links) {
    const std::int64_t on_wire = bytes_in(l.delay, l.rate).count;
    const std::int64_t headroom =
        std::max(2 * on_wire + 3 * packet.count + network.pfc_frame.count,
                 static_cast<std::int64_t>(buffer.headroom_delays * static_cast<double>(on_wire)));
    for (const std::uint32_t node : {l.a, l.b}) needed[node] += reserves * buffer.reserve.count + headrooms * headroom;
  }
  return *std::max_element(needed.begin() + topology.hosts, needed.end());
}

void Scenario::add_flow(std::uint32_t src, std::uint32_t dst, Bytes size, Time start, std::uint16_t profile_index) {
  traffic::Flow f;
  f.src = src;
  f.dst = dst;
  f.size = size;
  f.start = start;
  f.profile = profile_index;
  flows.push_back(f);
}

std::string name_of(const Way& way) {
  constexpr const char* kSchedulers[] = {"automatic", "wheel", "heap"};
  return fmt::format("{} ports, {}, {} threads{}", way.port == net::PortKind::fifo ? "fifo" : "queued",
                     kSchedulers[static_cast<std::size_t>(way.scheduler)], way.threads,
                     way.step == Time::max() ? "" : ", in steps");
}

Outcome run(const Scenario& scenario, const Way& way) {
  const auto model = scenario.model(way.port);
  const auto traffic = scenario.traffic();
  RunOptions options;
  options.threads = way.threads;
  options.scheduler = way.scheduler;
  options.stop = scenario.stop;
  options.ranks = way.ranks;
  options.fast_forward = way.fast_forward;
  Simulation simulation(*model, *traffic, options);
  Outcome out;
  simulation.on_finish([&](const host::FlowRecord& r) { out.flows.push_back(r); }, FinishCalls::later);
  if (scenario.sample.ps > 0)
    simulation.every(scenario.sample, [&](Time) { out.samples.push_back(simulation.state_digest()); });
  if (way.step == Time::max())
    simulation.advance();
  else
    for (Time until = way.step; !simulation.advance(until); until += way.step) {
    }
  out.counters = simulation.counters();
  out.digest = simulation.state_digest();
  out.end = simulation.now();
  out.threads = simulation.threads();
  if (simulation.stall() != nullptr) out.stall = *simulation.stall();
  out.fast_forward = simulation.fast_forward();
  out.nodes.assign(simulation.node_times().begin(), simulation.node_times().end());
  return out;
}

std::string difference(const Outcome& a, const Outcome& b) {
  for (std::size_t i = 0; i < std::min(a.flows.size(), b.flows.size()); ++i) {
    const auto& x = a.flows[i];
    const auto& y = b.flows[i];
    if (x.id != y.id || x.finish != y.finish || x.start != y.start || x.retransmitted != y.retransmitted)
      return fmt::format("completion {}: flow {} at {} ps ({} retransmissions) and flow {} at {} ps ({})", i, x.id,
                         x.finish.ps, x.retransmitted, y.id, y.finish.ps, y.retransmitted);
  }
  if (a.flows.size() != b.flows.size())
    return fmt::format("{} and {} flows have finished", a.flows.size(), b.flows.size());
  for (std::size_t i = 0; i < std::min(a.nodes.size(), b.nodes.size()); ++i) {
    const auto& x = a.nodes[i];
    const auto& y = b.nodes[i];
    if (x.started != y.started || x.sent != y.sent || x.received != y.received)
      return fmt::format("node {}: started {} and {} ps, sent {} and {}, received {} and {}", i, x.started.ps,
                         y.started.ps, x.sent.ps, y.sent.ps, x.received.ps, y.received.ps);
  }
  const auto counters = [](const Counters& c) {
    return std::vector<std::pair<std::string_view, std::uint64_t>>{{"packet_hops", c.packet_hops},
                                                                   {"data_packet_hops", c.data_packet_hops},
                                                                   {"data_packets", c.data_packets},
                                                                   {"retransmitted", c.retransmitted},
                                                                   {"timeouts", c.timeouts},
                                                                   {"nacks", c.nacks},
                                                                   {"cnps", c.cnps},
                                                                   {"marked", c.marked},
                                                                   {"dropped", c.dropped},
                                                                   {"trimmed", c.trimmed},
                                                                   {"lost", c.lost},
                                                                   {"pauses", c.pauses},
                                                                   {"storms", c.storms},
                                                                   {"storm_dropped", c.storm_dropped},
                                                                   {"flows_started", c.flows_started},
                                                                   {"flows_completed", c.flows_completed}};
  };
  const auto ca = counters(a.counters);
  const auto cb = counters(b.counters);
  for (std::size_t i = 0; i < ca.size(); ++i)
    if (ca[i].second != cb[i].second) return fmt::format("{}: {} and {}", ca[i].first, ca[i].second, cb[i].second);
  for (std::size_t i = 0; i < std::min(a.samples.size(), b.samples.size()); ++i)
    if (a.samples[i] != b.samples[i])
      return fmt::format("the state digest of sample {}: {:016x} and {:016x}", i, a.samples[i], b.samples[i]);
  if (a.stall != b.stall)
    return fmt::format("the stall: {} and {}", a.stall ? to_text(*a.stall) : "none",
                       b.stall ? to_text(*b.stall) : "none");
  if (a.end != b.end) return fmt::format("the end: {} and {} ps", a.end.ps, b.end.ps);
  if (a.digest != b.digest) return fmt::format("the state digest: {:016x} and {:016x}", a.digest, b.digest);
  return "";
}

namespace {

// Draws of the generator; only what the standard fixes, so that every machine makes the same scenarios.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  // Even in the logarithm.
  std::int64_t magnitude(std::int64_t low, std::int64_t high) {
    int doublings = 0;
    while (low << (doublings + 1) <= high) ++doublings;
    const std::int64_t from = low << below(static_cast<std::uint64_t>(doublings + 1));
    return between(from, std::min(high, 2 * from));
  }

 private:
  std::mt19937_64 engine_;
};

// Planes, switches of a rack and parallel links of hosts, for a seed in three; of no draw of the dice, so that all else
// of a scenario is what it would be with hosts of one port.
struct PortsOfHosts {
  explicit PortsOfHosts(std::uint64_t seed) {
    if (seed % 3 != 1) return;
    const std::uint32_t draw = mix32(static_cast<std::uint32_t>(seed));
    planes = 1 + draw % 2;
    tors = 1 + draw / 2 % 2;
    host_links = planes * tors == 1 ? 2 : 1 + draw / 4 % 2;
  }
  std::uint32_t planes = 1;
  std::uint32_t tors = 1;
  std::uint32_t host_links = 1;
};

net::Topology random_topology(Dice& dice, const PortsOfHosts& own) {
  // Half of the networks are so even that many things happen at the same instant.
  const bool even = dice.chance(2);
  const auto rate = [&] { return dice.pick({10_Gbps, 25_Gbps, 33_Gbps, 40_Gbps, 100_Gbps, 400_Gbps}); };
  const auto delay = [&]() -> Time {
    if (dice.chance(12)) return {};
    return {dice.chance(2) ? dice.between(1, 8) * 250'000 : dice.magnitude(250'000, 3'000'000)};
  };
  const Rate host_rate = even ? 100_Gbps : rate();
  const Rate fabric_rate = even ? dice.pick({100_Gbps, 400_Gbps}) : rate();
  const Rate core_rate = even ? fabric_rate : rate();
  const Time host_delay = even ? 1_us : delay();
  const Time fabric_delay = even ? 1_us : delay();
  const Time core_delay = even ? 1_us : delay();
  const auto count = [&](std::int64_t low, std::int64_t high) {
    return static_cast<std::uint32_t>(dice.between(low, high));
  };
  net::Topology t;
  switch (dice.below(6)) {
    case 0: t = build(net::Star{count(2, 9), host_rate, host_delay, own.planes, own.host_links}); break;
    case 1: t = build(net::Dumbbell{count(1, 6), count(1, 6), host_rate, host_delay, fabric_rate, fabric_delay}); break;
    case 2: t = build(net::ParkingLot{count(2, 5), host_rate, host_delay, fabric_rate, fabric_delay}); break;
    case 3:
      t = build(net::LeafSpine{count(2, 4), count(1, 3), count(1, 5), count(1, 2), host_rate, fabric_rate, host_delay,
                               fabric_delay, own.planes, own.tors, own.host_links});
      break;
    case 4: {
      const std::uint32_t aggs = count(1, 2);
      t = build(net::Clos{count(2, 3), count(1, 2), count(1, 4), aggs, aggs * count(1, 2), host_rate, fabric_rate,
                          core_rate, host_delay, fabric_delay, core_delay, own.planes, own.tors, own.host_links});
      break;
    }
    default: t = build(net::FatTree{4, host_rate, host_delay, own.planes, own.tors, own.host_links}); break;
  }
  // Or no two links alike; the tables then route it.
  if (!even && dice.chance(3)) {
    for (auto& l : t.links) {
      l.rate = rate();
      l.delay = delay();
    }
    t.tree.clear();
  }
  return t;
}

host::Profile random_profile(Dice& dice) {
  switch (dice.below(4)) {
    case 0: return profile("hpcc", {{"reaction", dice.pick({"hpcc", "per-ack", "per-rtt"})}});
    case 1:
      return profile("dcqcn", {{"cnp_packet", dice.pick({"true", "false"})},
                               {"rate_decrease", dice.pick({"on-cnp", "periodic"})},
                               {"window", dice.pick({"none", "bdp", "variable"})},
                               {"cnp_interval", dice.pick({"0", "4 us", "50 us"})}});
    case 2:
      if (dice.chance(2)) return profile("bbr", {{"min_rtt_window", "50 us"}, {"probe_rtt_duration", "10 us"}});
      return profile(dice.pick({"cubic", "dctcp", "newreno"}));
    default:
      return profile("fixed-window",
                     {{"window", fmt::format("{} B", dice.chance(3) ? 0 : dice.magnitude(1, 300'000))},
                      {"rate", dice.chance(2) ? "0" : fmt::format("{} Mbps", dice.between(1'000, 40'000))}});
  }
}

// A world in which everything lasts a multiple of 80 ns: links of one rate, packets, acknowledgements and pause frames
// of one size, and much flow control. Departures, arrivals, pauses and resumes meet at the same instants all the time.
Scenario lockstep_scenario(std::uint64_t seed) {
  Dice dice(seed);
  Scenario s;
  s.seed = seed;
  const Time slot{80'000};
  const auto delay = [&] { return dice.between(4, 40) * slot; };
  const auto count = [&](std::int64_t low, std::int64_t high) {
    return static_cast<std::uint32_t>(dice.between(low, high));
  };
  switch (dice.below(4)) {
    case 0: s.topology = build(net::Star{count(3, 8), 100_Gbps, delay()}); break;
    case 1: s.topology = build(net::Dumbbell{count(2, 4), count(2, 4), 100_Gbps, delay(), 100_Gbps, delay()}); break;
    case 2: s.topology = build(net::ParkingLot{count(2, 4), 100_Gbps, delay(), 100_Gbps, delay()}); break;
    default:
      s.topology =
          build(net::LeafSpine{count(2, 3), count(1, 2), count(2, 4), 1, 100_Gbps, 100_Gbps, delay(), delay()});
      break;
  }
  s.transport.payload = {1'000 - s.transport.header.count};
  s.transport.ack_header = {1'000};
  s.transport.min_rto = 200_us;
  s.transport.nack_interval = 20_us;
  s.network.pfc_frame = {dice.chance(3) ? 64 : 1'000};
  s.buffer.pfc_alpha = static_cast<double>(dice.pick({1, 2, 8})) / 16;
  s.buffer.reserve = {dice.pick({0, 1'000, 4'096})};
  s.buffer.headroom_delays = static_cast<double>(dice.between(4, 16)) / 4;
  s.buffer.resume_offset = {dice.pick({0, 1'000, 3'072, 20'000})};
  s.buffer.size = {s.set_aside() + dice.magnitude(10'000, 200'000)};
  s.profiles = {profile("fixed-window", {{"window", fmt::format("{} B", dice.magnitude(5'000, 200'000))}}),
                profile("fixed-window", {{"window", "0"}, {"rate", "50 Gbps"}})};
  const auto hosts = static_cast<std::int64_t>(s.topology.hosts);
  for (std::int64_t n = 3 * hosts; n > 0; --n) {
    const auto src = static_cast<std::uint32_t>(dice.between(0, hosts - 1));
    const auto dst = static_cast<std::uint32_t>(dice.chance(2) ? 0 : dice.between(0, hosts - 1));
    if (src != dst)
      s.add_flow(src, dst, dice.between(1, 60) * s.transport.payload, dice.between(0, 100) * slot,
                 static_cast<std::uint16_t>(dice.below(2)));
  }
  s.stop = 2_ms;
  s.text = fmt::format("scenario {}: {} in lockstep, {} hosts, {} B shared", seed, s.topology.name, hosts,
                       s.buffer.size.count - s.set_aside());
  return s;
}

void add_recovery_and_on_ramp(Dice& dice, host::Profile& p) {
  using Kind = host::RecoveryKind;
  host::RecoveryParams& r = p.recovery;
  if (dice.chance(2)) r.kind = dice.pick({Kind::irn, Kind::sack});
  r.window = 0.5 * static_cast<double>(dice.between(1, 4));
  r.rto_low = {dice.magnitude(10'000'000, 100'000'000)};
  r.rto_high = 3 * r.rto_low;
  r.duplicates = dice.between(1, 4);
  if (dice.chance(3)) r.reordering = {dice.magnitude(100'000, 10'000'000)};
  if (!dice.chance(3)) return;
  cc::OnRamp::Params& o = p.on_ramp.emplace();
  o.rule = dice.pick({cc::OnRamp::Rule::strawman, cc::OnRamp::Rule::final});
  o.headroom = {dice.magnitude(100'000, 10'000'000)};
  o.memory = dice.chance(2);
  o.segment = {dice.pick({0, 4'000, 64'000})};
  o.packets_per_ack = dice.pick({1, 3});
}

Scenario any_scenario(std::uint64_t seed) {
  if (seed % 4 == 3) return lockstep_scenario(seed);
  Dice dice(seed);
  Scenario s;
  s.seed = seed * 7 + 1;
  s.topology = random_topology(dice, PortsOfHosts(seed));

  auto& t = s.transport;
  t.payload = {dice.chance(2) ? 1'000 : dice.pick({256, 1'500, 4'096, 9'000})};
  t.header = {dice.pick({0, 48, 61})};
  t.ack_header = {dice.pick({1, 46, 300})};
  t.ack_class = dice.chance(4) ? host::AckClass::priority : host::AckClass::data;
  t.int_mode = dice.chance(3) ? host::IntMode::wire : host::IntMode::exact;
  t.int_multiplier = dice.pick({1, 4});
  t.min_rto = {dice.magnitude(20'000'000, 200'000'000)};
  t.nack_interval = {dice.magnitude(1'000'000, 100'000'000)};

  auto& b = s.buffer;
  b.mode = dice.chance(3) ? net::BufferMode::lossy : net::BufferMode::lossless;
  b.pfc_alpha = static_cast<double>(dice.pick({1, 8, 64})) / 64;
  b.pfc_scale_alpha = dice.chance(2);
  b.reserve = {dice.pick({0, 2'000, 4'096})};
  b.headroom_delays = static_cast<double>(dice.between(0, 24)) / 4;
  b.resume_offset = {dice.pick({0, 1'000, 3'072, 20'000})};
  b.egress_alpha = static_cast<double>(dice.pick({1, 4, 16})) / 4;
  b.size = {s.set_aside() + dice.magnitude(4'000, 400'000)};

  if (!dice.chance(3)) {
    s.ecn.enabled = true;
    s.ecn.k_min = {dice.pick({0, 1'000, 5'000, 20'000})};
    s.ecn.k_max = {s.ecn.k_min.count + dice.pick({1, 3'000, 40'000})};
    s.ecn.p_max = static_cast<double>(dice.between(0, 8)) / 8;
    s.ecn.at_rate = dice.pick({0_bps, 25_Gbps, 100_Gbps});
    if (dice.chance(4)) s.ecn_overrides.push_back({100_Gbps, 2'000_B, 9'000_B, 0.5});
  }

  for (std::uint64_t n = 1 + dice.below(3); n > 0; --n) s.profiles.push_back(random_profile(dice));

  // Incasts whose flows start together or a little apart, and flows between anybody at any time.
  const auto hosts = static_cast<std::int64_t>(s.topology.hosts);
  const auto host = [&] { return static_cast<std::uint32_t>(dice.between(0, hosts - 1)); };
  const auto any_profile = [&] { return static_cast<std::uint16_t>(dice.below(s.profiles.size())); };
  const auto any_size = [&] { return Bytes{dice.magnitude(1, 120'000)}; };
  for (std::uint64_t n = dice.below(4); n > 0; --n) {
    const std::uint32_t receiver = host();
    const Time start{dice.between(0, 40) * 1'000'000};
    const Bytes size = any_size();
    const std::int64_t apart = dice.chance(2) ? 0 : dice.magnitude(1, 2'000'000);
    const std::uint16_t with = any_profile();
    for (std::uint32_t h = 0; h < s.topology.hosts; ++h)
      if (h != receiver) s.add_flow(h, receiver, size, start + Time{h * apart}, with);
  }
  for (std::uint64_t n = 4 + dice.below(50); n > 0; --n) {
    const std::uint32_t src = host();
    const std::uint32_t dst = host();
    if (src != dst) s.add_flow(src, dst, any_size(), Time{dice.between(0, 100'000'000)}, any_profile());
  }
  if (s.flows.empty()) s.add_flow(0, 1, any_size());
  if (dice.chance(3)) {
    s.poisson_load = 0.05 * static_cast<double>(dice.between(1, 12));
    s.poisson_stop = {dice.between(5, 40) * 1'000'000};
  }
  for (auto& p : s.profiles) add_recovery_and_on_ramp(dice, p);
  s.clocks = {.offset = {dice.pick({0, 100'000, 5'000'000})}, .drift = static_cast<double>(dice.pick({0, 50}))};
  s.stop = 2_ms;
  if (dice.chance(2)) s.sample = {dice.magnitude(1'000'000, 30'000'000)};
  s.text = fmt::format("scenario {}: {}, {} hosts, {}{}, {} B shared, payload {} B, acknowledgements in the {} class",
                       seed, s.topology.name, s.topology.hosts, b.mode == net::BufferMode::lossy ? "lossy" : "lossless",
                       s.ecn.enabled ? ", ECN" : "", b.size.count - s.set_aside(), t.payload.count,
                       t.ack_class == host::AckClass::priority ? "priority" : "data");
  return s;
}

// In every other scenario something goes wrong. Dice of its own, so that the scenarios are otherwise what they were.
void add_faults(Scenario& s, std::uint64_t seed) {
  Dice dice(~seed);
  if (dice.chance(2)) return;
  const auto link_of = [&] { return s.topology.links[dice.below(s.topology.links.size())]; };
  if (dice.chance(2)) {
    s.faults.loss.push_back({"all", 0.001 * static_cast<double>(dice.between(0, 20))});
    const net::Link link = link_of();
    s.faults.loss.push_back({fmt::format("{}-{}", link.a, link.b), 0.05});
  }
  const auto time = [&] { return Time{dice.between(0, 150) * (dice.chance(2) ? 1'000'000 : 777'000)}; };
  for (std::uint64_t n = dice.below(3); n > 0; --n)
    s.faults.host_pauses.push_back({.host = static_cast<std::uint32_t>(dice.below(s.topology.hosts)),
                                    .start = time(),
                                    .duration = Time{dice.magnitude(1'000, 100'000'000)}});
  if (dice.chance(2)) {
    // a link that goes down and up, perhaps more than once
    const net::Link link = link_of();
    Time t = time();
    for (std::uint64_t n = 1 + dice.below(3); n > 0; --n) {
      s.faults.link_events.push_back({.time = t, .a = link.a, .b = link.b, .state = LinkState::down});
      t += Time{dice.magnitude(1'000, 50'000'000)};
      s.faults.link_events.push_back({.time = t, .a = link.b, .b = link.a, .state = LinkState::up});
      t += Time{dice.magnitude(1'000, 50'000'000)};
    }
    s.network.reroute = !dice.chance(3);
  }
  const bool retry = !s.faults.loss.empty() && dice.chance(3);
  for (LossRow& row : s.faults.loss) row.retry = retry;
  if (s.network.reroute && dice.chance(3)) s.network.reroute_delay = time();
  s.text += fmt::format(", {} rows of loss{}, {} pauses, {} link events", s.faults.loss.size(),
                        retry ? " with retry" : "", s.faults.host_pauses.size(), s.faults.link_events.size());
}

// Every fourth scenario has hosts that are slow for a while. Their NICs drop nothing: in lossy networks they have room.
void add_slow_hosts(Scenario& s, std::uint64_t seed) {
  Dice dice(seed ^ 0x510e);
  if (!dice.chance(4)) return;
  s.host.receive_buffer = 1'000_MB;
  s.host.pause_above = {dice.between(0, 50'000)};
  s.host.resume_below = {dice.between(0, s.host.pause_above.count)};
  const std::uint32_t last = s.topology.hosts - 1;
  const Time from{dice.between(0, 50) * 1'000'000};
  const std::string hosts = fmt::format("{}-{}", dice.below(s.topology.hosts), last);
  s.faults.slow_hosts.push_back(
      {hosts, Rate{dice.between(1, 60) * 1'000'000'000}, from, from + Time{dice.magnitude(1'000, 200'000'000)}});
  s.text += fmt::format(", hosts {} are slow", hosts);
}

// Every third scenario has several classes. The buffer has room for their reserves and headroom.
void add_classes(Scenario& s, std::uint64_t seed) {
  Dice dice(~seed ^ 0x5bd1e995);
  if (!dice.chance(3)) return;
  const std::int64_t before = s.set_aside();
  for (std::uint64_t n = 2 + dice.below(3); n > 0; --n)
    s.classes.push_back({.quantum = {dice.magnitude(64, 20'000)}, .pfc = !dice.chance(4)});
  s.buffer.size.count += s.set_aside() - before;
  s.network.scheduling = dice.pick({net::Scheduling::fifo, net::Scheduling::priority, net::Scheduling::drr});
  for (std::size_t i = s.profiles.size(); i-- > 0;)
    s.profiles[i].data_class = static_cast<std::uint32_t>(dice.below(s.classes.size()));
  s.text += fmt::format(", {} classes", s.classes.size());
}

// In two of three scenarios selective flows spray, or have coalesced acknowledgements; some switches trim.
void add_spraying(Scenario& s, std::uint64_t seed) {
  Dice dice(~seed ^ 0x27d4eb2f);
  if (dice.chance(3)) return;
  using Kind = host::Balancing;
  for (auto& p : s.profiles) {
    if (!p.recovery.selective()) continue;
    p.balancing.kind = dice.pick(
        {Kind::ecmp, Kind::ops, Kind::ops_xor, Kind::reps, Kind::adaptive, Kind::adaptive, Kind::round_robin});
    p.balancing.entropies = 1LL << dice.below(17);
    p.balancing.freeze = {dice.pick({0, 50'000'000})};
    if (dice.chance(2)) p.ack_every = {dice.between(1, 5) * s.transport.payload.count};
  }
  s.adaptive.quantised = dice.chance(2);
  s.adaptive.refresh = {dice.pick({0, 100'000, 2'000'000})};
  if (dice.chance(3)) s.faults.failures.push_back({0.1, Time{dice.between(0, 50) * 1'000'000}});
  if (dice.chance(3)) {
    s.buffer.mode = net::BufferMode::per_port;
    s.buffer.size = {dice.magnitude(10'000, 200'000)};
  }
  s.network.trimming = dice.chance(3);
  s.text += fmt::format(", sprayed{}", s.network.trimming ? ", trimmed" : "");
  using Memory = host::PathMemory;
  for (auto& p : s.profiles) p.balancing.memory = dice.pick({Memory::flow, Memory::connection, Memory::pair});
  s.network.ecmp = dice.pick({net::Multipath::equal, net::Multipath::capacity});
  using Marks = host::PathMarks;
  for (auto& p : s.profiles) {
    p.balancing.marks = dice.pick({Marks::data, Marks::ack, Marks::none});
    p.balancing.acks = dice.pick({host::AckRouting::hash, host::AckRouting::adaptive});
  }
}

// In one of four scenarios the flows that would have one path have flowlets, by draw or by CONGA, with gaps that are
// short enough to occur.
void add_flowlets(Scenario& s, std::uint64_t seed) {
  Dice dice(~seed ^ 0x7feb352d);
  if (!dice.chance(4)) return;
  for (auto& p : s.profiles) {
    const bool may_change = !cc::has(p.algorithm->about.needs, cc::Needs::one_path);
    if (p.balancing.has_one_path() && may_change)
      p.balancing.kind = dice.pick({host::Balancing::flowlets, host::Balancing::conga});
  }
  s.network.flowlet_gap = {dice.pick({1, 1'000'000, 20'000'000})};
  s.network.flowlet_entries = dice.pick({1, 8, 65'536});
  s.network.conga.tau = dice.pick({1_us, 160_us});
  s.network.conga.age = dice.pick({20_us, 10_ms});
  s.text += ", flowlets";
}

// In one of four scenarios flows need credits.
void add_credits(Scenario& s, std::uint64_t seed) {
  Dice dice(~seed ^ 0x165667b1);
  if (!dice.chance(4)) return;
  for (auto& p : s.profiles)
    if (!p.stack && dice.chance(2)) p.unsolicited = {dice.magnitude(1, 100'000)};
  if (dice.chance(2)) s.transport.credit_order = host::CreditOrder::srpt;
  s.transport.overcommitment = dice.pick({1, 2, 8});
  s.text += ", credits";
}

// In two of three scenarios of one data class something goes ahead of it: acknowledgements, or what switches have
// trimmed.
void add_priority(Scenario& s, std::uint64_t seed) {
  Dice dice(~seed ^ 0x2545f491);
  if (!s.classes.empty() || dice.chance(3)) return;
  if (dice.chance(4))
    s.network.trimming = true;
  else
    s.transport.ack_class = host::AckClass::priority;
  s.text += ", with a class that goes ahead";
}

// Hosts that take their time, in one of six.
void add_host_delays(Scenario& s, std::uint64_t seed) {
  Dice dice(~seed ^ 0x165667b1);
  if (!dice.chance(6)) return;
  s.host = {.receive_delay = {dice.pick({0, 500'000, 4'000'000})},
            .receive_jitter = {dice.pick({0, 1'000'000})},
            .cnp_delay = {dice.pick({0, 3'000'000})},
            .timestamp_jitter = {dice.pick({0, 2'000'000})}};
  s.host.application_delay = {dice.pick({0, 2'000'000})};
  s.host.application_jitter = {dice.pick({0, 1'500'000})};
}

void add_burst_gaps(Scenario& s, std::uint64_t seed) {
  Dice dice(seed ^ 0x7feb352d);
  for (host::Profile& p : s.profiles)
    if (p.on_ramp) p.on_ramp->burst_gap = {dice.pick({0, 100'000, 100'000'000})};
}

// NICs that are not ideal, in one of three.
void add_nic_timing(Scenario& s, std::uint64_t seed) {
  Dice dice(~seed ^ 0x9e3779b1);
  if (!dice.chance(3)) return;
  s.host.rate_tolerance = dice.pick({0.0, 100.0, 1'000.0});
  s.host.send_jitter = dice.pick({0.0, 1.0, 3.5});
}

// Messages share connections in one of three, where nothing of it is not possible with them; of no draw of the dice, so
// that scenarios are otherwise what they were.
void add_connections(Scenario& s, std::uint64_t seed) {
  const bool asks = std::any_of(s.profiles.begin(), s.profiles.end(),
                                [](const auto& p) { return p.stack || p.unsolicited.count > 0; });
  const std::uint32_t draw = mix32(static_cast<std::uint32_t>(seed) ^ 0xc0de);
  if (draw % 3 != 0 || asks) return;
  s.transport.connections = host::ConnectionKind::kept;
  s.transport.idle = draw % 2 == 0 ? host::IdleRule::keep : host::IdleRule::restart;
  s.text += ", connections";
}

// By which ports hosts answer, of no draw of the dice either.
void add_answer_ports(Scenario& s, std::uint64_t seed) {
  using host::AnswerPorts;
  std::uint32_t draw = mix32(static_cast<std::uint32_t>(seed) ^ 0xacc);
  for (auto& p : s.profiles) {
    p.balancing.answer_ports = std::array{AnswerPorts::data, AnswerPorts::hash, AnswerPorts::free}[draw % 3];
    draw = mix32(draw);
  }
}

// In one of three, TCP recovers with what Linux has, with ticks that are short enough to occur.
void add_tcp_timers(Scenario& s, std::uint64_t seed) {
  Dice dice(seed ^ 0x51ed270b);
  if (!dice.chance(3)) return;
  s.transport.rack = dice.chance(2);
  s.transport.tail_probe = dice.chance(2);
  s.transport.timer_tick = {dice.pick({0, 1'000'000, 30'000'000})};
  s.transport.timer_slack = {dice.pick({0, 2'000'000})};
  s.transport.first_rto = {dice.pick({0, 50'000'000})};
  for (auto& p : s.profiles)
    if (p.recovery.kind == host::RecoveryKind::sack && p.ack_every.count > 0) p.delayed_acks = dice.chance(2);
  s.text += ", timers of TCP";
}

}  // namespace

Scenario random_scenario(std::uint64_t seed) {
  Scenario s = any_scenario(seed);
  add_classes(s, seed);
  add_faults(s, seed);
  add_slow_hosts(s, seed);
  add_spraying(s, seed);
  add_flowlets(s, seed);
  add_credits(s, seed);
  add_priority(s, seed);
  add_host_delays(s, seed);
  add_burst_gaps(s, seed);
  add_nic_timing(s, seed);
  add_connections(s, seed);
  add_answer_ports(s, seed);
  add_tcp_timers(s, seed);
  return s;
}

}  // namespace weir::engine
