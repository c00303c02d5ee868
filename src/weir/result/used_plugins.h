// The plug-ins that a run used, as its manifest lists them.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace weir::result {

// " --plugin FILE" for each plug-in of a manifest, as a command line has them; "" if the run used none.
std::string plugin_options(const nlohmann::ordered_json& manifest);
// The same of the manifest.json beside a file, such as a result's scenario.toml; "" if there is none that can be read.
std::string plugin_options_beside(const std::string& file);

}  // namespace weir::result
