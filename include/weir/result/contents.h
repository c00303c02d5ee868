// What manifest.json says of the files of a result, and the checksum that manifest.json ends with
// (docs/reference/results.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace weir::result {

inline constexpr std::string_view kManifest = "manifest.json";

// Size and checksum of a file.
struct FileFacts {
  std::uint64_t bytes = 0;
  std::string checksum;  // base/checksum.h
};

// The files of a result by name, without the manifest, which is written last.
using Contents = std::map<std::string, FileFacts, std::less<>>;

// Adds a last member "checksum" to the text of a JSON object, which is indented by two as nlohmann::json writes it and
// ends with a newline. The checksum is that of all bytes before the comma in front of the new member.
std::string sealed(std::string_view json);
// Whether a text is as sealed() made it. `has_seal` becomes whether it has a checksum at all.
bool is_intact(std::string_view json, bool& has_seal);

}  // namespace weir::result
