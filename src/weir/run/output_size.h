// What the sampled series of a run take on disk, estimated before it begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/scenario/build.h"

namespace weir::run {

// One table with a row per port and instant.
struct SeriesSize {
  std::string file;
  std::string probe;  // the probe that writes it
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

struct OutputSize {
  std::vector<SeriesSize> series;  // none = no series of ports is written
  bool to_stop = false;            // an upper bound, of a run that goes on until run.stop; else a lower one
  std::uint64_t bytes() const;     // of all series
  // "up to 1.2 GB" or "at least 1.2 GB" for so many bytes of them.
  std::string text(std::uint64_t bytes) const;
};

// Estimates the sizes as samples x ports x bytes per line, for lines of mostly empty queues and idle links. A run
// without run.stop lasts at least until its last flow starts, and as long as all hosts' links take for all bytes.
OutputSize output_size(const scenario::Scenario&, const engine::Model&, const scenario::Expected&);

// The bytes that are left for files in this directory, which need not exist yet; the largest number if that is not
// known.
std::uint64_t space_left(const std::string& directory);

// The size above which size_warning() warns, even if more is left.
inline constexpr std::uint64_t kMuchOutput = std::uint64_t{4} << 30;
// The warning, a sentence without its full stop; "" if there is nothing to warn of.
std::string size_warning(const OutputSize&, std::uint64_t left);

}  // namespace weir::run
