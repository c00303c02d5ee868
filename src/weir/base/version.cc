#include "weir/base/version.h"

#include "weir/base/simulator.h"
#include "weir_version.h"

namespace weir {

std::string_view version() { return WEIR_VERSION; }
std::string_view simulator() { return WEIR_SIMULATOR; }

}  // namespace weir
