// A plug-in of a compiler, or of headers, that do not fit.
#include "weir/cc/plugin.h"

extern "C" __attribute__((visibility("default"))) const weir::cc::PluginFacts weir_plugin_facts;
const weir::cc::PluginFacts weir_plugin_facts{weir::cc::PluginFacts::kFormat, {1, 2, 3}, nullptr, nullptr};
