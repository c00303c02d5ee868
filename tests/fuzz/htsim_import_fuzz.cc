// Any options, connection matrix and topology are either a scenario that reads well, or an InputError. They follow one
// another, each behind a line "=".
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/import/htsim_import.h"
#include "weir/net/model/graph_file.h"
#include "weir/scenario/scenario.h"
#include "weir/scenario/uet_connections.h"

namespace {

using namespace weir;

void require(bool good) {
  if (!good) std::abort();
}

std::array<std::string, 3> split(std::string_view text) {
  constexpr std::string_view kBetween = "\n=\n";
  std::array<std::string, 3> out;
  for (auto& part : out) {
    const auto end = text.find(kBetween);
    part = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + kBetween.size());
  }
  return out;
}

// What is read of networks that are too large for a fuzzer is not built.
void check(const scenario::HtsimImport& made, bool kept) {
  scenario::load_scenario(made.toml, "a.toml");
  if (!made.graph.empty() && made.graph.size() < 100'000) net::parse_graph(made.graph, "a.graph");
  require(!scenario::parse_connections(made.connections, "a.csv", 1u << 20, kept).rows.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto files = split({reinterpret_cast<const char*>(data), size});
  const scenario::ReadFile read = [&](const std::string&, std::string_view expected) {
    return files[expected == "a topology of htsim" ? 2 : 1];
  };
  std::istringstream in(files[0]);
  std::vector<std::string> arguments;
  for (std::string word; in >> word;) arguments.push_back(word);
  try {
    const bool kept = std::find(arguments.begin(), arguments.end(), "-conn_reuse") != arguments.end();
    check(scenario::import_htsim(arguments, {.connections_name = "a.csv", .graph_name = "a.graph"}, read), kept);
  } catch (const InputError& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  for (const bool kept : {false, true}) {
    try {
      scenario::parse_connections(files[1], "a.csv", 100, kept);
    } catch (const InputError& error) {
      require(std::string_view(error.what()).find('\n') == std::string_view::npos);
    }
  }
  return 0;
}
