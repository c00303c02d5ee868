// Any four files are either a scenario that reads well, or an InputError. The files follow one another, each behind a
// line "=".
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "weir/base/error.h"
#include "weir/import/ns3_import.h"
#include "weir/net/model/graph_file.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/flow_list.h"

namespace {

using namespace weir;

void require(bool good) {
  if (!good) std::abort();
}

// The config, the topology, the flows, the trace nodes.
std::array<std::string_view, 4> split(std::string_view text) {
  constexpr std::string_view kBetween = "\n=\n";
  std::array<std::string_view, 4> out;
  for (auto& part : out) {
    const auto end = text.find(kBetween);
    part = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + kBetween.size());
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto files = split({reinterpret_cast<const char*>(data), size});
  const scenario::ReadFile read = [&](const std::string&, std::string_view expected) {
    return std::string(files[expected == "the topology" ? 1 : expected == "the flows" ? 2 : 3]);
  };
  for (const bool exact : {false, true}) {
    try {
      const auto made = scenario::import_ns3(
          files[0], "config", {exact, "a.graph", "a.csv", [](const std::string&) { return true; }}, read);
      scenario::load_scenario(made.toml, "a.toml");
      const net::Topology t = net::parse_graph(made.graph, "a.graph");
      require(!traffic::parse_flow_list(made.flows, "a.csv", t.hosts).flows.empty());
    } catch (const InputError& error) {
      require(std::string_view(error.what()).find('\n') == std::string_view::npos);
    }
  }
  return 0;
}
