// The bundles of web/, as text inside the command. Empty if they could not be built. The source is generated
// (cmake/Report.cmake).
#pragma once

#include <string_view>

namespace weir::report {

std::string_view page_template();  // with kDocumentMark in it
std::string_view view_template();  // likewise, of weir view
std::string_view figure_script();

inline constexpr std::string_view kDocumentMark = "@DOCUMENT@";

}  // namespace weir::report
