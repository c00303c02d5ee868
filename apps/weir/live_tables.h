// What the page of a running simulation is told: tables as weir view has them, and only what is new in them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "weir/anatomy/walk.h"
#include "weir/engine/engine.h"
#include "weir/probe/view_probe.h"
#include "weir/report/packed.h"
#include "weir/run/steered.h"

namespace weir::app {

// Rows of a table from a place on. The page drops its rows from there on first.
struct NewRows {
  std::string table;
  std::size_t from = 0;
  std::vector<report::PackedColumn> columns;
};

// What a page knows already.
struct Known {
  std::int64_t interval_ps = 0;  // of its rows of series; with another one it knows none
  std::int64_t queue_interval_ps = 0;
  std::size_t series = 0;  // rows
  std::size_t occupancy = 0;
  std::size_t pauses = 0;  // up to the first that has not ended
  std::size_t events = 0;
  std::size_t flows = 0;
  std::size_t ends = 0;  // of flows, in order
  std::size_t anatomy = 0;
  std::size_t activities = 0;
  std::int64_t within_ps = 0;  // of its activities; with another one it knows none
  std::int64_t watched = -1;   // row of the flow whose course is wanted; below 0 = none
  std::int64_t changes = -1;   // that were made; below 0 = it knows nothing about them
};

// Used between epochs, by the thread that simulates.
class LiveTables {
 public:
  // For each engine that the run gets; call both after it has been made, and listen() again after each change.
  void attach(engine::Engine& engine);
  void listen(run::SteeredRun& run);

  // Nodes and ports, which never change.
  static std::vector<NewRows> network(const engine::Engine& engine);
  // Whose activities the rows of `activities` tell, by number, and how many of which rows the bounds of the probe left
  // out.
  static report::Json drivers(run::SteeredRun& run);
  static report::Json omitted(const probe::ViewProbe& view);
  std::vector<NewRows> since(const Known& known, run::SteeredRun& run);
  const std::vector<std::string>& algorithms() const { return algorithms_; }

 private:
  struct Flow {
    std::uint64_t id = 0;
    std::uint32_t src = 0;
    std::uint32_t dst = 0;
    Bytes size;
    Time start;
    std::uint16_t profile = 0;
    std::uint16_t tag = 0;
    double ideal_ps = 0;
  };
  struct End {
    std::uint32_t row = 0;
    Time finish;
    std::uint32_t retransmitted = 0;
  };
  struct PartsOf {
    std::uint64_t flow = 0;
    anatomy::Parts parts;
  };

  std::uint32_t row_of(const host::FlowRecord& flow, const engine::Engine& engine);
  double place(std::uint64_t flow) const;  // its row; NaN = none
  void refresh(run::SteeredRun& run);
  NewRows flows(std::size_t from) const;
  NewRows ends(std::size_t from) const;
  NewRows anatomy(std::size_t from) const;
  NewRows active(run::SteeredRun& run) const;
  void add_course(std::vector<NewRows>& out, std::int64_t row, run::SteeredRun& run) const;

  std::vector<Flow> flows_;  // in the order in which they were seen first
  std::unordered_map<std::uint64_t, std::uint32_t> rows_;
  std::vector<End> ends_;
  std::vector<PartsOf> parts_;
  std::vector<std::string> algorithms_;  // by profile
};

}  // namespace weir::app
