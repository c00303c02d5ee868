// Which data path a mode has.
#pragma once

#include <memory>
#include <string>

#include "hosts/agent/config.h"
#include "hosts/path/data_path.h"

namespace weir::hosts {

struct OpenPath {
  std::string name;  // "bpf" or "queue"
  std::unique_ptr<DataPath> path;
  std::string note;  // why it is not another one; "" = it is the first choice
};

// Mode observe takes BPF where that can be had, and NFQUEUE elsewhere. Throws Unavailable; nothing is changed then.
OpenPath open_path(Mode mode, const PathSettings& settings);

}  // namespace weir::hosts
