// All that a scenario can name, with its parameters, drawn from the lists that the parser uses.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "weir/base/params.h"

namespace weir::scenario {

struct ReferencePreset {
  std::string name;
  std::string meaning;
  std::string source;
  std::vector<std::pair<std::string, std::string>> values;
  std::string marking;  // of an algorithm: ECN thresholds instead of its own; empty = the same
};

struct ReferenceTable {
  std::string header;  // how the table begins in a scenario
  const ParamSet* params = nullptr;
};

struct ReferenceItem {
  std::string name;
  std::string meaning;
  std::string source;
  std::vector<ReferenceTable> tables;
  std::vector<ReferencePreset> presets;
  std::vector<std::pair<std::string, std::string>> facts;  // of a workload
  std::string marking;                                     // of an algorithm: ECN thresholds that it comes with
};

struct ReferenceSection {
  std::string name;  // what `weir list` calls it
  std::string meaning;
  std::vector<ReferenceItem> items;
};

std::vector<ReferenceSection> reference();

std::string to_text(const ReferenceItem& item);
std::string to_markdown(const std::vector<ReferenceSection>& sections);
// The reference as JSON text.
std::string to_json(const std::vector<ReferenceSection>& sections);

// The default of a parameter as a scenario would write it; "required" if there is none.
std::string default_text(const Param& p);

}  // namespace weir::scenario
