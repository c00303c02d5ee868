// figures.json (docs/reference/results.md), and figures as JSON for those who draw them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/figure/figure.h"

namespace weir::figure {

using Json = nlohmann::ordered_json;

enum class Form {
  // For programs, in figures.json: 10 significant digits, and which runs it is of.
  file,
  // For who draws it, in a page or as SVG: 9 significant digits, and whole numbers without a fraction, which makes
  // pages a third smaller. Which runs it is of is not drawn.
  drawn,
};
Json to_json(const Figure& figure, Form form);

// A file figures.json.
struct Document {
  std::string title;  // of all of them; may be empty
  std::vector<Figure> figures;
};
std::string to_text(const Document& document);
// Throws InputError that names `file` and the key.
Document parse(const std::string& text, const std::string& file);

}  // namespace weir::figure
