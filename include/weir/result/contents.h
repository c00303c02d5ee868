// What manifest.json tells of the files of a result directory, and how it vouches for itself (docs/results.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace weir::result {

inline constexpr std::string_view kManifest = "manifest.json";

struct FileFacts {
  std::uint64_t bytes = 0;
  std::string checksum;  // base/checksum.h
};

// By name; without the manifest, which is written last.
using Contents = std::map<std::string, FileFacts, std::less<>>;

// The text of a JSON object, as nlohmann::json writes it with an indentation of two, with one more member at its end:
// "checksum", of all bytes before the comma in front of it.
std::string sealed(std::string_view json);
// Whether such a text is as it was written; `has_seal` tells whether it has a checksum at all.
bool is_intact(std::string_view json, bool& has_seal);

}  // namespace weir::result
