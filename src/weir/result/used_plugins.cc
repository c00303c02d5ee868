#include "weir/result/used_plugins.h"

#include <filesystem>
#include <fstream>

#include "weir/base/text.h"

namespace weir::result {

std::string plugin_options(const nlohmann::ordered_json& manifest) {
  std::string out;
  const auto plugins = manifest.is_object() ? manifest.find("plugins") : manifest.end();
  if (plugins == manifest.end() || !plugins->is_array()) return out;
  for (const nlohmann::ordered_json& used : *plugins)
    if (used.is_object() && used.contains("file") && used.at("file").is_string())
      out += " --plugin " + printable(used.at("file").get<std::string>());
  return out;
}

std::string plugin_options_beside(const std::string& file) {
  std::ifstream in(std::filesystem::path(file).parent_path() / "manifest.json");
  return in ? plugin_options(nlohmann::ordered_json::parse(in, nullptr, false)) : "";
}

}  // namespace weir::result
