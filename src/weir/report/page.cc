#include <string_view>

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/report/assets.h"
#include "weir/report/render.h"

namespace weir::report {
namespace {

// JSON as the content of a script element: nothing in it can end the element or open a comment, and it stays JSON.
std::string embedded(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') {
      out += "\\u003c";
    } else if (text.compare(i, 3, "\xE2\x80\xA8") == 0 || text.compare(i, 3, "\xE2\x80\xA9") == 0) {
      out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

void require() {
  if (!available())
    throw InputError(
        "this build has no report: Node.js, npm or Duktape was missing (Debian: nodejs npm duktape-dev), or npm could "
        "not reach its registry; install them and build again");
}

std::string filled(std::string_view page_template, const Json& document, const std::string& title) {
  constexpr std::string_view kTitleMark = "@TITLE@";
  std::string page(page_template);
  const auto at = page.find(kDocumentMark);
  page.replace(at, kDocumentMark.size(), embedded(document));
  // the title stands before the document
  page.replace(page.find(kTitleMark), kTitleMark.size(), markup(title));
  return page;
}

std::string html(const Document& document) {
  require();
  return filled(page_template(), to_json(document), document.title);
}

}  // namespace weir::report
