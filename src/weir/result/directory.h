// The files of one result directory, each of which is what the run has written or is not read at all.
//
// manifest.json lists every other file with its size and checksum (docs/reference/results.md). A file that is missing
// or differs is an InputError that names the run's directory, the file, and what to do. Results of versions that kept
// no such list are read as they are; is_checked() tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/result/contents.h"

namespace weir::result {

// Files of a result that was forked: when, with what changes, and the scenario that held before.
inline constexpr std::string_view kFork = "fork.toml";
inline constexpr std::string_view kBeforeFork = "before.toml";
// Of a result whose run was changed while it went on: what and when. kBeforeFork is the scenario with which it began.
inline constexpr std::string_view kSteering = "steering.toml";

// The text of a regular file. Throws InputError.
std::string read_text(const std::string& path);
// Throws InputError that names file and line.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& file);
// Throws InputError if `document`, which tells its maker's version under `key`, was written by a release that means
// other things by its keys, or in another format than 1, or than `format`.
void check_made_by(const nlohmann::ordered_json& document, const std::string& key, const std::string& file);
void check_made_by(const nlohmann::ordered_json& document, const std::string& key, const std::string& file, int format);
inline constexpr int kVerdictsFormat = 2;  // of verdicts.json

class Directory {
 public:
  // Reads the manifest, if there is one. Throws InputError if it is broken or has been changed.
  explicit Directory(std::string path);

  const std::string& path() const { return path_; }
  // The path of one of its files.
  std::string file(std::string_view name) const;
  // Null without a manifest.
  const nlohmann::ordered_json& manifest() const { return manifest_; }
  bool is_checked() const { return contents_.has_value(); }

  // Whether the run has written it; of a run whose manifest lists nothing, whether it is there.
  bool has(std::string_view name) const;
  std::string text(std::string_view name) const;
  nlohmann::ordered_json document(std::string_view name) const;

  // Every listed file is there and has its size ...
  void check_sizes() const;
  // ... and its checksum.
  void check_all() const;

 private:
  void check_size(const std::string& name, const FileFacts& facts) const;
  InputError changed_error(std::string_view name, const std::string& how) const;

  std::string path_;
  nlohmann::ordered_json manifest_;
  std::optional<Contents> contents_;
};

}  // namespace weir::result
