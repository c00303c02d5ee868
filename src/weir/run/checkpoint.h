// Checkpoints: what a run holds at an instant, kept in its directory, so that it can go on from there.
//
// A checkpoint is a file of its own beside the results so far (probe::kCheckpoint). It has the version of Weir and the
// checksums of the files that it belongs to, the scenario's among them, the time, what the engine and the probes hold,
// the length of each table and the checksum of its rows so far, and last a checksum of all this. It is read by the
// version of Weir that wrote it, built by the same compiler. The checks find accidents, and not people who mean to
// deceive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/archive.h"
#include "weir/base/units.h"
#include "weir/engine/engine.h"
#include "weir/probe/manifest.h"
#include "weir/probe/probe_set.h"
#include "weir/probe/results.h"

namespace weir::run {

// The builds of Weir that read each other's checkpoints have this text in common: the version, the compiler and the
// sizes of what is written as it lies in memory.
std::string build_of_weir();

// How often a run keeps a checkpoint, by simulated time, by wall time, or by both; 0 = not by this. Checkpoints are at
// least so far apart.
struct CheckpointRhythm {
  Time simulated;
  double wall_s = 0;

  bool is_on() const { return simulated > Time{} || wall_s > 0; }
};

// Keeps a checkpoint in the run's directory instead of the one before, between calls of advance(). The engine must be
// one that can be saved. Throws std::system_error.
void keep_checkpoint(probe::ResultDirectory& directory, engine::Engine& engine, probe::ProbeSet& probes,
                     const probe::RunClock& clock, const CheckpointRhythm& rhythm);

struct Checkpoint {
  std::uint32_t partitions = 1;
  Time now;
  double wall_s = 0;  // that the run has taken until then
  double cpu_s = 0;
  CheckpointRhythm rhythm;  // of the run
  std::string state;
};

// Reads the checkpoint in the folder that a run has left. Throws InputError if it is of another version of Weir or of
// other files than those beside it, cut short, or changed; nothing is written. Tables are checked by load().
Checkpoint read_checkpoint(const std::string& folder);

// save() writes all that a run holds, between calls of advance(). load() reads it into an engine and probes that have
// just been built, and throws InputError if the bytes do not fit.
void save(Saver& a, engine::Engine& engine, probe::ProbeSet& probes);
void load(std::string_view state, engine::Engine& engine, probe::ProbeSet& probes);

}  // namespace weir::run
