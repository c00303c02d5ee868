// What the tests of traffic share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "weir/base/error.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

inline Context uniform_hosts(std::uint32_t hosts, std::uint64_t seed = 1, std::uint32_t source = 0) {
  Context context;
  context.host_rates.assign(hosts, Rate{100'000'000'000});
  context.seed = seed;
  context.source = source;
  return context;
}

inline std::vector<Flow> drain(Source& source) {
  std::vector<Flow> out;
  while (const auto flow = source.next()) out.push_back(*flow);
  return out;
}

// The message of the InputError that `call` throws, or "" if it throws none.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

inline bool same(const Flow& a, const Flow& b) {
  return a.id == b.id && a.start == b.start && a.src == b.src && a.dst == b.dst && a.size == b.size && a.tag == b.tag &&
         a.profile == b.profile && a.sport == b.sport && a.dport == b.dport;
}

inline bool same(const std::vector<Flow>& a, const std::vector<Flow>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

}  // namespace weir::traffic
