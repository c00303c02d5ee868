#include "weir/cc/marking.h"

#include <fmt/format.h>

#include "weir/base/params.h"

namespace weir::cc {
namespace {

struct Entry {
  std::string_view algorithm;
  std::string_view preset;  // "" = all presets that have no entry of their own
  Marking marking;
};

// What all algorithms of that paper are compared with, on links of 800 Gb/s.
constexpr Marking kSpraying{.k_min = {40'000},
                            .k_max = {40'000},
                            .p_max = 1,
                            .at_rate = {},
                            .source = "Spraying IV-A",
                            .links = {800'000'000'000}};

constexpr Entry kEntries[] = {
    {"dcqcn", "", {{100'000}, {400'000}, 0.2, {25'000'000'000}, "HPCC 5.1, p_max of its public simulator"}},
    {"dcqcn", "paper", {{5'000}, {200'000}, 0.01, {40'000'000'000}, "SIGCOMM'15"}},
    {"dctcp", "", {{97'500}, {97'500}, 1, {10'000'000'000}, "SIGCOMM'10, 65 packets of 1500 bytes"}},
    {"dctcp", "hpcc", {{30'000}, {30'000}, 1, {10'000'000'000}, "HPCC 5.1"}},
    {"mdctcp", "", kSpraying},
    {"mnscc", "", kSpraying},
    {"nscc", "", kSpraying},
    {"smartt", "", kSpraying},
};

// Variable AI and Sampling Frequency leave an algorithm the marks that it is made for.
const Marking* find(std::string_view algorithm, std::string_view preset) {
  constexpr std::string_view kParts = "-vai-sf";
  if (algorithm.ends_with(kParts)) algorithm.remove_suffix(kParts.size());
  for (const Entry& e : kEntries)
    if (e.algorithm == algorithm && e.preset == preset) return &e.marking;
  return nullptr;
}

}  // namespace

const Marking* marking_of(const Algorithm& algorithm, std::string_view preset) {
  const Marking* own = find(algorithm.about.name, preset);
  return own != nullptr ? own : find(algorithm.about.name, "");
}

std::string to_text(const Marking& m) {
  return fmt::format("k_min = {}, k_max = {}, p_max = {}, at_rate = {} ({})", format_value(m.k_min),
                     format_value(m.k_max), m.p_max, format_value(m.at_rate), m.source);
}

}  // namespace weir::cc
