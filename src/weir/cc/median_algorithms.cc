#include "weir/cc/median_algorithms.h"

namespace weir::cc {

std::span<const Preset> MSwift::presets() {
  static constexpr auto mswift = with(Swift::kSpraying, {{"lost_in_a_row", "5"}});
  static constexpr auto p10 = with(mswift, {{"median_percentile", "10"}});
  static constexpr auto p90 = with(mswift, {{"median_percentile", "90"}});
  static constexpr auto tree = with(mswift, {{"median_selection", "tree"}});
  static constexpr Preset all[] = {
      {"mswift", "Spraying III-B, \"MSwift\": the median over LSwift", mswift},
      {"mswift-p10", "Spraying IV, figure 12, \"P10\"", p10},
      {"mswift-p90", "Spraying IV, figure 12, \"P90\"", p90},
      {"mswift-tree", "Spraying III-B, \"pseudo-median\"", tree},
  };
  return all;
}

std::span<const Preset> MNscc::presets() {
  static constexpr PresetValue mnscc[] = {
      {"target_qdelay", "1 us"}, {"initial_window", "1"}, {"median_nyquist_most", "8"}};
  static constexpr Preset all[] = {{"mnscc", "Spraying III-B, \"MNSCC\"; target and first window of IV-A", mnscc}};
  return all;
}

}  // namespace weir::cc
