#include "weir/base/version.h"

#include "weir_version.h"

namespace weir {

std::string_view version() { return WEIR_VERSION; }

}  // namespace weir
