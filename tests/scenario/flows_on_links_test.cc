#include "weir/scenario/flows_on_links.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "weir/base/error.h"

namespace weir::scenario {
namespace {

constexpr std::string_view kGoodLines =
    "[[link]]\n"                 // 1
    "name = \"a\"\n"             // 2
    "capacity = \"100 Gbps\"\n"  // 3
    "[[link]]\n"                 // 4
    "name = \"b\"\n"             // 5
    "capacity = \"40 Gbps\"\n"   // 6
    "[[flow]]\n"                 // 7
    "links = [\"b\", \"a\"]\n"   // 8
    "[[flow]]\n"                 // 9
    "name = \"pair\"\n"          // 10
    "links = [\"a\"]\n"          // 11
    "weight = 2\n"               // 12
    "start = \"5 Gbps\"\n";      // 13

std::string with(std::string_view part, std::string_view other) {
  std::string text(kGoodLines);
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

TEST(FlowsOnLinks, AreRead) {
  const FlowsOnLinks got = parse_flows_on_links(kGoodLines, "a.toml");
  EXPECT_EQ(got.network.capacities, (std::vector<double>{100e9, 40e9}));
  EXPECT_EQ(got.links, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(got.flows, (std::vector<std::string>{"0", "pair"}));
  EXPECT_EQ(got.network.flows[0].links, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(got.network.flows[0].weight, 1);
  EXPECT_EQ(got.network.flows[1].weight, 2);
  EXPECT_EQ(got.start, (std::vector<double>{40e9, 5e9}));  // the first: the least capacity on its path
}

TEST(FlowsOnLinks, WhatIsWrongIsTold) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {with("[[flow]]", "[[flows]]"),
       "a.toml:7: key 'flows': unknown table (did you mean 'flow'?); valid is link, flow"},
      {with("name = \"b\"", "name = \"a\""), "a.toml:5: key 'link.1.name': 'a' a second time; line 2 has it already"},
      {with("name = \"pair\"", "name = \"0\""),
       "a.toml:10: key 'flow.1.name': '0' a second time; line 7 has it already"},
      {with("name = \"b\"\n", ""),
       "a.toml:4: key 'link.1.name': missing; write text in quotes (by which flows name it)"},
      {with("\"40 Gbps\"", "40"),
       "a.toml:6: key 'link.1.capacity': '40' is not a rate: it has no unit; write a number and one of Tbps, Gbps, "
       "Mbps, Kbps, bps, like \"1.5 Gbps\""},
      {with("\"40 Gbps\"", "\"0 Gbps\""),
       "a.toml:6: key 'link.1.capacity': 0 bps is out of range; valid is 1 Kbps to 100 Tbps"},
      {with("capacity = \"40", "capacty = \"40"),
       "a.toml:6: key 'link.1.capacty': unknown key (did you mean 'capacity'?); valid is name, capacity"},
      {with("[\"b\", \"a\"]", "[\"b\", \"B\"]"), "a.toml:8: key 'flow.0.links': unknown link 'B' (did you mean 'b'?)"},
      {with("[\"b\", \"a\"]", "[\"b\", \"b\"]"),
       "a.toml:8: key 'flow.0.links': 'b' a second time; a flow crosses a link once"},
      {with("[\"b\", \"a\"]", "[1]"), "a.toml:8: key 'flow.0.links': it has a whole number; write names in quotes"},
      {with("[\"b\", \"a\"]", "[]"),
       "a.toml:8: key 'flow.0.links': write a list of at least one name of a link, like [\"a\", \"b\"]"},
      {with("links = [\"b\", \"a\"]\n", ""),
       "a.toml:7: key 'flow.0.links': write a list of at least one name of a link, like [\"a\", \"b\"]"},
      {with("weight = 2", "weight = 0"),
       "a.toml:12: key 'flow.1.weight': 0 is out of range; valid is 1e-06 to 1000000"},
      {"link = [{ name = \"a\", capacity = \"1 Gbps\" }]\n",
       "a.toml: no flow; write at least one [[link]] with name and capacity, and one [[flow]] with its links"},
  };
  for (const auto& [text, message] : cases) {
    try {
      parse_flows_on_links(text, "a.toml");
      ADD_FAILURE() << "accepted:\n" << text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
}

}  // namespace
}  // namespace weir::scenario
