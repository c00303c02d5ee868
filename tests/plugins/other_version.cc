// A plug-in that was built against another version.
#include "weir/cc/plugin.h"

extern "C" __attribute__((visibility("default"))) const weir::cc::PluginFacts weir_plugin_facts;
const weir::cc::PluginFacts weir_plugin_facts{weir::cc::PluginFacts::kFormat, weir::cc::PluginFacts::kSizes,
                                              [] { return std::string_view("0.0.0+other"); }, nullptr};
