#include "weir/scenario/build.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <unordered_map>
#include <utility>

#include "weir/base/suggestion.h"
#include "weir/base/text_file.h"
#include "weir/net/model/graph_file.h"
#include "weir/probe/probe_set.h"
#include "weir/scenario/fast_forward_rules.h"
#include "weir/scenario/fidelity.h"
#include "weir/toml/document.h"

namespace weir::scenario {
namespace {

std::string data_file(const Scenario& s, const std::string& name) {
  return (std::filesystem::path(s.folder) / name).string();
}

net::Topology scaled_graph(const Scenario& s, const GraphParams& params) {
  const std::string path = data_file(s, params.file);
  net::Topology out = net::parse_graph(read_named_file(path, "a graph file", "file"), path);
  if (params.delay_scale == 1) return out;
  for (net::Link& link : out.links)
    link.delay = Time{std::llround(static_cast<double>(link.delay.ps) * params.delay_scale)};
  net::check(out);
  return out;
}

std::string table_of_profile(std::size_t i) { return i == 0 ? "algorithm" : fmt::format("profile.{}", i - 1); }

// A profile's parameters, with what its algorithm makes of the data files that they name.
std::shared_ptr<const void> load_params(const Scenario& s, std::size_t i) {
  const ProfileSettings& p = s.profiles[i];
  return at_its_place(s, table_of_profile(i), [&] {
    cc::DataFiles files;
    for (const Param& param : p.algorithm->params->params()) {
      if (param.names_file == nullptr) continue;
      const auto name = std::get<std::string>(param.get(p.params.get()));
      if (!param.names_file(name)) continue;
      const std::string path = data_file(s, name);
      files[param.name] = {path, read_named_file(path, "a data file of the algorithm", param.name)};
    }
    return p.algorithm->load(p.params, files);
  });
}

std::string key_of_profile(std::size_t i) {
  return i == 0 ? "algorithm.name" : fmt::format("profile.{}.algorithm", i - 1);
}

// Algorithms get the feedback that they need.
void check_needs(const Scenario& s, const engine::Model& model) {
  const bool wire = s.transport.int_mode == host::IntMode::wire;
  const std::uint32_t room = wire ? kMaxWireHops : kMaxTelemetryHops;
  const std::uint32_t longest = model.paths.max_switches();
  for (std::size_t i = 0; i < s.profiles.size(); ++i) {
    const cc::About& about = s.profiles[i].algorithm->about;
    const std::string key = key_of_profile(i);
    if (cc::has(about.needs, cc::Needs::telemetry) && !s.network.telemetry)
      throw key_error(
          s, key,
          fmt::format("'{}' reads telemetry, but no switch writes any; set network.telemetry = true, or take "
                      "another algorithm",
                      about.name));
    if (cc::has(about.needs, cc::Needs::telemetry) && longest > room)
      throw key_error(
          s, key,
          fmt::format("'{}' reads telemetry of every switch, but paths in this network cross up to {} switches and "
                      "{} telemetry holds {}; {}take a smaller network or another algorithm",
                      about.name, longest, wire ? "wire" : "exact", room,
                      wire && longest <= kMaxTelemetryHops ? "set transport.int_mode = \"exact\", or " : ""));
    if (cc::has(about.needs, cc::Needs::telemetry))
      for (const net::Link& link : model.topology.links)
        if (link.rate.bits_per_second % 1'000'000 != 0)
          throw key_error(
              s, key,
              fmt::format("'{}' reads telemetry, which gives link rates in whole Mb/s, but the link {} - {} has {}",
                          about.name, link.a, link.b, format_value(link.rate)));
    if (cc::has(about.needs, cc::Needs::ecn) && !s.ecn.enabled)
      throw key_error(
          s, key,
          fmt::format("'{}' reacts to marked packets, but no switch marks any; set network.ecn.enabled = true",
                      about.name));
  }
}

// Profiles get what they need.
void check_profiles(const Scenario& s, const engine::Model& model) {
  for (std::size_t i = 0; i < s.profiles.size(); ++i) {
    const ProfileSettings& p = s.profiles[i];
    const std::string table = table_of_profile(i);
    if (p.sending.data_class >= model.data_classes())
      throw key_error(s, table + ".class",
                      fmt::format("there is no class {}; valid is 0 to {}, or add a [[network.class]]",
                                  p.sending.data_class, model.data_classes() - 1));
    if (p.on_ramp && !s.clocks)
      throw key_error(
          s, table + ".on_ramp",
          "On-Ramp measures one-way delays with the hosts' clocks, and there are none; add a table [clocks], "
          "empty for clocks without error");
    if (p.on_ramp && p.on_ramp->early && !p.stack)
      throw key_error(s, table + ".on_ramp.early",
                      "departures are fixed when the host's stack hands segments down, and there is none; add a table "
                      "[algorithm.stack], or remove it");
    if (p.stack && p.recovery.kind != host::RecoveryKind::sack)
      throw key_error(
          s, table + ".stack",
          "Linux's stack recovers from losses with SACK; set recovery.kind to \"sack\", or remove the table");
    if (p.stack && p.sending.unsolicited.count > 0)
      throw key_error(
          s, table + ".unsolicited",
          "a host with a stack hands segments down by itself, without credits; remove it, or [algorithm.stack]");
    if (p.recovery.rto_low > p.recovery.rto_high)
      throw key_error(s, table + ".recovery.rto_low",
                      fmt::format("rto_low = {} is above rto_high = {}", format_value(p.recovery.rto_low),
                                  format_value(p.recovery.rto_high)));
    if (p.balancing.sprays() && !p.recovery.selective())
      throw key_error(
          s, table + ".load_balancing.kind",
          "packets that are sprayed arrive out of order, which go-back-N takes for losses; set recovery.kind to "
          "\"irn\" or \"sack\"");
    if (!p.balancing.fits(p.balancing.ports))
      throw key_error(s, table + ".load_balancing.ports",
                      p.balancing.sprays()
                          ? "a flow that sprays sends by all ports of its host; valid are auto, free, entropy"
                          : "a flow that keeps to its path keeps to a port of its host; valid are auto, hash, lane");
    if (!p.balancing.has_one_path() && cc::has(p.algorithm->about.needs, cc::Needs::one_path))
      throw key_error(
          s, table + ".load_balancing.kind",
          fmt::format("'{}' needs one path: it keeps a register for each link of it, and packets of this kind "
                      "take several; set it to \"ecmp\", or take another algorithm, such as hpcc",
                      p.algorithm->about.name));
    if (p.balancing.kind == host::Balancing::ops_xor && (p.balancing.entropies & (p.balancing.entropies - 1)) != 0)
      throw key_error(s, table + ".load_balancing.entropies",
                      fmt::format("ops-xor needs a power of two, and {} is none", p.balancing.entropies));
    if (p.sending.ack_every.count > 0 && !p.recovery.selective())
      throw key_error(s, table + ".ack_every",
                      "go-back-N acknowledges each packet; remove it, or set recovery.kind to \"irn\" or \"sack\"");
    if (p.recovery.kind == host::RecoveryKind::irn && p.recovery.window == 0)
      throw key_error(s, table + ".recovery.window",
                      "this is how far IRN may send beyond what is acknowledged, and 0 lets it send nothing; write a "
                      "number above 0, such as 1 for the bandwidth-delay product");
  }
}

// What a flow whose messages follow each other cannot do.
void check_connections(const Scenario& s) {
  if (s.transport.connections != host::ConnectionKind::kept) return;
  const auto none = [&](bool any, const std::string& key, std::string_view why) {
    if (any)
      throw key_error(s, key,
                      fmt::format("{}, and with transport.connections = \"kept\" messages share flows; remove one of "
                                  "the two",
                                  why));
  };
  for (std::size_t i = 0; i < s.profiles.size(); ++i) {
    const ProfileSettings& p = s.profiles[i];
    none(p.sending.unsolicited.count > 0, table_of_profile(i) + ".unsolicited",
         "credits are asked for and granted until a flow ends");
    none(p.stack.has_value(), table_of_profile(i) + ".stack", "a host's stack hands down one flow from its start on");
  }
}

void check_host_ports(const Scenario& s, const engine::Model& model) {
  if (s.run.fidelity->has_host_ports || !model.routing.hosts_have_several_ports()) return;
  throw key_error(
      s, s.topology.kind == nullptr ? "topology.file" : "topology.kind",
      fmt::format("hosts have up to {} ports, and run.fidelity = \"{}\" knows hosts of one port only; valid with "
                  "several is {}",
                  net::most_host_ports(model.topology), s.run.fidelity->name,
                  names_of([](const Fidelity& f) { return f.has_host_ports; })));
}

// Their NICs hold what arrives.
void check_slow_hosts(const Scenario& s, const engine::Model& model) {
  if (model.faults.slow.empty()) return;
  const host::HostParams& h = s.host;
  if (h.receive_buffer < model.largest_wire())
    throw key_error(s, "host.receive_buffer",
                    fmt::format("{} is less than a packet, {}", format_value(h.receive_buffer),
                                format_value(model.largest_wire())));
  if (!model.is_lossless()) return;
  for (const engine::HostPauseRow& pause : model.faults.pauses)
    if (model.faults.slow.contains(pause.host))
      throw key_error(s, "host.pause",
                      fmt::format("host {} is slow, too, and a host that sends nothing cannot pause its switch; "
                                  "leave out one of the two, or set network.buffer.mode to \"lossy\"",
                                  pause.host));
  if (h.resume_below > h.pause_above)
    throw key_error(
        s, "host.resume_below",
        fmt::format("{} is above pause_above = {}", format_value(h.resume_below), format_value(h.pause_above)));
  Bytes room;
  for (const auto& [host, spans] : model.faults.slow)
    for (const std::uint32_t port : model.routing.ports_of(host))
      room = std::max(room, engine::after_pause(model, model.topology.links[port / 2]));
  // A pause frame waits for the packet that a NIC with classes is about to begin with.
  if (model.nic_kind() == net::PortKind::queued)
    room +=
        Bytes{static_cast<std::int64_t>(std::ceil(h.send_jitter * static_cast<double>(model.largest_wire().count)))};
  if (h.pause_above + room > h.receive_buffer)
    throw key_error(
        s, "host.receive_buffer",
        fmt::format("{} does not hold pause_above = {} and the {} that can arrive after a pause; valid is {} or more",
                    format_value(h.receive_buffer), format_value(h.pause_above), format_value(room),
                    format_value(h.pause_above + room)));
}

void check_thresholds(const Scenario& s, const std::string& table, Bytes k_min, Bytes k_max) {
  if (k_min <= k_max) return;
  const std::string key = join(table, s.places.contains(join(table, "k_max")) ? "k_max" : "k_min");
  throw key_error(s, key, fmt::format("k_min = {} is above k_max = {}", format_value(k_min), format_value(k_max)));
}

void check_ecn(const Scenario& s) {
  check_thresholds(s, "network.ecn", s.ecn.k_min, s.ecn.k_max);
  for (std::size_t i = 0; i < s.ecn_overrides.size(); ++i)
    check_thresholds(s, fmt::format("network.ecn.rate.{}", i), s.ecn_overrides[i].k_min, s.ecn_overrides[i].k_max);
}

void check_watchdog(const Scenario& s, const engine::Model& model) {
  const std::string table = "network.pfc.watchdog";
  const net::WatchdogParams& w = s.watchdog;
  if (!w.enabled) return;
  if (!model.is_lossless())
    throw key_error(s, table + ".enabled",
                    "no class is ever paused; set network.buffer.mode = \"lossless\", or remove this");
  for (const auto& [name, time] :
       {std::pair{"detection_time", w.detection_time}, {"restoration_time", w.restoration_time}})
    if (w.interval() > time)
      throw key_error(s, table + ".poll_interval",
                      fmt::format("{} is above {} = {}; valid is up to that, or 0", format_value(w.poll_interval), name,
                                  format_value(time)));
}

std::unique_ptr<engine::Model> unchecked_model(const Scenario& s) {
  auto model = std::make_unique<engine::Model>(build_topology(s), s.run.seed, s.network);
  model->buffer = s.buffer;
  model->ecn = s.ecn;
  model->ecn_overrides = s.ecn_overrides;
  model->adaptive = s.adaptive;
  model->watchdog = s.watchdog;
  model->classes = s.classes;
  at_its_place(s, "", [&] { model->faults = engine::work_out(s.faults, model->topology, s.run.seed); });
  model->transport = s.transport;
  model->host = s.host;
  model->clocks = s.clocks;
  for (std::size_t i = 0; i < s.profiles.size(); ++i) {
    const ProfileSettings& p = s.profiles[i];
    const auto params = load_params(s, i);
    const bool replaced = p.balancing.sprays() && p.algorithm->sprayed != nullptr;
    const bool delays =
        s.transport.delayed_acks && p.recovery.kind == host::RecoveryKind::sack && p.sending.ack_every.count == 0;
    const Bytes ack_every = delays ? 2 * s.transport.payload : p.sending.ack_every;
    model->profiles.push_back({p.name, replaced ? p.algorithm->sprayed : p.algorithm, params,
                               p.algorithm->receiver(params.get()), p.recovery, p.on_ramp, p.sending.data_class,
                               p.balancing, ack_every, p.stack, p.sending.unsolicited, delays});
  }
  return model;
}

}  // namespace

net::Topology build_topology(const Scenario& s) {
  return at_its_place(s, "topology", [&] {
    const void* params = s.topology.params.get();
    return s.topology.kind == nullptr ? scaled_graph(s, *static_cast<const GraphParams*>(params))
                                      : s.topology.kind->build(params);
  });
}

std::shared_ptr<const engine::Model> build_network(const Scenario& s) { return unchecked_model(s); }

std::shared_ptr<const engine::Model> build_model(const Scenario& s) {
  auto model = unchecked_model(s);
  check_ecn(s);
  check_watchdog(s, *model);
  check_needs(s, *model);
  check_profiles(s, *model);
  check_connections(s);
  check_slow_hosts(s, *model);
  check_host_ports(s, *model);
  if (s.run.fidelity->check != nullptr) s.run.fidelity->check(s, *model);
  check_fast_forward(s, *model);
  return model;
}

}  // namespace weir::scenario
