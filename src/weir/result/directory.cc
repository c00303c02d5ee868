#include "weir/result/directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/base/version.h"

namespace weir::result {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kExpected = "a file of a result";
constexpr std::string_view kAdvice =
    "put back what the run wrote, or run it again; keep changed copies outside of the result";

std::optional<Contents> contents_of(const Json& manifest, const std::string& file) {
  const auto files = manifest.find("files");
  if (files == manifest.end()) return std::nullopt;
  Contents out;
  try {
    for (const auto& [name, facts] : files->items())
      out[name] = {facts.at("bytes").get<std::uint64_t>(), facts.at("xxh128").get<std::string>()};
  } catch (const Json::exception&) {
    throw InputError(fmt::format("{}: files: valid is an object with bytes and xxh128 for each file", file));
  }
  return out;
}

// "0.1" of "0.1.0+4f1c09ab12": releases that agree in it write the same keys.
std::string_view series_of(std::string_view version) {
  const auto first = version.find('.');
  return first == std::string_view::npos ? version : version.substr(0, version.find_first_of(".+", first + 1));
}

}  // namespace

std::string read_text(const std::string& path) { return read_text_file(path, kExpected); }

Json parse_json(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto upto = std::min(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(upto), '\n');
    throw InputError(fmt::format("{}:{}: this is no whole JSON document", file, line));
  }
}

void check_made_by(const Json& document, const std::string& key, const std::string& file) {
  check_made_by(document, key, file, 1);
}

void check_made_by(const Json& document, const std::string& key, const std::string& file, int format) {
  if (!document.is_object() || !document.contains(key) || !document.at(key).is_string())
    throw InputError(fmt::format("{}: it does not tell which weir wrote it (key {})", file, key));
  const auto made_by = document.at(key).get<std::string>();
  if (series_of(made_by) != series_of(version()))
    throw InputError(fmt::format("{}: written by weir {}, this is {}; report it with that version, or run it again",
                                 file, made_by, version()));
  if (document.contains("format") && document.at("format") != format)
    throw InputError(
        fmt::format("{}: format {}; this weir reads format {}", file, document.at("format").dump(), format));
}

Directory::Directory(std::string path) : path_(std::move(path)) {
  const std::string name = file(kManifest);
  std::error_code error;
  if (!fs::exists(name, error)) return;
  const std::string text = read_text(name);
  manifest_ = parse_json(text, name);
  if (!manifest_.is_object()) throw InputError(fmt::format("{}: valid is a JSON object", name));
  contents_ = contents_of(manifest_, name);
  bool has_seal = false;
  if (is_intact(text, has_seal) || (!has_seal && !contents_)) return;
  throw changed_error(kManifest,
                      has_seal ? "its checksum is not that of its text" : "its last key, checksum, is missing");
}

std::string Directory::file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

bool Directory::has(std::string_view name) const {
  if (contents_ && name != kManifest) return contents_->contains(name);
  std::error_code error;
  return fs::is_regular_file(file(name), error);
}

std::string Directory::text(std::string_view name) const {
  if (!contents_ || name == kManifest) return read_text(file(name));
  const auto facts = contents_->find(name);
  if (facts == contents_->end())
    throw InputError(fmt::format("{}: it is no file of this run: {} does not list it", file(name), kManifest));
  check_size(facts->first, facts->second);
  if (facts->second.bytes > kLargestData)
    throw InputError(
        fmt::format("{}: it is as the run wrote it, but too large to be read: it has {:.1f} GiB, and files "
                    "of results are read up to {} GiB; run again with fewer samples (of a probe: ports, "
                    "interval, start, stop, or series = false), or read it with another program",
                    file(name), static_cast<double>(facts->second.bytes) / (1 << 30), kLargestData >> 30));
  std::string out = read_bytes(file(name), kExpected);
  if (checksum_of(out) != facts->second.checksum)
    throw changed_error(name, fmt::format("its checksum is not that in {}", kManifest));
  check_is_text(out, file(name), kExpected);
  return out;
}

Json Directory::document(std::string_view name) const { return parse_json(text(name), file(name)); }

void Directory::check_sizes() const {
  if (!contents_) return;
  for (const auto& [name, facts] : *contents_) check_size(name, facts);
}

void Directory::check_all() const {
  check_sizes();
  if (!contents_) return;
  for (const auto& entry : *contents_) text(entry.first);
}

void Directory::check_size(const std::string& name, const FileFacts& facts) const {
  std::error_code error;
  if (!fs::exists(file(name), error))
    throw changed_error(name, fmt::format("it is missing, and {} lists it", kManifest));
  if (!fs::is_regular_file(file(name), error)) throw changed_error(name, "it is no regular file");
  const auto bytes = fs::file_size(file(name), error);
  if (!error && bytes != facts.bytes)
    throw changed_error(name, fmt::format("it has {} bytes, and {} tells {}", bytes, kManifest, facts.bytes));
}

InputError Directory::changed_error(std::string_view name, const std::string& how) const {
  return InputError(fmt::format("{}: {}; {}", file(name), how, kAdvice));
}

}  // namespace weir::result
