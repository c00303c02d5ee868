#include "weir/net/model/graph_file.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/net/model/topologies.h"

namespace weir::net {
namespace {

using namespace weir::literals;

TEST(GraphFile, ReadsNodesAndLinks) {
  const Topology t = parse_graph(
      "# two racks\r\n"
      "hosts 4\n"
      "\tswitches 2   # nodes 4 and 5\n"
      "\n"
      "link 0 4 100 Gbps 1 us\n"
      "link 1 4 100Gbps 1us\n"
      "link 5 2 100Gbps 1 us\n"
      "link 3 5 25 Gbps 0.5us\n"
      "link 4 5 400 Gbps 0",
      "racks.graph");
  EXPECT_EQ(t.name, "racks.graph");
  EXPECT_EQ(t.hosts, 4u);
  EXPECT_EQ(t.switches, 2u);
  ASSERT_EQ(t.links.size(), 5u);
  EXPECT_EQ(t.links[2].a, 5u);
  EXPECT_EQ(t.links[3].rate, 25_Gbps);
  EXPECT_EQ(t.links[3].delay, 500_ns);
  EXPECT_EQ(t.links[4].delay, Time{});
  EXPECT_TRUE(t.tree.empty());
  EXPECT_EQ(t.tier, (std::vector<std::uint8_t>{0, 0, 0, 0, 1, 1}));
}

TEST(GraphFile, WritesWhatItReads) {
  const Topology t = build(Clos{.host_delay = {1'234'567}});
  const Topology again = parse_graph(format_graph(t), "again");
  EXPECT_EQ(format_graph(again), format_graph(t));
  EXPECT_EQ(again.tier, t.tier);
}

TEST(GraphFile, KnowsServers) {
  const Topology t = build(Rail{.servers = 2, .gpus = 3, .spines = 1, .tors = 2});
  const Topology again = parse_graph(format_graph(t), "again");
  EXPECT_EQ(again.hosts_per_server, 3u);
  EXPECT_EQ(format_graph(again), format_graph(t));
  EXPECT_TRUE(looks_like_graph("hosts_per_server 3"));
}

TEST(GraphFile, ErrorsNameFileLineAndWhatIsValid) {
  const std::string head = "hosts 4\nswitches 2\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "g: no 'hosts' line; write one like \"hosts 4\""},
      {"hosts 4", "g: no 'switches' line; write one like \"switches 4\""},
      {"hosts", "g:1: the number of hosts is missing; valid is 2 to 2097152"},
      {"hosts four", "g:1: the number of hosts cannot be 'four'; valid is 2 to 2097152"},
      {"hosts 1", "g:1: the number of hosts cannot be '1'; valid is 2 to 2097152"},
      {"hosts -4", "g:1: the number of hosts cannot be '-4'; valid is 2 to 2097152"},
      {"hosts 99999999999", "g:1: the number of hosts cannot be '99999999999'; valid is 2 to 2097152"},
      {"hosts 4 5", "g:1: '5' is too much; the line ends before it"},
      {head + "hosts 4", "g:3: 'hosts' a second time; it is 4 already"},
      {"hosts 4\nlink 0 4 1 Gbps 1 us", "g:2: a link before its nodes; write the hosts and switches lines first"},
      {head + "\nlnik 0 4 1 Gbps 1 us",
       "g:4: unknown keyword 'lnik' (did you mean 'link'?); valid is hosts, switches, ports, hosts_per_server, link"},
      {head + "node 4", "g:3: unknown keyword 'node'; valid is hosts, switches, ports, hosts_per_server, link"},
      {head + "link 0", "g:3: the second node is missing; valid is 0 to 5"},
      {head + "link 0 6 1 Gbps 1 us", "g:3: the second node cannot be '6'; valid is 0 to 5"},
      {head + "link 0 4", "g:3: the rate is missing; write it like \"100 Gbps\""},
      {head + "link 0 4 1 Gbps", "g:3: the delay is missing; write it like \"1 us\""},
      {head + "link 0 4 1 Gbps 1 us 2", "g:3: '2' is too much; the line ends before it"},
      {head + "link 0 4 0 Gbps 1 us", "g:3: the link 0 - 4 has the rate 0 bps; valid is 1 Kbps to 100 Tbps"},
      {head + "link 0 4 1 Gbps 5 s", "g:3: the link 0 - 4 has the delay 5 s; valid is 0 to 1 s"},
      {head + "link 4 4 1 Gbps 1 us", "g:3: the link 4 - 4 joins a node to itself; valid are two different nodes"},
      {head + "link 0 1 1 Gbps 1 us", "g:3: the link 0 - 1 joins two hosts; valid is a host and a switch, 4 to 5"},
      {head + "link 0 4 1 Gbps 1 us\nlink 5 0 1 Gbps 1 us",
       "g:4: host 0 has a link already, in line 3; hosts have one, or as many as a line like \"ports 2\" before the "
       "links "
       "says"},
      {head + "ports 2\nlink 0 4 1 Gbps 1 us\nlink 5 0 1 Gbps 1 us\nlink 0 5 1 Gbps 1 us",
       "g:6: host 0 has as many links already as it has ports, 2, the last in line 5"},
      {head + "hosts_per_server 0", "g:3: the number of hosts_per_server cannot be '0'; valid is 1 to 2097152"},
      {head + "hosts_per_server 3\nlink 0 4 1 Gbps 1 us\nlink 1 4 1 Gbps 1 us\nlink 2 5 1 Gbps 1 us\n"
              "link 3 5 1 Gbps 1 us\nlink 4 5 1 Gbps 1 us",
       "g: hosts_per_server: 4 hosts make no servers of 3; valid is a divisor of 4"},
      {head + "ports 2\nlink 0 4 1 Gbps 1 us\nlink 1 4 1 Gbps 1 us\nlink 1 5 1 Gbps 1 us\nlink 2 5 1 Gbps 1 us\n"
              "link 3 4 1 Gbps 1 us\nlink 3 5 1 Gbps 1 us",
       "g:7: host 2 cannot reach host 0; links must connect all nodes, and hosts forward nothing"},
      {head + "link 0 4 1 Gbps 1 us\nlink 1 4 1 Gbps 1 us\nlink 2 4 1 Gbps 1 us\nlink 4 5 1 Gbps 1 us\n"
              "link 4 5 1 Gbps 1 us",
       "g:1: host 3 has 0 links to switches; valid is 1 to 16"},
      {head + "ports 2\nhosts_per_server 2\nlink 0 4 1 Gbps 1 us\nlink 1 4 1 Gbps 1 us\nlink 2 5 1 Gbps 1 us\n"
              "link 3 4 1 Gbps 1 us\nlink 3 5 1 Gbps 1 us",
       "g:7: host 2 (1.0) cannot reach host 0 (0.0); links must connect all nodes, and hosts forward nothing"},
      {head + "ports 17", "g:3: the number of ports cannot be '17'; valid is 1 to 16"},
      {head + "link 0 4 1 Gbps 1 us", "g: 1 links cannot connect 6 nodes; at least 5 are needed"},
  };
  for (const auto& [text, message] : cases) {
    try {
      parse_graph(text, "g");
      ADD_FAILURE() << text;
    } catch (const InputError& e) {
      EXPECT_EQ(e.what(), message);
    }
  }
  // a bad unit is told by base/params
  try {
    parse_graph(head + "link 0 4 1 Gb 1 us", "g");
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with("g:3: '1 Gb' is not a rate: unknown unit 'Gb'")) << e.what();
  }
}

}  // namespace
}  // namespace weir::net
