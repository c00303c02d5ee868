// The interface of probes, for authors of new ones. A probe observes a run, and reports what it has seen when it ends.
//
// Write a class like
//
//   class QueueProbe : public ArchivedProbe<QueueProbe> {
//    public:
//     struct Params { ...; static void describe(ParamList<Params>&); };
//     static constexpr std::string_view kName = "queues";              // in scenarios: [probes.queues]
//     static constexpr std::string_view kMeaning = "...";
//     static constexpr bool kNeedsPackets = true;                      // optional; see ProbeKind
//     static void check(const Params&, const Checks&);                 // optional
//     static std::optional<std::string_view> trace_key(const Params&); // optional; see ProbeKind
//     static Time interval(const Params&);                             // optional; see ProbeKind
//     static void add_possible(const Params&, const Setting&, Summary&);  // optional; see ProbeKind
//     static std::unique_ptr<Probe> make(const Params&, const Context&);  // optional, instead of the constructor
//     QueueProbe(const Params&, const Context&);
//     void on_finish(const host::FlowRecord&) override;                // optional
//     void finish(Summary&) override;
//     template <class A> void archive(A&);  // its state (base/archive.h)
//   };
//
// and add one line to src/weir/probe/catalogue.cc and its tables to src/weir/result/tables.cc, or call add_kind() in a
// program that embeds Weir (probe/catalogue.h).
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

// What a probe is made with. All of it outlives the probe.
struct Context {
  engine::Engine& engine;
  const std::vector<std::string>& tags;  // names of the flows' tags, by index
  ResultDirectory* out;                  // where tables go; null: only the summary is kept
};

// One probe of one run. Its constructor asks the engine for the calls that it wants (engine::Engine::every, trace). A
// probe is never moved, so its functions may keep its address. All calls come on one thread, between epochs.
class Probe {
 public:
  Probe() = default;
  Probe(const Probe&) = delete;
  virtual ~Probe() = default;

  // Called for each flow that ends, in order of (finish, id).
  virtual void on_finish(const host::FlowRecord&) {}
  // save() writes what the probe has seen so far and where its files end. load() reads that into a probe that has just
  // been made with the same parameters in the same setting; it throws InputError if the bytes do not fit.
  virtual void save(Saver&) {}
  virtual void load(Loader&) {}
  // Called once, after the last event: adds the probe's part to the summary, and completes and closes its files.
  virtual void finish(Summary&) = 0;
};

// Base of a probe class P whose member archive() both saves and loads.
template <class P>
class ArchivedProbe : public Probe {
 public:
  void save(Saver& a) final { static_cast<P&>(*this).archive(a); }
  void load(Loader& a) final { static_cast<P&>(*this).archive(a); }
};

// What the parameters of a probe are checked against before the run: the network, and the names of the flows' tags.
struct Setting {
  engine::NetworkView network;
  const std::vector<std::string>& tags;
};

// Helps ProbeKind::check to name the parameter that does not fit the setting.
class Checks {
 public:
  explicit Checks(const Setting& in) : setting(in) {}

  // Calls use(). An InputError that it throws becomes one about this parameter of the probe.
  template <class Use>
  void of_key(std::string_view key, Use&& use) const {
    under_key(key, use);
  }

  const Setting& setting;
};

}  // namespace weir::probe
