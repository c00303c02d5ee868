// Simulation: a run that a program steps, watches, steers, saves and copies. execute(): a whole run, like `weir run`.
//
//   weir::Simulation run(scenario);
//   run.engine().on_finish([](const weir::host::FlowRecord& flow) { ... });
//   run.send({.src = 0, .dst = 8, .size = weir::Bytes{1'000'000}});
//   while (!run.advance(run.engine().now() + weir::Time{100'000'000})) { ... }       // steps of 100 us
//   weir::Result result = run.finish();
//
// A process may have any number of runs, each used by one thread at a time. The same scenario and the same calls give
// the same results, whatever the number of threads (run.threads of the scenario). Wrong input throws InputError
// (weir/base/error.h) with the message of the command; nothing here ends the process or writes to the terminal.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/units.h"
#include "weir/engine/engine.h"
#include "weir/run/progress.h"
#include "weir/scenario.h"

namespace weir {

// A flow that the program sends.
struct NewFlow {
  std::uint32_t src = 0;  // hosts, counted from 0; two different ones
  std::uint32_t dst = 0;
  Bytes size;           // of payload; 1 B to 1 PB
  Time start{-1};       // not before the present instant; below 0 = now
  std::string tag;      // one of the tags of the scenario's traffic; "" = the first one
  std::string profile;  // one of the scenario's profiles; "" = that of [algorithm]
};

// The outcome of a run.
struct Result {
  std::string summary;   // JSON, the document summary.json (docs/reference/results.md)
  std::string manifest;  // JSON, the document manifest.json; lists no files without a directory
  bool is_whole = true;  // false: the run ended early, for `reason`
  std::string reason;
  // The tables of the probes by file name ("flows.csv"), each the text of the CSV file (result/columns.h reads it);
  // only if they were asked for.
  std::map<std::string, std::string> tables;
};

struct SimulationOptions {
  bool tables = false;  // keep the tables of the scenario's probes in memory, for the result
  // The program reads single events: engine::Engine::trace() may be called even if nothing in the scenario asks for
  // them. The constructor throws InputError if the engine that run.fidelity names has no single events.
  bool events = false;
};

class Simulation {
 public:
  // Builds the network and reads data files; throws InputError if that is not possible. The scenario's probes add to
  // the summary and write no files; their tables are kept only if `options` say so.
  explicit Simulation(const Scenario& scenario, const SimulationOptions& options = {});
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  // The engine, which shows and changes the run while it goes on: ended flows, samples, events, decisions, ports.
  engine::Engine& engine();
  const engine::Engine& engine() const;

  // Runs until `until` or until the run ends. Returns true if the run has ended: all flows have ended, or run.stop is
  // reached, or it cannot go on (engine().stall()). If all flows have ended, it goes on when another flow is sent.
  bool advance(Time until = Time::max());
  // Does the same, but asks `goes_on` about every 50 ms of wall time, between epochs, and returns when it says false.
  bool advance(Time until, const std::function<bool()>& goes_on);

  // Sends a flow; call it between calls of advance(). Returns the flow's id. Throws InputError if a value is not valid.
  std::uint64_t send(const NewFlow& flow);

  // save() returns the whole state of the run as bytes; call it between calls of advance(). restore() loads them into a
  // run that has just been made from the same scenario by the same build of Weir, which then goes on as the saved one
  // does. Functions that engine() is to call must be given to the new run's engine() before restore(). restore() throws
  // InputError if the bytes are of another scenario or build, cut short or changed; the run must not be used then. Both
  // throw std::logic_error if the scenario follows the rules of another simulator, save() also if the run has stalled.
  std::string save() const;
  void restore(std::string_view saved);
  // Makes a copy that goes on as this run does, independently of it. Functions that this run's engine() has been given
  // are not copied: `prepare` gives the copy's engine those that it needs, before the state is loaded. Throws as save()
  // does.
  Simulation clone(const std::function<void(engine::Engine&)>& prepare = {}) const;

  // The names of the tags and profiles that flows of this run can have, by the index that FlowRecord::tag and
  // FlowRecord::profile hold.
  const std::vector<std::string>& tags() const;
  std::vector<std::string> profiles() const;

  // Gives the result. Call it once, after the last advance(). A run that has not ended by itself is not whole, for the
  // reason "finished early".
  Result finish();

 private:
  struct Parts;
  explicit Simulation(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

struct ExecuteOptions {
  std::string directory;  // new directory for the results; "" = no files
  bool tables = false;    // without a directory: keep the tables in memory
  // Called before the run begins, to call trace(), every(), decide() and the like at the engine.
  std::function<void(engine::Engine&)> prepare;
  // Called several times a second, and when the run has ended. When it returns false, a run that has not ended ends
  // early, and its results so far are kept.
  std::function<bool(const Progress&)> progress;
};

// Runs a scenario from start to end, as `weir run` does. Throws InputError, or std::system_error if it cannot write.
Result execute(const Scenario& scenario, const ExecuteOptions& options = {});

}  // namespace weir
