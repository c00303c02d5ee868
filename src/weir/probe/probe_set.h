// The probes of a run: what is observed of it, and where that goes.
//
// Probes look at the simulation between epochs, on one thread, so that what they write does not
// depend on the number of threads. Nothing is observed that was not asked for; flows always are.
//
//   ProbeParams params;                    // from the scenario; see catalogue.h
//   check(params, model, tags);            // before anything is simulated
//   RunClock clock;
//   ProbeSet probes(params, simulation, tags, &out);
//   while (!simulation.advance(...)) {}
//   const Summary summary = probes.finish();
//   Manifest manifest = probes.manifest(clock);     // add title, interrupted
//   store(out, summary, manifest);                  // summary.json, manifest.json
//   out.commit();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/probe/catalogue.h"
#include "weir/probe/manifest.h"
#include "weir/probe/params.h"
#include "weir/probe/probe.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"

namespace weir::probe {

// Throws InputError about the parameter, "queues.ports", that does not fit the network, its flows or the tags.
void check(const ProbeParams&, const engine::Model&, const std::vector<std::string>& tags);

class ProbeSet {
 public:
  // Takes the simulation's on_finish. Without a directory only the summary is kept. The
  // simulation and the directory must outlive this; make it before the first advance().
  // `tags` names the flows' tags by index. Throws InputError like check().
  ProbeSet(const ProbeParams&, engine::Engine&, std::vector<std::string> tags, ResultDirectory* out = nullptr);
  ProbeSet(const ProbeSet&) = delete;

  // Between calls of advance(): what has been observed so far, and where its files end. Loaded into probes that have
  // just been made of the same parameters, on a directory that has these files (ResultDirectory::resume). Throws
  // InputError if they do not fit.
  void save(Saver& a);
  void load(Loader& a);

  // The probe of this class; null if it is not on.
  template <class P>
  P* find() {
    for (const auto& probe : probes_)
      if (auto* const out = dynamic_cast<P*>(probe.get())) return out;
    return nullptr;
  }

  // Records unfinished flows, completes and closes the files. Once, after the last advance().
  Summary finish();

  // After finish(): all but the title and `interrupted`.
  Manifest manifest(const RunClock&) const;

 private:
  engine::Engine& simulation_;
  const std::vector<std::string> tags_;
  std::vector<std::unique_ptr<Probe>> probes_;  // in the catalogue's order
  std::uint64_t flow_digest_ = 0;               // after finish()
};

// Writes summary.json, and as the last file manifest.json, which lists all others. What is written or removed after
// that needs write_manifest() again.
void store(ResultDirectory&, const Summary&, const Manifest&);
void write_manifest(ResultDirectory&, const Manifest&);

}  // namespace weir::probe
