// The keys of a curriculum, for `weir list curricula` and its page.
#pragma once

#include "weir/scenario/reference.h"

namespace weir::learn {

scenario::ReferenceSection curriculum_reference();

}  // namespace weir::learn
