#include "weir/base/suggestion.h"

#include <fmt/format.h>

#include "weir/base/params.h"

namespace weir {

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  return did_you_mean(nearest(word, candidates));
}

std::string did_you_mean(std::string_view meant) {
  return meant.empty() ? "" : fmt::format(" (did you mean '{}'?)", meant);
}

}  // namespace weir
