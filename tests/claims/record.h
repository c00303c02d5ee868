// What a claim's test leaves in docs/claims.md.
#pragma once

#include <string>

#include "tests/claims/document.h"
#include "weir/base/units.h"

namespace weir::claims {

inline void record_verdict(const std::string& table, const std::string& claim, const std::string& verdict,
                           const std::string& measured) {
  expect_row("docs/claims.md", table, claim, {measured, verdict});
}

inline void record(const std::string& table, const std::string& claim, bool holds, const std::string& measured) {
  record_verdict(table, claim, holds ? "reproduced" : "**not reproduced**", measured);
}

inline double us(Time t) { return static_cast<double>(t.ps) * 1e-6; }
template <class T>
double kb(T bytes) {
  return static_cast<double>(bytes) * 1e-3;
}

}  // namespace weir::claims
