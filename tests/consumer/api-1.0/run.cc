// Runs: from values and files, in steps and at once; what is seen of them; copies.
#include "weir/simulation.h"

#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "weir/base/archive.h"
#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/base/limits.h"
#include "weir/base/units.h"
#include "weir/base/version.h"
#include "weir/catalogue.h"
#include "weir/engine/checkpointing.h"
#include "weir/engine/counters.h"
#include "weir/engine/engine.h"
#include "weir/engine/fast_forward_report.h"
#include "weir/engine/network_view.h"
#include "weir/engine/observation.h"
#include "weir/engine/phase_time.h"
#include "weir/engine/regime.h"
#include "weir/engine/stall.h"
#include "weir/host/flow_view.h"
#include "weir/net/packet_view.h"
#include "weir/net/trace.h"
#include "weir/run/progress.h"
#include "weir/scenario.h"

#if WEIR_API_VERSION < 1000 || WEIR_API_MAJOR != 1
#error "this program is of API 1.0"
#endif

using namespace weir::literals;

namespace {

weir::Scenario star() {
  return weir::Scenario::from_values({"topology.kind=star", "topology.hosts=9", "algorithm.name=dctcp",
                                      "network.ecn.enabled=true", "network.ecn.k_min=5 KB", "network.ecn.k_max=20 KB",
                                      "traffic=[{kind='incast', size='100 KB', receiver='8'}]", "run.stop=2 ms"});
}

// Everything that is told while a run goes on, and what is seen of it between steps.
bool steps() {
  weir::Simulation run(star(), {.tables = true, .events = true});
  weir::engine::Engine& engine = run.engine();
  std::uint64_t ended = 0, samples = 0, marked = 0, told = 0, phases = 0;
  engine.on_finish([&](const weir::host::FlowRecord& flow) { ended += flow.finish > flow.start; });
  engine.on_finish([&](const weir::host::FlowRecord&) { ++told; }, weir::engine::FinishCalls::later);
  engine.every(10_us, [&](weir::Time now) { samples += now >= weir::Time{}; });
  engine.on_phase_times(
      [&](weir::Time, weir::Time, std::span<const weir::engine::PhaseTime> times) { phases += times.size(); });
  weir::net::TraceFilter filter;
  filter.kinds = weir::net::kind_bit(weir::net::EventKind::marked);
  engine.trace(
      filter,
      [&](weir::net::TraceEvents events) {
        for (const weir::net::TraceEvent& event : events) {
          const weir::net::PacketView& packet = event.packet;
          if (weir::net::name_of(event.kind) != "marked" || weir::net::name_of(event.cause) != "") return;
          marked += packet.marks.ce && packet.is_data() && packet.to_receiver() && !packet.is_control() &&
                    !packet.is_acknowledgement() && packet.wire > packet.payload && event.flow != weir::net::kNoFlow &&
                    packet.traffic_class == weir::net::data_class(0) && weir::net::name_of(packet.kind) == "data";
        }
      },
      weir::net::Telling::between_epochs);
  run.advance(20_us);
  std::uint64_t active = 0, waiting = 0, sent = 0, dropped = 0;
  engine.for_each_active([&](const weir::host::FlowView& flow) {
    active += flow.size == 100_KB && flow.sent >= flow.acknowledged;
    if (!engine.path(weir::host::record_of(flow, weir::Time::max())).empty()) ++active;
    if (engine.one_way_report(flow)) ++active;  // without On-Ramp there is none
  });
  const weir::engine::NetworkView network = engine.network();
  for (std::uint32_t port = 0; port < network.ports(); ++port) {
    waiting += engine.queued_bytes(port);
    const weir::engine::PortFigures figures = engine.port_figures(port);
    sent += figures.sent_bytes;
    dropped += figures.lost + figures.pauses + figures.storms + figures.storm_dropped +
               static_cast<std::uint64_t>(figures.paused.ps);
    engine.for_each_queued(port, [&](const weir::engine::QueuedPacket& packet) { waiting -= packet.bytes; });
    if (network.port(port).rate <= weir::Rate{}) return false;
  }
  for (std::uint32_t s = 0; s < network.switches(); ++s) dropped += engine.switch_figures(s).dropped;
  const std::string saved = run.save();
  weir::Simulation copy = run.clone();
  weir::Simulation restored(star(), {.tables = true, .events = true});
  restored.restore(saved);
  run.advance();
  copy.advance();
  const std::uint64_t id = run.send({.src = 0, .dst = 8, .size = 10_KB});
  while (!run.advance(weir::Time::max(), [] { return true; })) {
  }
  const std::optional<weir::engine::Regime> regime = engine.regime();
  const weir::engine::Counters counters = engine.counters();
  const weir::Result result = run.finish();
  return ended == 9 && told == 9 && samples > 2 && marked > 0 && phases > 0 && active == 16 && waiting == 0 &&
         sent > 0 && dropped == 0 && id == std::uint64_t{1} << 31 && copy.finish().is_whole && result.is_whole &&
         result.tables.count("flows.csv") == 1 && counters.flows_completed == 9 && regime && !engine.fast_forward() &&
         engine.stall() == nullptr && engine.state_digest() != 0;
}

bool at_once() {
  int calls = 0;
  const weir::Result result = weir::execute(
      star(), {.progress = [&](const weir::Progress& progress) { return ++calls, progress.now >= weir::Time{}; }});
  return calls > 0 && result.summary.find("flows") != std::string::npos;
}

// Wrong input is told by file and key.
bool errors() {
  try {
    star().with({"topology.hosts=0"});
  } catch (const weir::InputError& error) {
    return error.key() == "topology.hosts" && std::string(error.what()).find("topology.hosts") != std::string::npos &&
           weir::Scenario::from_text(star().text(), star().overrides(), star().name()).to_toml() == star().to_toml();
  }
  return false;
}

bool texts() {
  weir::Saver saver;
  saver.text("text");
  weir::Loader loader(saver.content());
  std::string text;
  loader.text(text);
  return text == "text" && weir::parse_time("12.5 us") == weir::Time{12'500'000} && weir::kMaxHosts > 0 &&
         weir::checksum_of(text).size() == 32 && !weir::version().empty() && !weir::catalogue_json().empty() &&
         !star().warnings().empty() == !star().with({"run.seed=2"}).warnings().empty() && !star().to_toml().empty();
}

}  // namespace

int main() {
  const bool all[] = {steps(), at_once(), errors(), texts()};
  for (const bool one : all)
    if (!one) return std::fprintf(stderr, "run: %d %d %d %d\n", all[0], all[1], all[2], all[3]), 1;
}
