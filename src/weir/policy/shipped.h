// The policies that come with Weir (data/policies, compiled in).
#pragma once

#include <span>
#include <string_view>

namespace weir::policy {

struct Shipped {
  std::string_view name;  // what a scenario writes
  std::string_view text;  // of data/policies/NAME.toml
};

// In order of their names.
std::span<const Shipped> shipped();

}  // namespace weir::policy
