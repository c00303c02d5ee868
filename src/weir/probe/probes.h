// What is observed of a run, and where it goes.
//
// Probes look at the simulation between epochs, on one thread, so that what they write does not
// depend on the number of threads. Nothing is observed that was not asked for; flows always are.
//
//   ProbeParams params;                    // from the scenario; see probe_kinds()
//   check(params, topology, tags);         // before anything is simulated
//   RunClock clock;
//   Probes probes(params, simulation, tags, &out);
//   while (!simulation.advance(...)) {}
//   const Summary summary = probes.finish();
//   Manifest manifest = probes.manifest(clock);     // add title, interrupted
//   store(out, summary, manifest);                  // summary.json, manifest.json
//   out.commit();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/engine/engine.h"
#include "weir/engine/model.h"
#include "weir/probe/manifest.h"
#include "weir/probe/params.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"

namespace weir::probe {

// Those that are present are on.
struct ProbeParams {
  FlowsParams flows;
  std::optional<QueuesParams> queues;
  std::optional<RatesParams> rates;
  std::optional<DelaysParams> delays;
  std::optional<PfcParams> pfc;
  std::optional<LinksParams> links;
  std::optional<PacketsParams> packets;

  // Whether the engine has to tell single events (engine::RunOptions::traced).
  bool need_trace() const { return packets.has_value(); }
};

// A probe that a scenario can ask for by name.
struct ProbeKind {
  std::string_view name;
  std::string_view meaning;
  const ParamSet* params = nullptr;
  // Turns it on, if it is not yet, and gives its parameters to fill in.
  void* (*enable)(ProbeParams&) = nullptr;
  // Its parameters, or null if it is off.
  const void* (*get)(const ProbeParams&) = nullptr;
};

std::span<const ProbeKind> probe_kinds();

// Throws InputError about the parameter, "queues.ports", that does not fit the network, its flows or the tags.
void check(const ProbeParams&, const engine::Model&, const std::vector<std::string>& tags);

class Probes {
 public:
  // Takes the simulation's on_finish. Without a directory only the summary is kept. The
  // simulation and the directory must outlive this; make it before the first advance().
  // `tags` names the flows' tags by index. Throws InputError like check().
  Probes(const ProbeParams&, engine::Engine&, const std::vector<std::string>& tags, ResultDirectory* out = nullptr);
  ~Probes();
  Probes(const Probes&) = delete;

  // Between calls of advance(): what has been observed so far, and where its files end. Loaded into probes that have
  // just been made of the same parameters, on a directory that has these files (ResultDirectory::resume). Throws
  // InputError if they do not fit.
  void save(Saver& a);
  void load(Loader& a);

  // Records unfinished flows, completes and closes the files. Once, after the last advance().
  Summary finish();

  // After finish(): all but the title and `interrupted`.
  Manifest manifest(const RunClock&) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Writes summary.json, and as the last file manifest.json, which lists all others. What is written or removed after
// that needs write_manifest() again.
void store(ResultDirectory&, const Summary&, const Manifest&);
void write_manifest(ResultDirectory&, const Manifest&);

}  // namespace weir::probe
