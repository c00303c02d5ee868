// weir list topology: what it prints can be written into a scenario as it is.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"

namespace weir::app {
namespace {

using Json = nlohmann::json;

std::string listing(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"list", "topology"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Output o = weir(all);
  EXPECT_EQ(o.status, 0) << o.err;
  return o.out;
}

void expect_no_topology(std::vector<std::string> arguments, const std::string& message) {
  arguments.insert(arguments.begin(), {"list", "topology"});
  const Output o = weir(arguments);
  EXPECT_EQ(o.status, 2) << message;
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(o.err, "weir: " + message + "\n");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

constexpr const char* kSmall = R"([topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 2
links_per_pair = 2
[algorithm]
name = "hpcc"
[[traffic]]
kind = "permutation"
size = "100 KB"
)";

class Small : public testing::Test {
 protected:
  Small() { std::ofstream(file_) << kSmall; }
  const Folder folder_{"weir-list-topology"};
  const std::string file_ = folder_ / "a.toml";
};

// Buffers are a matter of runs.
TEST_F(Small, IsListedWhateverItsBuffers) {
  const std::string whole = listing({file_});
  std::ofstream(file_, std::ios::app) << "[network.buffer]\nsize = \"1 KB\"\n";
  EXPECT_EQ(listing({file_}), whole);
  EXPECT_EQ(weir({"validate", file_}).status, 2);
}

// Any topology as a graph file is the same network again.
TEST_F(Small, IsWrittenAsAGraph) {
  for (const std::string& name : {file_, std::string("fat-tree"), std::string("parking-lot"),
                                  std::string("hpcc-testbed-64"), std::string("rail-optimised")}) {
    SCOPED_TRACE(name);
    const std::string graph = folder_ / "b.graph";
    std::ofstream(graph) << listing({name, "--graph"});
    const Json was = Json::parse(listing({name, "--json"}));
    const Json is = Json::parse(listing({graph, "--json"}));
    EXPECT_EQ(is.at("links"), was.at("links"));
    EXPECT_EQ(is.at("hosts_per_server"), was.at("hosts_per_server"));
  }
  EXPECT_NE(weir({"list", "topology", file_, "--graph", "--json"}).status, 0);
}

TEST_F(Small, PathsAreToldBesideAPicture) {
  const std::string picture = folder_ / "a.svg";
  const std::string out = listing({file_, "--paths", "0", "3", "--svg", picture});
  EXPECT_TRUE(out.ends_with(listing({file_, "--paths", "0", "3"}))) << out;
  EXPECT_TRUE(out.starts_with(picture + ": 4 hosts, ")) << out;
  EXPECT_FALSE(listing({file_, "--svg", picture}).find("paths") != std::string::npos);
}

TEST_F(Small, WhatIsNoHostIsNamed) {
  expect_no_topology({file_, "--paths", "x", "2"}, "--paths: 'x' is no number of a host; hosts are 0 to 3");
  expect_no_topology({file_, "--paths", "0", "2y"}, "--paths: '2y' is no number of a host; hosts are 0 to 3");
  expect_no_topology({file_, "--paths", "0", "99999999999999999999"},
                     "--paths: there is no host 99999999999999999999; hosts are 0 to 3");
  const std::string graph = folder_ / "a.graph";
  std::ofstream(graph) << "nonsense";
  expect_no_topology({graph, "--set", "a=1"},
                     "--set: '" + graph +
                         "' is neither a scenario (a file that ends in .toml, or a directory that weir "
                         "run --out has written) nor the name of a topology");
}

TEST_F(Small, IsListedInFull) {
  EXPECT_EQ(listing({file_}), R"(leaf-spine: 4 hosts, 4 switches (2 + 2), 12 links, oversubscription 0.125:1

tier    nodes  ports of each
hosts   0-3    1
edge    4-5    6
tier 2  6-7    4

links  a    b  rate      delay  ports
0-1    0-1  4  100 Gbps  1 us   0-3
2-3    2-3  5  100 Gbps  1 us   4-7
4-5    4    6  400 Gbps  1 us   8-11
6-7    4    7  400 Gbps  1 us   12-15
8-9    5    6  400 Gbps  1 us   16-19
10-11  5    7  400 Gbps  1 us   20-23

Link l leaves its node a by port 2 l and its node b by port 2 l + 1; results number ports alike.
In a scenario a link goes down by the numbers of its nodes:

[[network.link_event]]
time = "1 ms"
a = 4
b = 6
state = "down"
)");
}

TEST_F(Small, ItsLinkEventCanBeWritten) {
  const std::string text = listing({file_});
  std::ofstream(file_, std::ios::app) << text.substr(text.find("[[network.link_event]]"));
  const Output o = weir({"validate", file_});
  EXPECT_EQ(o.status, 0) << o.err;
}

// Ports and ends are those of links.csv.
TEST_F(Small, NumbersPortsAsResultsDo) {
  ASSERT_EQ(weir({"run", file_, "-q", "--set", "probes.links.ports=all, hosts", "--out", folder_ / "out"}).status, 0);
  std::map<int, std::pair<int, int>> ends;
  const Json listed = Json::parse(listing({file_, "--json"}));
  for (const Json& link : listed.at("links")) {
    ends[link.at("port_a")] = {link.at("a"), link.at("b")};
    ends[link.at("port_b")] = {link.at("b"), link.at("a")};
  }
  std::istringstream csv(read_file(folder_ / "out/links.csv"));
  std::string line;
  std::getline(csv, line);
  std::size_t rows = 0;
  while (std::getline(csv, line)) {
    int port = 0, from = 0, to = 0;
    char comma = 0;
    std::istringstream(line) >> port >> comma >> from >> comma >> to;
    EXPECT_EQ(ends.at(port), std::pair(from, to)) << line;
    ++rows;
  }
  EXPECT_EQ(rows, ends.size());
}

TEST_F(Small, TellsPaths) {
  EXPECT_EQ(listing({file_, "--paths", "0", "3"}),
            R"(leaf-spine: 4 hosts, 4 switches (2 + 2), 12 links, oversubscription 0.125:1

8 paths from host 0 to host 3
nodes      ports      share of flows  slowest link  propagation
0 4 6 5 3  0 8 17 7   12.5 %          100 Gbps      4 us
0 4 6 5 3  0 8 19 7   12.5 %          100 Gbps      4 us
0 4 6 5 3  0 10 17 7  12.5 %          100 Gbps      4 us
0 4 6 5 3  0 10 19 7  12.5 %          100 Gbps      4 us
0 4 7 5 3  0 12 21 7  12.5 %          100 Gbps      4 us
0 4 7 5 3  0 12 23 7  12.5 %          100 Gbps      4 us
0 4 7 5 3  0 14 21 7  12.5 %          100 Gbps      4 us
0 4 7 5 3  0 14 23 7  12.5 %          100 Gbps      4 us
)");
}

// Each port of a host begins paths of its own, in all planes.
TEST_F(Small, TellsPathsOfAllPorts) {
  EXPECT_EQ(listing({file_, "--set", "topology.planes=2", "--set", "topology.spines=1", "--set",
                     "topology.links_per_pair=1", "--paths", "0", "3"}),
            R"(leaf-spine: 4 hosts, 6 switches (4 + 2), 12 links, oversubscription 0.5:1

2 paths from host 0 to host 3
nodes      ports       share of flows  slowest link  propagation
0 4 6 5 3  0 16 19 7   50 %            100 Gbps      4 us
0 7 9 8 3  8 20 23 15  50 %            100 Gbps      4 us
)");
}

TEST(ListTopology, SharesOfPathsAreThoseOfTheScenario) {
  std::map<std::string, double> share;
  const std::string text = listing({"tests/scenarios/wcmp.toml", "--paths", "0", "4", "--json"});
  const Json paths = Json::parse(text).at("paths");
  EXPECT_EQ(paths.at("count"), 4);
  for (const Json& path : paths.at("listed")) share[path.at("nodes").dump()] += path.at("share").get<double>();
  EXPECT_NEAR(share.at("[0,8,10,9,4]"), 200.0 / 280, 1e-6);
  EXPECT_NEAR(share.at("[0,8,11,9,4]"), 40.0 / 280, 1e-6);
  EXPECT_NEAR(share.at("[0,8,12,9,4]"), 40.0 / 280, 1e-6);
}

TEST(ListTopology, TakesNamesAndGraphs) {
  EXPECT_NE(listing({"hpcc-fat-tree-320"}).find("320 hosts, 56 switches"), std::string::npos);
  EXPECT_NE(listing({"tests/scenarios/ring.graph"}).find("12     12   8   100 Gbps  730 ns  24-25\n"),
            std::string::npos);
  const std::string many = listing({"fat-tree", "--paths", "0", "127"});
  EXPECT_NE(many.find("16 paths from host 0 to host 127"), std::string::npos) << many;
}

TEST(ListTopology, NamesHostsByTheirServer) {
  EXPECT_TRUE(listing({"rail-optimised"}).starts_with("rail: 128 hosts (16 servers of 8), 24 switches (8 + 16), "));
  // one rail has one leaf
  EXPECT_TRUE(listing({"rail-optimised", "--paths", "3", "11"}).find("1 path from host 3 (0.3) to host 11 (1.3)\n") !=
              std::string::npos);
  EXPECT_NE(listing({"rail-optimised", "--paths", "3", "12"}).find("16 paths from host 3 (0.3) to host 12 (1.4)\n"),
            std::string::npos);
}

TEST(ListTopology, RefusesWhatIsNotThere) {
  expect_no_topology(
      {"fat-tre"},
      "list topology: there is no file 'fat-tre', and no topology of that name (did you mean 'fat-tree'?); "
      "valid is a scenario, a result directory, a graph file, star, dumbbell, parking-lot, leaf-spine, "
      "hpcc-testbed-32, hpcc-testbed-64, rail, rail-optimised, dgx-superpod-512, simai-spectrum-x-128, "
      "simai-hpn-single-plane-128, simai-hpn-dual-plane-128, simai-dcn-single-tor-128, simai-dcn-dual-tor-128, "
      "clos, "
      "hpcc-fat-tree-320, fat-tree");
  expect_no_topology({"star", "--paths", "0", "17"}, "--paths: there is no host 17; hosts are 0 to 16");
  expect_no_topology({"star", "--paths", "3", "3"}, "--paths: host 3 has no path to itself; name two hosts");
  EXPECT_EQ(listing({"star", "--set", "topology.hosts=4"}).substr(0, 13), "star: 4 hosts");
  expect_no_topology({"star", "--svg", "no/such/folder/a.svg"},
                     "--svg: cannot create no/such/folder/a.svg: No such file or directory");
}

TEST_F(Small, IsDrawn) {
  const std::string svg = folder_ / "a.svg";
  EXPECT_EQ(listing({file_, "--paths", "0", "3", "--svg", svg}),
            svg + ": 4 hosts, 4 switches (2 + 2), 12 links, oversubscription 0.125:1\n" +
                listing({file_, "--paths", "0", "3"}));
  const std::string picture = read_file(svg);
  EXPECT_EQ(count(picture, "<title>node "), 8u);
  EXPECT_EQ(count(picture, "<title>link "), 8u);  // parallel ones are one line
  EXPECT_NE(picture.find("<title>link 4: a = 4, b = 6, ports 8 and 9; link 5: a = 4, b = 6, ports 10 and 11, 400 Gbps, "
                         "1 us</title>"),
            std::string::npos)
      << picture;
  EXPECT_EQ(count(picture, "stroke=\"#cc3311\""), 2u + 4u + 1u);  // of the two hosts, of the fabric, in the legend
}

// Two spines of two links each: the links to one of them go down, and one of these comes up again.
TEST_F(Small, LinkEventsChangeThePathsAndAreMarked) {
  std::ofstream(file_, std::ios::app) << "[[network.link_event]]\ntime = \"1 ms\"\na = 4\nb = 6\nstate = \"down\"\n"
                                         "[[network.link_event]]\ntime = \"2 ms\"\na = 4\nb = 6\nstate = \"up\"\n";
  const std::string paths = listing({file_, "--paths", "0", "3"});
  EXPECT_NE(paths.find("8 paths from host 0 to host 3, at the start, all links up\n"), std::string::npos) << paths;
  EXPECT_NE(paths.find("4 paths from host 0 to host 3, from 1 ms on, without link 4 (4-6), link 5 (4-6)\n"
                       "nodes      ports      share of flows  slowest link  propagation\n"
                       "0 4 7 5 3  0 12 21 7  25 %            100 Gbps      4 us\n"),
            std::string::npos)
      << paths;
  EXPECT_NE(paths.find("8 paths from host 0 to host 3, from 2 ms on, all links up\n"), std::string::npos) << paths;
  const Json later = Json::parse(listing({file_, "--paths", "0", "3", "--json"})).at("paths").at("later");
  EXPECT_EQ(later.at(0).at("down"), (std::vector<int>{4, 5}));
  EXPECT_EQ(later.at(0).at("from_ps"), 1'000'000'000);
  EXPECT_EQ(later.at(0).at("count"), 4);
  EXPECT_EQ(later.at(1).at("count"), 8);
  EXPECT_NE(listing({file_}).find("link 4 (4-6): down at 1 ms, up at 2 ms\nlink 5 (4-6): down at 1 ms, up at 2 ms\n"),
            std::string::npos);
  // switches that do not learn of it go on sending there
  const std::string still = listing({file_, "--paths", "0", "3", "--set", "network.reroute=false"});
  EXPECT_EQ(count(still, "8 paths"), 3u);
  EXPECT_EQ(count(still, "link 4 (4-6) is down"), 2u);

  const std::string svg = folder_ / "a.svg";
  listing({file_, "--svg", svg});
  const std::string picture = read_file(svg);
  EXPECT_EQ(count(picture, "<path d=\"M") - count(picture, "<title>link "), 2u * (1u + 2u))
      << "crosses, two strokes each";
  EXPECT_NE(picture.find(">link 4 (4-6): down at 1 ms, up at 2 ms</text>"), std::string::npos);
  EXPECT_EQ(picture.find("baseline"), std::string::npos);
}

// A plane that goes down is one line, and a link of the other one has its own.
TEST_F(Small, APlaneThatGoesDownIsOneLine) {
  std::ofstream(file_, std::ios::app) << "[[network.link_event]]\ntime = \"1 ms\"\nplane = 1\nstate = \"down\"\n"
                                         "[[network.link_event]]\ntime = \"2 ms\"\na = 4\nb = 6\nstate = \"down\"\n";
  const std::string text = listing({file_, "--set", "topology.planes=2"});
  EXPECT_NE(text.find("\nplane 1 (12 links): down at 1 ms\nlink "), std::string::npos) << text;
  EXPECT_EQ(count(text, ": down at 1 ms"), 1u);
  EXPECT_EQ(count(text, " (4-6): down at 2 ms"), 2u);
}

// Every link between switches goes down: which cross is whose can be told, for each stands by itself with its numbers.
TEST_F(Small, CrossesOfSeveralLinksAreToldApart) {
  std::ofstream file(file_, std::ios::app);
  for (const auto& [a, b] : {std::pair{4, 6}, {4, 7}, {5, 6}, {5, 7}})
    file << "[[network.link_event]]\ntime = \"1 ms\"\na = " << a << "\nb = " << b << "\nstate = \"down\"\n";
  file.close();
  const std::string svg = folder_ / "a.svg";
  listing({file_, "--svg", svg});
  const std::string picture = read_file(svg);
  std::set<std::string> places;
  for (const char* links : {"4-5", "6-7", "8-9", "10-11"}) {
    const auto at = picture.find(std::string(">links ") + links + "</text>");
    ASSERT_NE(at, std::string::npos) << links;
    const auto begin = picture.rfind("<text", at);
    places.insert(picture.substr(begin, picture.find("fill", begin) - begin));
  }
  EXPECT_EQ(places.size(), 4u) << picture;
}

// Behind a box that it does not belong to, a line would seem to end there.
TEST_F(Small, LinesEndAtTheEdgesOfBoxes) {
  const std::string svg = folder_ / "a.svg";
  listing({file_, "--svg", svg});
  const std::string picture = read_file(svg);
  std::set<double> tops;
  for (auto at = picture.find("<rect x="); at != std::string::npos; at = picture.find("<rect x=", at + 1))
    tops.insert(std::stod(picture.substr(picture.find("y=\"", at) + 3)));
  ASSERT_EQ(tops.size(), 3u) << "rows";
  std::size_t lines = 0;
  for (auto at = picture.find("<path d=\"M"); at != std::string::npos; at = picture.find("<path d=\"M", at + 1)) {
    std::istringstream numbers(picture.substr(at + 10));
    double x = 0;
    double y = 0;
    numbers >> x >> y;
    for (const double top : tops) EXPECT_FALSE(y > top + 0.1 && y < top + 21.9) << y << " within " << top;
    ++lines;
  }
  EXPECT_EQ(lines, 8u);
}

// A server has a frame with its name and the switch of its scale-up links; of many GPUs it is one box.
TEST_F(Small, ServersHaveFrames) {
  const std::string svg = folder_ / "a.svg";
  const auto picture = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--svg", svg});
    listing(arguments);
    return read_file(svg);
  };
  const std::string two = picture({file_, "--set", "topology.hosts_per_server=2"});
  EXPECT_NE(two.find("<title>server 1: nodes 2-3, joined by scale-up links as well</title>"), std::string::npos);
  EXPECT_EQ(count(two, ">server "), 2u + 2u);  // tooltips and names
  EXPECT_EQ(count(two, "v10\""), 4u);          // of each GPU to its switch
  EXPECT_EQ(count(two, "scale-up links, such as NVLink"), 1u);
  const std::string rails = picture({"rail-optimised"});
  EXPECT_EQ(count(rails, "joined by scale-up links"), 16u);
  EXPECT_EQ(count(rails, ">8-15</text>"), 1u);
  const std::string many = picture({"dgx-superpod-512"});
  EXPECT_NE(many.find("<title>servers 8-55: nodes 64-447, joined by scale-up links as well</title>"),
            std::string::npos);
  EXPECT_EQ(count(many, "joined by scale-up links"), 17u);
  EXPECT_EQ(picture({file_}).find("scale-up"), std::string::npos);
}

TEST_F(Small, IsListedFromAResult) {
  ASSERT_EQ(weir({"run", file_, "-q", "--out", folder_ / "out"}).status, 0);
  EXPECT_EQ(listing({folder_ / "out"}), listing({file_}));
  EXPECT_EQ(listing({folder_ / "out", "--paths", "0", "3"}), listing({file_, "--paths", "0", "3"}));
  std::filesystem::create_directories(folder_ / "sweep/runs");
  expect_no_topology({folder_ / "sweep"}, "list topology: '" + folder_ / "sweep" +
                                              "' holds the runs of a sweep; name one of them, such as " +
                                              folder_ / "sweep/runs/NAME");
  std::filesystem::create_directories(folder_ / "empty");
  expect_no_topology({folder_ / "empty"}, "list topology: the directory '" + folder_ / "empty" +
                                              "' has no scenario.toml; valid is one that weir run --out has written");
}

// Five switches in a ring: the line from the last to the first bows over the others, below the title.
TEST(ListTopology, LinesBetweenSwitchesOfATierKeepOffTheTitle) {
  const Folder folder("weir-list-topology-ring");
  std::string graph = "hosts 5\nswitches 5\n";
  for (int i = 0; i < 5; ++i) graph += "link " + std::to_string(i) + " " + std::to_string(5 + i) + " 100 Gbps 1 us\n";
  for (int i = 0; i < 5; ++i)
    graph += "link " + std::to_string(5 + i) + " " + std::to_string(5 + (i + 1) % 5) + " 100 Gbps 1 us\n";
  std::ofstream(folder / "ring.graph") << graph;
  listing({folder / "ring.graph", "--svg", folder / "a.svg"});
  const std::string picture = read_file(folder / "a.svg");
  int bows = 0;
  for (auto at = picture.find("<path d=\"M"); at != std::string::npos; at = picture.find("<path d=\"M", at + 1)) {
    double x1 = 0, y1 = 0, cx = 0, cy = 0, x2 = 0, y2 = 0;
    ASSERT_EQ(std::sscanf(picture.c_str() + at + 9, "M%lf %lfQ%lf %lf %lf %lf", &x1, &y1, &cx, &cy, &x2, &y2), 6);
    const double top = (y1 + 2 * cy + y2) / 4;  // of the curve
    EXPECT_GT(top, 34) << "the title's letters end at 28";
    bows += y1 == y2 && cy < y1 ? 1 : 0;
  }
  EXPECT_EQ(bows, 1) << "neighbours are joined by straight lines";
}

// Nodes are elided, links and nodes are not forgotten.
TEST(ListTopology, DrawsLargeNetworksSmall) {
  const Folder folder("weir-list-topology-large");
  const std::string svg = folder / "a.svg";
  std::ofstream(folder / "a.toml") << "[topology]\nkind = \"fat-tree\"\nk = 16\n[algorithm]\nname = \"hpcc\"\n"
                                      "[[traffic]]\nkind = \"permutation\"\nsize = \"1 KB\"\n";
  listing({folder / "a.toml", "--svg", svg});
  const std::string picture = read_file(svg);
  EXPECT_LT(picture.size(), 200'000u);
  EXPECT_NE(picture.find("... 112 more ..."), std::string::npos);  // of 128 edge switches
  EXPECT_NE(picture.find("<title>nodes 1032-1143</title>"), std::string::npos);
  EXPECT_NE(picture.find(">0-7</text>"), std::string::npos);
  EXPECT_NE(picture.find(">dashed: several nodes as one box, and their links</text>"), std::string::npos);
  const auto legend = picture.rfind("<line ");
  EXPECT_NE(picture.substr(legend).find("stroke-dasharray"), std::string::npos) << "it looks like what it tells of";
  EXPECT_NE(picture.find(">1016-1023</text>"), std::string::npos);
}

}  // namespace
}  // namespace weir::app
