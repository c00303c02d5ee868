// The page of `weir view`: one result, looked at from inside (docs/guides/view.md).
#pragma once

#include <string>

#include "weir/report/read.h"

namespace weir::report {

// What the page shows of a result that was run with the probe `view`. Throws InputError that says how to run it so if
// it was not.
Json view_document(const std::string& directory);

// Throws InputError, which says what to install, unless this build can make the page.
void require_view();

// The whole page, with that document in it. `live`: it is served by the run whose result this is. Throws InputError as
// require_view() does.
std::string view_html(const std::string& directory, bool live = false);
// The page of a run that goes on, of a document whose tables are those of the network alone.
std::string live_html(const Json& document);

}  // namespace weir::report
