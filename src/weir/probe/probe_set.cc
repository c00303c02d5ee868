#include "weir/probe/probe_set.h"

#include <algorithm>
#include <utility>

#include "weir/base/error.h"
#include "weir/cc/plugin.h"
#include "weir/engine/model/model.h"
#include "weir/probe/collective_report.h"

namespace weir::probe {

void check(const ProbeParams& params, const engine::Model& model, const std::vector<std::string>& tags) {
  const Setting setting{engine::NetworkView(model), tags};
  for (const ProbeKind& kind : probe_kinds())
    if (const void* of_kind = params.get(kind); of_kind != nullptr && kind.check)
      under_key(kind.name, [&] { kind.check(of_kind, Checks(setting)); });
}

ProbeSet::ProbeSet(const ProbeParams& params, engine::Engine& simulation, std::vector<std::string> tags,
                   ResultDirectory* out)
    : simulation_(simulation), tags_(std::move(tags)) {
  check(params, model_of(simulation), tags_);
  const Context context{simulation, tags_, out};
  for (const ProbeKind& kind : probe_kinds())
    if (const void* of_kind = params.get(kind)) probes_.push_back(kind.make(of_kind, context));
  simulation.on_finish(
      [this](const host::FlowRecord& r) {
        for (const auto& probe : probes_) probe->on_finish(r);
      },
      engine::FinishCalls::later);
}

void ProbeSet::save(Saver& a) {
  for (const auto& probe : probes_) probe->save(a);
}

void ProbeSet::load(Loader& a) {
  for (const auto& probe : probes_) probe->load(a);
}

Summary ProbeSet::finish() {
  Summary summary;
  summary.sim_time = simulation_.now();
  summary.fast_forward = simulation_.fast_forward();
  summary.collectives = report_collectives(simulation_, tags_);
  for (const auto& probe : probes_) probe->finish(summary);
  flow_digest_ = summary.flows.digest;
  return summary;
}

Manifest ProbeSet::manifest(const RunClock& clock) const {
  engine::Engine& s = simulation_;
  Manifest m;
  for (const auto& profile : model_of(s).profiles) {
    const cc::Plugin* const plugin = cc::plugin_of(*profile.algorithm);
    if (plugin == nullptr) continue;
    const bool is_known = std::any_of(m.plugins.begin(), m.plugins.end(),
                                      [&](const UsedPlugin& used) { return used.checksum == plugin->checksum; });
    if (!is_known) m.plugins.push_back({plugin->file, plugin->checksum});
  }
  m.seed = model_of(s).seed;
  m.threads = s.threads();
  m.regime = s.regime();
  m.wall_s = clock.wall_s();
  m.cpu_s = clock.cpu_s();
  m.max_rss_bytes = max_rss_bytes();
  m.sim_time = s.now();
  m.counters = s.counters();
  m.fast_forward = s.fast_forward();
  // xor alone would let equal halves cancel
  m.digest = flow_digest_ * 0x9fb21c651e98df25ull ^ s.state_digest();
  if (s.stall() != nullptr) m.stall = *s.stall();
  return m;
}

void store(ResultDirectory& out, const Summary& summary, const Manifest& manifest) {
  out.write("summary.json", to_json(summary));
  write_manifest(out, manifest);
}

void write_manifest(ResultDirectory& out, const Manifest& manifest) {
  out.write(result::kManifest, to_json(manifest, out.contents()));
}

}  // namespace weir::probe
