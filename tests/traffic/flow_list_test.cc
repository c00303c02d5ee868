#include "weir/traffic/flow_list.h"

#include <fstream>
#include <map>

#include "tests/traffic/helpers.h"

namespace weir::traffic::flow_list_test {
namespace {

using namespace literals;

FlowTable parse(const std::string& text, std::uint32_t hosts = 320) { return parse_flow_list(text, "f.csv", hosts); }

TEST(FlowList, ReadsItsColumnsInAnyOrder) {
  const auto table = parse(
      "start_ps,dst,src,size_bytes,dport,sport\r\n"
      "7,1,0,1000,4791,10001\r\n"
      "8,319,318,1,,\r\n");
  ASSERT_EQ(table.flows.size(), 2u);
  const auto& f = table.flows[0];
  EXPECT_EQ(f.start, 7_ps);
  EXPECT_EQ(f.src, 0u);
  EXPECT_EQ(f.dst, 1u);
  EXPECT_EQ(f.size, 1000_B);
  EXPECT_EQ(f.sport, 10001);
  EXPECT_EQ(f.dport, 4791);
  EXPECT_EQ(table.flows[1].sport, 0);
  EXPECT_EQ(table.flows[1].dport, 0);
}

TEST(FlowList, ReadsStartsInThreeUnits) {
  EXPECT_EQ(parse("src,dst,size_bytes,start_ps\n0,1,1,1500\n").flows[0].start, 1500_ps);
  EXPECT_EQ(parse("src,dst,size_bytes,start_ns\n0,1,1,1.5\n").flows[0].start, 1500_ps);
  EXPECT_EQ(parse("src,dst,size_bytes,start_us\n0,1,1,0.0015\n").flows[0].start, 1500_ps);
  EXPECT_EQ(parse("src,dst,size_bytes,start_us\n0,1,1,0\n").flows[0].start, 0_ps);
  EXPECT_EQ(parse("src,dst,size_bytes,start_ps\n0,1,1,9223372036854775807\n").flows[0].start, Time::max());
}

TEST(FlowList, IgnoresTheColumnsOfResults) {
  // the format of the reference runs of the HPCC artifact
  const auto table = parse(
      "flow_id,src,dst,sport,size_bytes,start_ns,actual_start_ns,fct_ns,standalone_fct_ns\n"
      "0,0,4,10000,20000000,0,0,5161389,1680960\n"
      "2,2,4,10000,10000000,600000,599999,3254735,842560\n");
  ASSERT_EQ(table.flows.size(), 2u);
  EXPECT_EQ(table.flows[1].start, 600_us);
  EXPECT_EQ(table.flows[1].size, 10_MB);
}

TEST(FlowList, KeepsTagsAndAlgorithmsByName) {
  const auto table = parse(
      "src,dst,size_bytes,start_ns,tag,algorithm\n"
      "0,1,1,0,\"mice, small\",hpcc\n"
      "0,1,1,0,,dcqcn\n"
      "0,1,1,0,\"mice, small\",\n");
  ASSERT_EQ(table.tags.size(), 2u);
  EXPECT_EQ(table.tags[1].text, "mice, small");
  EXPECT_EQ(table.tags[1].where.text(), "f.csv:2");
  ASSERT_EQ(table.algorithms.size(), 3u);
  EXPECT_EQ(table.algorithms[2].text, "dcqcn");
  EXPECT_EQ(table.algorithms[2].where.text(), "f.csv:3");
  EXPECT_EQ(table.flows[0].tag, 1);
  EXPECT_EQ(table.flows[1].tag, 0);
  EXPECT_EQ(table.flows[2].profile, 0);
}

// From which the number of flows in all is estimated where not all are drawn.
TEST(FlowList, KnowsItsEnd) {
  EXPECT_EQ(FlowList(std::vector<Flow>{}).end(), Time{});
  FlowList flows(
      {Flow{.start = Time{9}, .dst = 1, .size = Bytes{1}}, Flow{.start = Time{4}, .dst = 1, .size = Bytes{1}}});
  EXPECT_EQ(flows.end(), Time{10});
  while (flows.next()) {
  }
  EXPECT_EQ(flows.end(), Time{10});
}

TEST(FlowList, RefusesBadText) {
  const std::string needed = "needed are src, dst, size_bytes and one of start_ps, start_ns, start_us";
  const std::string columns =
      "valid is src, dst, size_bytes, start_ps, start_ns, start_us, tag, algorithm, profile, sport, dport, flow_id, ";
  const std::string head = "src,dst,size_bytes,start_ns,sport\n";
  const std::pair<std::string, std::string> cases[] = {
      {"", "f.csv: empty; the first line names the columns, " + needed},
      {"\n\n", "f.csv: empty; the first line names the columns, " + needed},
      {"src,dst,start_ns\n", "f.csv:1: column 'size_bytes' is missing; " + needed},
      {"src,dst,size_bytes\n", "f.csv:1: column 'start_ps' is missing; " + needed},
      {"src,dst,size_bytes,start_ns,src\n", "f.csv:1: column 'src' is there twice"},
      {"src,dst,size_bytes,start_ns,start_ps\n", "f.csv:1: columns 'start_ns' and 'start_ps' say the same; keep one"},
      {head + "0,1,1000\n", "f.csv:2: 3 fields, but the header has 5"},
      {head + "0,1,1000,0,,\n", "f.csv:2: 6 fields, but the header has 5"},
      {head + "400,1,1000,0,\n", "f.csv:2: host 400 does not exist: hosts are 0 to 319"},
      {head + "\n0,320,1000,0,\n", "f.csv:3: host 320 does not exist: hosts are 0 to 319"},
      {head + "7,7,1000,0,\n", "f.csv:2: flow of host 7 to itself"},
      {head + "-1,7,1000,0,\n", "f.csv:2: src = '-1' is not valid; write a whole number from 0 to 4294967295"},
      {head + "1,x,1000,0,\n", "f.csv:2: dst = 'x' is not valid; write a whole number from 0 to 4294967295"},
      {head + "1,,1000,0,\n", "f.csv:2: dst = '' is not valid; write a whole number from 0 to 4294967295"},
      {head + "1,2,0,0,\n", "f.csv:2: size_bytes = '0' is not valid; write a whole number from 1 to 1000000000000000"},
      {head + "1,2,1e3,0,\n",
       "f.csv:2: size_bytes = '1e3' is not valid; write a whole number from 1 to 1000000000000000"},
      {head + "1,2,10,-5,\n",
       "f.csv:2: start_ns = '-5' is not valid; write a number of ns, at least 0 and a whole number of ps"},
      {head + "1,2,10,0.0005,\n",
       "f.csv:2: start_ns = '0.0005' is not valid; write a number of ns, at least 0 and a whole number of ps"},
      {head + "1,2,10,5 us,\n",
       "f.csv:2: start_ns = '5 us' is not valid; write a number of ns, at least 0 and a whole number of ps"},
      {head + "1,2,10,9223372036854775807,\n",
       "f.csv:2: start_ns = '9223372036854775807' is not valid; write a number "
       "of ns, at least 0 and a whole number of ps"},
      {head + "1,2,10,0,0\n", "f.csv:2: sport = '0' is not valid; write a whole number from 1 to 65535"},
      {head + "1,2,10,0,65536\n", "f.csv:2: sport = '65536' is not valid; write a whole number from 1 to 65535"},
      {head + "1,2,10,0,\"1\n", "f.csv:2: a quoted field is not closed; end it with '\"'"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of([&] { parse(c.first); }), c.second) << c.first;

  const auto unknown = error_of([&] { parse("src,dst,size,start_ns\n"); });
  EXPECT_TRUE(unknown.starts_with("f.csv:1: unknown column 'size' (did you mean 'size_bytes'?); " + columns))
      << unknown;
  const auto start = error_of([&] { parse("src,dst,size_bytes,start_s\n"); });
  EXPECT_TRUE(
      start.starts_with("f.csv:1: unknown column 'start_s' (did you mean 'start_us', or 'start_ns' or "
                        "'start_ps'? the unit of the times is part of the name); " +
                        columns))
      << start;
  const auto near = error_of([&] { parse("src,dst,size_byte,start_ns\n"); });
  EXPECT_TRUE(near.starts_with("f.csv:1: unknown column 'size_byte' (did you mean 'size_bytes'?); " + columns)) << near;
}

TEST(FlowList, SortsStablyByStart) {
  std::vector<Flow> flows(4);
  for (std::uint32_t i = 0; i < 4; ++i) flows[i].src = i;
  flows[0].start = 9_ns;
  flows[1].start = 5_ns;
  flows[2].start = 9_ns;
  flows[3].start = 5_ns;
  FlowList list(flows);
  std::vector<std::uint32_t> order;
  for (const auto& flow : drain(list)) order.push_back(flow.src);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 3, 0, 2}));
}

