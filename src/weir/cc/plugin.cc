#include "weir/cc/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/base/text_file.h"

namespace weir::cc {
namespace {

constexpr const char* kSymbol = "weir_plugin_facts";

std::list<Plugin>& loaded() {
  static std::list<Plugin> all;
  return all;
}

InputError plugin_error(const std::string& file, const std::string& why) {
  return InputError(fmt::format("{}: {}", one_line(file, kQuoted), why));
}

// A library that is not used is closed again.
struct Library {
  explicit Library(const std::string& file)
      : handle(::dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle != nullptr) return;
    const char* const why = ::dlerror();
    throw plugin_error(file, fmt::format("it cannot be loaded as a shared library: {}; build a plug-in with CMake's "
                                         "weir::weir, as examples/CMakeLists.txt does",
                                         one_line(why == nullptr ? "" : why, 2 * kQuoted)));
  }
  ~Library() {
    if (handle != nullptr) ::dlclose(handle);
  }
  Library(const Library&) = delete;
  void* handle;
};

const PluginFacts& facts_of(const Library& library, const std::string& file) {
  const auto* const facts = static_cast<const PluginFacts*>(::dlsym(library.handle, kSymbol));
  if (facts == nullptr)
    throw plugin_error(file, "it is a shared library, but no plug-in of Weir: it lacks WEIR_PLUGIN(...)");
  if (facts->format != PluginFacts::kFormat || facts->sizes != PluginFacts::kSizes)
    throw plugin_error(
        file, fmt::format("it was built against another Weir, or by a compiler that does not fit; build it again "
                          "against weir {}",
                          version()));
  if (facts->version() != version())
    throw plugin_error(file, fmt::format("it was built against weir {}, and this is weir {}; build it again",
                                         one_line(std::string(facts->version()), kQuoted), version()));
  return *facts;
}

}  // namespace

const Plugin& load_plugin(const std::string& file) {
  Plugin plugin{.file = file, .checksum = checksum_of(read_bytes(file, "a plug-in")), .algorithms = {}};
  for (const Plugin& other : loaded())
    if (other.checksum == plugin.checksum) return other;
  Library library(file);
  const std::vector<Algorithm> algorithms = facts_of(library, file).algorithms();
  for (const Algorithm& algorithm : algorithms) {
    const std::string name(algorithm.about.name);
    const bool twice = std::find(plugin.algorithms.begin(), plugin.algorithms.end(), name) != plugin.algorithms.end();
    try {
      check_new_name("an algorithm", name, twice || find_algorithm(name) != nullptr);
    } catch (const InputError& error) {
      throw plugin_error(file, error.what());
    }
    plugin.algorithms.push_back(name);
  }
  for (const Algorithm& algorithm : algorithms) add_algorithm(algorithm);
  library.handle = nullptr;  // it stays
  return loaded().emplace_back(std::move(plugin));
}

const std::list<Plugin>& loaded_plugins() { return loaded(); }

const Plugin* plugin_of(const Algorithm& algorithm) {
  for (const Plugin& plugin : loaded())
    if (std::find(plugin.algorithms.begin(), plugin.algorithms.end(), algorithm.about.name) != plugin.algorithms.end())
      return &plugin;
  return nullptr;
}

}  // namespace weir::cc
