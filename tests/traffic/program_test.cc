#include "weir/traffic/program.h"

#include <algorithm>

#include "tests/traffic/helpers.h"
#include "weir/traffic/flow_list.h"
#include "weir/traffic/program_file.h"
#include "weir/traffic/traffic.h"

namespace weir::traffic::program_test {
namespace {

using namespace literals;

std::vector<std::uint32_t> list(std::span<const std::uint32_t> nodes) { return {nodes.begin(), nodes.end()}; }

Program parse(std::string_view text, std::uint32_t hosts = 4) {
  Context context = uniform_hosts(hosts);
  context.labels = {3, 2};
  context.tag_of = [](const std::string& name, const Where&) { return static_cast<std::uint16_t>(name.size()); };
  return parse_program(text, "x.csv", context);
}
std::string parse_error(std::string_view text) {
  return error_of([&] { parse(text); });
}

TEST(Program, TellsWhoWaitsForWhat) {
  using E = Program::Edge;
  const std::vector<E> edges{{0, Event::received, 2}, {0, Event::started, 1}, {1, Event::received, 2}};
  const Program p(std::vector<Program::Node>(3), edges, 5);
  EXPECT_EQ(p.waits(0), 0u);
  EXPECT_EQ(p.waits(1), 1u);
  EXPECT_EQ(p.waits(2), 2u);
  EXPECT_EQ(list(p.then(0, Event::started)), std::vector<std::uint32_t>{1});
  EXPECT_TRUE(p.then(0, Event::sent).empty());
  EXPECT_EQ(list(p.then(0, Event::received)), std::vector<std::uint32_t>{2});
  EXPECT_EQ(list(p.then(1, Event::received)), std::vector<std::uint32_t>{2});
  EXPECT_EQ(p.in_order(), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_TRUE(p.cycle().empty());
  EXPECT_EQ(p.parts()[0].tag, 5);
}

TEST(Program, FindsACycle) {
  using E = Program::Edge;
  const std::vector<E> edges{
      {0, Event::sent, 1}, {1, Event::sent, 2}, {2, Event::sent, 3}, {3, Event::sent, 1}, {3, Event::sent, 4}};
  const Program p(std::vector<Program::Node>(5), edges, 0);
  EXPECT_EQ(p.in_order(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(p.cycle(), (std::vector<std::uint32_t>{1, 3, 2}));
}

// A receiver that goes on by itself waits for nothing elsewhere, as in a ring; a sender that waits for it does.
TEST(Program, TellsWhetherNodesWaitForOtherHosts) {
  std::vector<Program::Node> nodes(2);
  nodes[0] = {.src = 0, .dst = 1};
  nodes[1] = {.src = 1, .dst = 2};
  const auto waits = [&](Event event) {
    return Program(nodes, std::vector<Program::Edge>{{0, event, 1}}, 0).waits_across_hosts();
  };
  EXPECT_FALSE(waits(Event::received));
  EXPECT_TRUE(waits(Event::sent));
  EXPECT_TRUE(waits(Event::started));
  nodes[1].src = 0;
  EXPECT_TRUE(waits(Event::received));
  EXPECT_FALSE(waits(Event::sent));
  EXPECT_FALSE(Program(nodes, {}, 0).waits_across_hosts());
}

TEST(Program, SeveralAreOne) {
  const std::vector<Program::Edge> edges{{0, Event::received, 1}};
  Program p(std::vector<Program::Node>(2), edges, 1);
  p.append(Program(std::vector<Program::Node>(2), edges, 2));
  ASSERT_EQ(p.size(), 4u);
  EXPECT_EQ(list(p.then(0, Event::received)), std::vector<std::uint32_t>{1});
  EXPECT_EQ(list(p.then(2, Event::received)), std::vector<std::uint32_t>{3});
  EXPECT_EQ(p.waits(3), 1u);
  ASSERT_EQ(p.parts().size(), 2u);
  EXPECT_EQ(p.parts()[1].first, 2u);
  EXPECT_EQ(p.parts()[1].end, 4u);
  EXPECT_EQ(p.parts()[1].tag, 2);
}

TEST(Program, MessagesBetweenTwoHostsShareTheirPorts) {
  const auto message = [](std::uint32_t src, std::uint32_t dst) {
    return Program::Node{.src = src, .dst = dst, .size = 1_KB};
  };
  Traffic traffic(3);
  traffic.add(Program({message(0, 1), message(0, 2), message(0, 1), message(1, 0)}, {}, 0));
  const Program& p = traffic.program();
  EXPECT_EQ(p[0].sport, kFirstSourcePort);
  EXPECT_EQ(p[1].sport, kFirstSourcePort + 1);
  EXPECT_EQ(p[2].sport, kFirstSourcePort);
  EXPECT_EQ(p[3].sport, kFirstSourcePort);
  EXPECT_EQ(p[3].dport, kDestinationPort);
  Flow flow{.src = 0, .dst = 1, .size = 1_KB};
  traffic.add(std::make_unique<FlowList>(std::vector<Flow>{flow}), std::nullopt);
  const auto next = traffic.next();
  EXPECT_EQ(next->id, 4u);
  EXPECT_EQ(next->sport, kFirstSourcePort + 2);
}

TEST(ProgramFile, ReadsMessagesAndComputations) {
  const Program p = parse(
      "id,src,dst,size_bytes,delay,after,tag\n"
      "10,0,1,5000,,,\n"
      "20,1,,,1.5 us,10,four\n"
      "5,1,2,7,0,20.sent; 10.started;30.received,\n"
      "30,3,1,1,2 ns,,\n");
  ASSERT_EQ(p.size(), 4u);
  EXPECT_EQ(p[0].size, 5000_B);
  EXPECT_TRUE(p[0].is_message());
  EXPECT_FALSE(p[1].is_message());
  EXPECT_EQ(p[1].src, 1u);
  EXPECT_EQ(p[1].delay, Time{1'500'000});
  EXPECT_EQ(p[1].tag, 4);
  EXPECT_EQ(p[2].tag, 3);
  EXPECT_EQ(p[2].profile, 2);
  EXPECT_EQ(p[3].delay, 2_ns);
  EXPECT_EQ(list(p.then(0, Event::received)), std::vector<std::uint32_t>{1});
  EXPECT_EQ(list(p.then(0, Event::started)), std::vector<std::uint32_t>{2});
  EXPECT_EQ(list(p.then(1, Event::sent)), std::vector<std::uint32_t>{2});
  EXPECT_EQ(list(p.then(3, Event::received)), std::vector<std::uint32_t>{2});
  EXPECT_EQ(p.parts()[0].tag, 3);
}

TEST(ProgramFile, SaysWhatIsWrong) {
  const std::string head = "id,src,dst,size_bytes,delay,after\n";
  EXPECT_EQ(parse_error(""), "x.csv: empty; the first line names the columns, needed are id, src, dst and size_bytes");
  EXPECT_EQ(parse_error("id,src,dst\n"),
            "x.csv:1: column 'size_bytes' is missing; needed are id, src, dst and size_bytes");
  EXPECT_EQ(parse_error("id,src,dst,size_bytes,aftr\n"),
            "x.csv:1: unknown column 'aftr' (did you mean 'after'?); valid is id, src, dst, size_bytes, delay, after, "
            "tag, algorithm, profile");
  EXPECT_EQ(parse_error(head + "1,0,1,10,,\n2,0,1,10,,7\n"), "x.csv:3: after: there is no row with the id 7");
  EXPECT_EQ(parse_error(head + "1,0,1,10,,1.sent\n"), "x.csv:2: id 1 waits for itself");
  EXPECT_EQ(parse_error(head + "1,0,1,10,,3\n2,1,2,10,,1\n3,2,0,10,,2\n"),
            "x.csv:2: id 1 waits for itself, by way of id 3, id 2");
  EXPECT_EQ(parse_error(head + "1,0,1,10,,\n1,0,1,10,,\n"), "x.csv:3: id 1 a second time; line 2 has it already");
  EXPECT_EQ(parse_error(head + "1,0,4,10,,\n"), "x.csv:2: host 4 does not exist: hosts are 0 to 3");
  EXPECT_EQ(parse_error(head + "1,2,2,10,,\n"), "x.csv:2: message of host 2 to itself");
  EXPECT_EQ(parse_error(head + "1,2,,10,,\n"), "x.csv:2: message of 10 bytes without dst");
  EXPECT_EQ(parse_error(head + "1,2,3,0,,\n"),
            "x.csv:2: message of 0 bytes; write at least 1, or leave dst empty for a computation");
  EXPECT_EQ(parse_error(head + "1,2,3,9,5,\n"),
            "x.csv:2: delay = '5' is not valid; write a time such as '1.5 us', from 0 to 1000000 s");
  EXPECT_EQ(parse_error(head + "1,2,3,9,,1.recieved\n"),
            "x.csv:2: after: unknown event 'recieved' (did you mean 'received'?); valid is started, sent, received");
  EXPECT_EQ(parse_error(head + "1,2,3,9,,a\n"),
            "x.csv:2: after = 'a' is not valid; write a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(parse_error(head + "1,2,,,1000000 s,\n2,2,,,1 ps,1\n"),
            "x.csv:3: the delays so far add up to more than 1000000 s");
}

}  // namespace
}  // namespace weir::traffic::program_test
