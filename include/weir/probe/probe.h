// What a probe is: it looks at a run while that goes on, and tells at its end what it has seen.
//
// Write a class like
//
//   class QueueProbe : public ArchivedProbe<QueueProbe> {
//    public:
//     struct Params { ...; static void describe(ParamList<Params>&); };
//     static constexpr std::string_view kName = "queues";              // in scenarios: [probes.queues]
//     static constexpr std::string_view kMeaning = "...";
//     static void check(const Params&, const Checks&);                 // optional
//     static std::optional<std::string_view> trace_key(const Params&); // optional; see ProbeKind
//     static void add_possible(const Params&, const Setting&, Summary&);  // optional; see ProbeKind
//     static std::unique_ptr<Probe> make(const Params&, const Context&);  // optional, in place of the constructor
//     QueueProbe(const Params&, const Context&);
//     void on_finish(const host::FlowRecord&) override;                // optional
//     void finish(Summary&) override;
//     template <class A> void archive(A&);  // what it has seen so far (base/archive.h)
//   };
//
// and add one line to catalogue.cc. Its tables are listed in result/tables.cc, which readers know without a probe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/base/archive.h"
#include "weir/base/error.h"
#include "weir/base/units.h"
#include "weir/engine/engine.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"

namespace weir::probe {

// The shortest interval at which a probe may look at a run.
inline constexpr Time kMinInterval{1'000};

// What a probe is made in. All of it outlives the probe.
struct Context {
  engine::Engine& engine;
  const std::vector<std::string>& tags;  // names of the flows' tags, by index
  ResultDirectory* out;                  // null: only the summary is kept
};

// One probe of one run. Its constructor asks the engine for what it wants to be told (engine::Engine::every, trace);
// it is not moved, so that it may give its own address away. All calls come on one thread, between epochs.
class Probe {
 public:
  Probe() = default;
  Probe(const Probe&) = delete;
  virtual ~Probe() = default;

  // For each flow that ends, in order of (finish, id).
  virtual void on_finish(const host::FlowRecord&) {}
  // What it has seen so far, and where its files end: loaded into a probe that has just been made of the same
  // parameters in the same setting. load() throws InputError if the bytes do not fit.
  virtual void save(Saver&) {}
  virtual void load(Loader&) {}
  // Once, after the last event: adds its part to the summary, and completes and closes its files.
  virtual void finish(Summary&) = 0;
};

// A probe of class P, whose member archive() serves both directions.
template <class P>
class ArchivedProbe : public Probe {
 public:
  void save(Saver& a) final { static_cast<P&>(*this).archive(a); }
  void load(Loader& a) final { static_cast<P&>(*this).archive(a); }
};

// What the parameters of a probe have to fit, before anything runs.
struct Setting {
  const engine::Model& model;
  const std::vector<std::string>& tags;
};

// Tells which parameter does not fit the setting.
class Checks {
 public:
  explicit Checks(const Setting& in) : setting(in) {}

  // Calls use(). An InputError that it throws is one of this parameter of the probe.
  template <class Use>
  void of_key(std::string_view key, Use&& use) const {
    under_key(key, use);
  }

  const Setting& setting;
};

}  // namespace weir::probe
