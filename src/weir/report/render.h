// From documents to files for people: one HTML page, and SVG.
//
// The drawing itself is TypeScript (web/), bundled at build time; in the page it runs in the browser, for SVG here,
// under Duktape.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "weir/report/document.h"
#include "weir/report/read.h"

namespace weir::report {

// False if this build has no drawing code: Node.js, npm or Duktape was missing.
bool available();
// Throws InputError, which says what to install, unless it is available.
void require();

// A page of the drawing code with a document and a title, which is text, in it.
std::string filled(std::string_view page_template, const Json& document, const std::string& title);

// The whole page, with the document in it. Requires the drawing code.
std::string html(const Document& document);

// Keeps the interpreter from figure to figure: to start it takes longer than to draw. Requires the drawing code.
class SvgWriter {
 public:
  SvgWriter();
  ~SvgWriter();
  // Series of more than a few thousand points are thinned: the width of a column has room for no more.
  std::string svg(Figure figure);

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace weir::report
