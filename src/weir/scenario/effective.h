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

// The tables in a fixed order. Running the result gives the same digest. Throws InputError if a
// data file cannot be read. `folder`: the text names the attachments in this one, relative to its own; "" = beside it.
Effective effective(const Scenario&, const std::string& folder = "");

}  // namespace weir::scenario
