#include "weir/result/contents.h"

#include <fmt/format.h>

#include <cassert>

#include "weir/base/checksum.h"

namespace weir::result {
namespace {

constexpr std::string_view kEnd = "\n}\n";

std::string seal_of(std::string_view body) {
  return fmt::format(",\n  \"checksum\": \"{}\"{}", checksum_of(body), kEnd);
}

}  // namespace

std::string sealed(std::string_view json) {
  assert(json.ends_with(kEnd));
  json.remove_suffix(kEnd.size());
  return std::string(json) + seal_of(json);
}

bool is_intact(std::string_view json, bool& has_seal) {
  const auto at = json.rfind(",\n  \"checksum\": ");
  has_seal = at != std::string_view::npos;
  return has_seal && json.substr(at) == seal_of(json.substr(0, at));
}

}  // namespace weir::result
