// The kinds of traffic that a scenario can name. A new kind is one line in catalogue.cc.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/traffic.h"

namespace weir::traffic {

struct Kind {
  std::string name;
  std::string meaning;
  const ParamSet* params = nullptr;
  // Builds a source from an object of these parameters (ParamSet::make) and adds it, its flows
  // labelled with context.labels. Throws InputError about one of the parameters, or about a line of a file.
  std::function<void(Traffic&, const void* params, const Context&)> add;
};

std::span<const Kind> kinds();

// Throws InputError with the nearest valid name.
const Kind& kind_named(std::string_view name);

}  // namespace weir::traffic
