// transport.connections = "kept": what a scenario may ask beside it.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/scenario/build.h"

namespace weir::scenario {
namespace {

constexpr std::string_view kRingOfFour = R"([topology]
kind = "star"
hosts = 4
[transport]
connections = "kept"
[algorithm]
name = "newreno"
[algorithm.recovery]
kind = "sack"
[[traffic]]
kind = "collective"
operation = "ring-all-reduce"
size = "50 KB"
)";

std::string refusal_beside_connections(const std::vector<std::string>& more) {
  try {
    build(load_scenario(kRingOfFour, "a.toml", more));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ConnectionsScenario, IsRefusedBesideWhatFlowsAreNeededFor) {
  EXPECT_EQ(refusal_beside_connections({}), "");
  EXPECT_EQ(refusal_beside_connections({"transport.idle=restart"}), "");
  const std::string and_so = ", and with transport.connections = \"kept\" messages share flows; remove one of the two";
  EXPECT_EQ(refusal_beside_connections({"algorithm.unsolicited=10 KB"}),
            "--set algorithm.unsolicited: credits are asked for and granted until a flow ends" + and_so);
  EXPECT_EQ(
      refusal_beside_connections({"algorithm.stack.segment=64 KB"}),
      "--set algorithm.stack.segment: key 'algorithm.stack': a host's stack hands down one flow from its start on" +
          and_so);
  EXPECT_NE(refusal_beside_connections({"run.fidelity=flow"}).find("all messages share links at once"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::scenario
