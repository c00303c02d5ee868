// A scenario written out in full: every parameter with its value, defaults included, so that the
// run can be repeated whatever becomes of the defaults and of the files it was made from.
#pragma once

#include <string>
#include <vector>

#include "weir/scenario/scenario.h"

namespace weir::scenario {

// A data file of the scenario, to be stored beside the text.
struct Attachment {
  std::string name;     // without a folder
  std::string content;  // as it was read
};

struct Effective {
  std::string toml;  // names the attachments, relative to its own folder
  std::vector<Attachment> attachments;
};

// The effective scenario, with its tables in a fixed order. A run of it gives the same digest. The text names the
// attachments in `folder`, relative to its own; "" = beside it. Throws InputError if a data file cannot be read.
Effective effective(const Scenario&, const std::string& folder = "");

}  // namespace weir::scenario
