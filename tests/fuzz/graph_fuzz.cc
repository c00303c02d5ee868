// Any text is either a network that survives being written and read again, or an InputError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "weir/base/error.h"
#include "weir/net/model/graph_file.h"
#include "weir/net/model/path_facts.h"
#include "weir/net/model/routing.h"
#include "weir/net/model/split.h"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weir;
  using namespace weir::net;
  Topology t;
  try {
    t = parse_graph({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const InputError&) {
    return 0;
  }
  const std::string text = format_graph(t);
  require(format_graph(parse_graph(text, "again")) == text);

  const Routing routing(t, 1);
  const Paths paths(routing);
  require(t.port_peer(routing.path(0, t.hosts - 1, 7).back()) == t.hosts - 1);
  const Bytes data_wire{1048};
  const Bytes ack{60};
  require(paths.base_rtt(0, t.hosts - 1, data_wire, ack) <= paths.network_rtt(data_wire, ack));
  require(paths.ideal_fct(0, t.hosts - 1, {100'000}, {{1000}, {48}, ack}) > Time{});
  const Split p = split(t, 3);
  require(p.parts >= 1 && p.parts <= 3 && p.of_node.size() == t.nodes());
  return 0;
}
