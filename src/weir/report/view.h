// The page of `weir view`: one result, looked at from inside (docs/view.md).
#pragma once

#include <string>

#include "weir/report/read.h"

namespace weir::report {

// What the page shows of a result that was run with the probe `view`. Throws InputError that says how to run it so if
// it was not.
Json view_document(const std::string& directory);

// The whole page, with that document in it. Throws InputError, which says what to install, if this build cannot make
// it.
std::string view_html(const std::string& directory);

}  // namespace weir::report
