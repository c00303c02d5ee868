// The files of a training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weir/learn/curriculum.h"
#include "weir/learn/trajectories.h"
#include "weir/policy/policy.h"

namespace weir::learn {

struct Update;

inline constexpr const char* kCheckpointFile = "checkpoint";

// Makes the directory, and gives the content of its checkpoint. Throws InputError if it has one and `resume` is not
// set, if it is cut short or of another version, or if the directory has other files and no checkpoint.
std::optional<std::string> open_training(const std::string& directory, bool resume);
// Replaces a file at once: it is always whole. A checkpoint gets its frame.
void write_whole(const std::string& directory, const std::string& name, std::string_view content);

// Begins progress.csv, or keeps the rows of so many updates.
void begin_progress(const std::string& directory, std::uint32_t updates);
void add_progress(const std::string& directory, const Update& update);

std::string policy_text(policy::Policy policy, const Curriculum& curriculum, const std::string& digest,
                        std::uint32_t update, double score);

// A table as policy::read_samples() reads it.
std::string inputs_header(int width);
// Adds a row for each complete decision; returns how many. Flows are numbered from `first_flow` on.
std::size_t add_inputs(const TrajectoryStore& store, int width, std::uint32_t first_flow, std::string& text);

}  // namespace weir::learn
