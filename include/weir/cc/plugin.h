// Plug-ins: algorithms in a shared library, which the command and programs load while they run. A plug-in is one
// source,
//
//   #include "weir/cc/plugin.h"
//   class Mine { ... };           // as algorithm.h says
//   WEIR_PLUGIN(Mine)             // or several: WEIR_PLUGIN(Mine, Other)
//
// and is built against the Weir that loads it (docs/guides/own-algorithm.md#as-a-plug-in).
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/version.h"
#include "weir/cc/algorithm.h"

namespace weir::cc {

// A plug-in that has been loaded.
struct Plugin {
  std::string file;      // as the user named it
  std::string checksum;  // of the file, XXH3 with 128 bits
  std::vector<std::string> algorithms;
};

// Adds the algorithms of a plug-in to the catalogue, all or none. The file stays loaded for as long as the program
// runs; loading the same content again changes nothing. Call it before reading a scenario that names one of the
// algorithms, and not while another thread uses the catalogue. Throws InputError that names the file and the reason: it
// is no shared library, no plug-in, a plug-in of another version of Weir, or one with an algorithm whose name is taken.
const Plugin& load_plugin(const std::string& file);
// All that have been loaded, in order. They stay in place when others are loaded.
const std::list<Plugin>& loaded_plugins();
// The plug-in that an algorithm of the catalogue came from; null if it came from none.
const Plugin* plugin_of(const Algorithm& algorithm);

// What a plug-in exports. The first two members are looked at before anything else is used.
struct PluginFacts {
  // The version of this struct, raised whenever the struct changes.
  static constexpr std::uint32_t kFormat = 1;
  // The sizes of the types that both sides share in memory.
  static constexpr std::array<std::uint32_t, 8> kSizes{sizeof(Algorithm), sizeof(About),      sizeof(FlowFacts),
                                                       sizeof(Ack),       sizeof(Loss),       sizeof(Control),
                                                       sizeof(ParamSet),  sizeof(std::string)};

  std::uint32_t format = 0;
  std::array<std::uint32_t, 8> sizes{};
  std::string_view (*version)() = nullptr;
  std::vector<Algorithm> (*algorithms)() = nullptr;
};

template <class... A>
constexpr PluginFacts plugin_facts() {
  return {PluginFacts::kFormat, PluginFacts::kSizes, &weir::version,
          [] { return std::vector<Algorithm>{describe<A>()...}; }};
}

}  // namespace weir::cc

#define WEIR_PLUGIN(...)                                                                           \
  extern "C" __attribute__((visibility("default"))) const weir::cc::PluginFacts weir_plugin_facts; \
  const weir::cc::PluginFacts weir_plugin_facts = weir::cc::plugin_facts<__VA_ARGS__>();
