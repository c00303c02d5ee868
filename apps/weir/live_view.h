// weir run --view: the page of a running simulation, which may be paused, stepped and changed there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "weir/probe/results.h"
#include "weir/run/execute.h"
#include "weir/scenario/scenario.h"

namespace weir::app {

struct LiveOptions {
  std::string port;     // of 127.0.0.1; "" = the system chooses
  bool paused = false;  // the run begins paused
};

class LiveView {
 public:
  // Listens from now on. Throws InputError if the page cannot be served by this build or at this port.
  explicit LiveView(const LiveOptions& options);
  ~LiveView();
  LiveView(const LiveView&) = delete;

  std::string address() const;
  // Runs to the end, as the page says. The execution is as run::SteeredRun takes it.
  run::Outcome drive(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model,
                     probe::ResultDirectory& directory, const run::ExecutionOptions& execution);
  // Serves the page of the result until it, or a signal, says that this is the end.
  void stay(const std::string& directory);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace weir::app
