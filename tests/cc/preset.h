// An algorithm's parameters as one of its presets sets them.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "weir/cc/algorithm.h"

namespace weir::cc {

template <class A>
typename A::Params preset(std::string_view name) {
  typename A::Params params;
  for (const auto& p : A::presets()) {
    if (p.name != name) continue;
    for (const auto& [key, value] : p.values) {
      const Param* param = params_of<typename A::Params>().find(key);
      param->set(&params, parse_value(*param, value));
    }
    return params;
  }
  ADD_FAILURE() << "no preset " << name;
  return params;
}

}  // namespace weir::cc