// flows.csv is in order of completion.
TEST(FlowList, RunsTheFlowsOfARunAgainInTheirOrder) {
  const auto table = parse(
      "flow_id,src,dst,size_bytes,start_ps,finish_ps,fct_ps,ideal_fct_ps,slowdown,algorithm,tag,retransmitted_packets\n"
      "2,0,3,9,0,50,50,25,2,hpcc,incast,0\n"
      "0,0,1,9,0,60,60,25,2.4,hpcc,incast,0\n"
      "1,0,2,9,0,,,25,,hpcc,incast,0\n");
  FlowList list(table.flows);
  std::vector<std::uint32_t> order;
  for (const auto& flow : drain(list)) order.push_back(flow.dst);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(FlowList, ChecksInlineFlows) {
  Flow flow;
  flow.src = 1;
  flow.dst = 2;
  flow.size = 1_B;
  const Where where{"s.toml", 12};
  EXPECT_NO_THROW(check_flow(flow, 3, where));
  EXPECT_EQ(error_of([&] { check_flow(flow, 2, where); }), "s.toml:12: host 2 does not exist: hosts are 0 to 1");
  flow.size = {};
  EXPECT_EQ(error_of([&] { check_flow(flow, 3, where); }),
            "s.toml:12: flow of 0 bytes; valid is 1 to 1000000000000000");
  flow.size = 1_B;
  flow.start = {-1};
  EXPECT_EQ(error_of([&] { check_flow(flow, 3, where); }), "s.toml:12: flow that starts at -1 ps; valid is at least 0");
  flow.dst = 1;
  EXPECT_EQ(error_of([&] { check_flow(flow, 3, where); }), "s.toml:12: flow of host 1 to itself");
}

// A file in the test's temporary folder.
std::string write_file(const std::string& name, const std::string& text) {
  std::ofstream(testing::TempDir() + name) << text;
  return name;
}

TEST(FlowList, ReadsAFileAndTurnsNamesIntoIndices) {
  auto context = uniform_hosts(4);
  context.folder = testing::TempDir();
  context.labels = {3, 4};
  const std::map<std::string, std::uint16_t> profiles{{"hpcc", 7}};
  context.tag_of = [](const std::string& name, const Where&) { return static_cast<std::uint16_t>(name.size()); };
  context.profile_of = [&](const std::string& name, const Where& where) {
    if (!profiles.contains(name)) throw InputError(where, "unknown algorithm '" + name + "'");
    return profiles.at(name);
  };
  FlowList list(
      {write_file("weir_flows.csv", "src,dst,size_bytes,start_us,tag,profile\n0,1,5,2,elephants,hpcc\n1,2,5,1,,\n")},
      context);
  const auto flows = drain(list);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].src, 1u);
  EXPECT_EQ(flows[0].tag, 3);
  EXPECT_EQ(flows[0].profile, 4);
  EXPECT_EQ(flows[1].tag, 9);
  EXPECT_EQ(flows[1].profile, 7);

  const auto path = testing::TempDir() + "weir_flows.csv";
  write_file("weir_flows.csv", "src,dst,size_bytes,start_us,algorithm\n0,1,5,2,hpc\n");
  EXPECT_EQ(error_of([&] { FlowList({"weir_flows.csv"}, context); }), path + ":2: unknown algorithm 'hpc'");
  context.profile_of = {};
  EXPECT_EQ(error_of([&] { FlowList({"weir_flows.csv"}, context); }),
            path + ":2: column 'algorithm' cannot be used here; remove it");
  std::remove(path.c_str());
  EXPECT_EQ(error_of([&] { FlowList({"weir_flows.csv"}, context); }),
            "file: " + path + ": cannot be read (No such file or directory); it should be a CSV file of flows");
  EXPECT_EQ(error_of([&] { FlowList(FlowList::Params{}, context); }), "file: missing; name a CSV file of flows");
}

}  // namespace
}  // namespace weir::traffic::flow_list_test
