// Runs, for programs that embed Weir: executed as `weir run` does it, or stepped, watched, steered, saved and copied.
//
//   weir::Run run(scenario);
//   run.engine().on_finish([](const weir::host::FlowRecord& flow) { ... });
//   run.send({.src = 0, .dst = 8, .size = weir::Bytes{1'000'000}});
//   while (!run.advance(run.engine().now() + weir::Time{100'000'000})) { ... }       // steps of 100 us
//   std::string figures = run.finish();
//
// Any number of runs may live in one process, each used by one thread at a time. The same scenario and the same calls
// give the same results, whatever the number of threads (run.threads of the scenario). Wrong input throws InputError
// (weir/error.h) with the text that the command would show; nothing here ends the process or writes to the terminal.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "weir/base/units.h"
#include "weir/engine/engine.h"
#include "weir/scenario.h"

namespace weir {

// A flow that the program sends.
struct NewFlow {
  std::uint32_t src = 0;  // hosts, counted from 0; two different ones
  std::uint32_t dst = 0;
  Bytes size;                // of payload; 1 B to 1 PB
  Time start{-1};            // not before the present instant; below 0 = at the present instant
  std::string tag = "";      // one of the scenario's tags of traffic; "" = the first one
  std::string profile = "";  // one of the scenario's ways of sending; "" = [algorithm]
};

class Simulation {
 public:
  // Builds the network and reads data files. Throws InputError if that is not possible. Results stay in memory: what
  // the scenario's probes write to files is left out, what they add to the summary is not.
  explicit Simulation(const Scenario& scenario);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  // What can be seen and asked for while it runs: flows that end, samples at instants, events, decisions, ports.
  engine::Engine& engine();
  const engine::Engine& engine() const;

  // Runs until `until`, and true if the run has ended: all flows have ended, or run.stop is reached, or it cannot go on
  // (engine().stall()). A run that has ended goes on when another flow is sent, unless it was stopped.
  bool advance(Time until = Time::max());

  // Sends a flow, between calls of advance(). Returns its id.
  std::uint64_t send(const NewFlow& flow);

  // Between calls of advance(): all that the run holds. Restored into a run that has been made of the same scenario by
  // the same build of Weir, which goes on from there as this one does; calls of engine() have to be made again, before.
  // Throws InputError if the bytes are of another scenario or another build, cut short or changed; the run is then of
  // no more use.
  std::string save() const;
  void restore(std::string_view saved);
  // A run of its own that goes on as this one does; without what has been asked for at engine().
  Simulation clone() const;

  // Once, after the last advance(): the summary as JSON, the document summary.json (docs/results.md).
  std::string finish();

 private:
  struct Parts;
  explicit Simulation(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// What came of a run that was executed.
struct Result {
  std::string summary;   // JSON: summary.json of docs/results.md
  std::string manifest;  // JSON: manifest.json, without its list of files
  bool is_whole = true;  // else it ended early, for `reason`
  std::string reason;
};

struct ExecuteOptions {
  std::string directory;  // where the results go, a new directory; "" = nowhere
  // Called before the run begins, to ask for events, samples or decisions.
  std::function<void(engine::Engine&)> prepare;
  // Called several times a second with the present instant; the run ends early when it returns false, and keeps what
  // it has.
  std::function<bool(Time now)> progress;
};

// From the start to the end, as `weir run`. Throws InputError, and std::system_error if results cannot be written.
Result execute(const Scenario& scenario, const ExecuteOptions& options = {});

}  // namespace weir
