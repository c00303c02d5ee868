#include "weir/traffic/goal.h"

#include <numeric>

#include "tests/traffic/helpers.h"

namespace weir::traffic::goal_test {
namespace {

using namespace literals;

Program parse(std::string_view text, Time unit = 1_ns, std::uint32_t hosts = 4) {
  std::vector<std::uint32_t> host_of(hosts);
  std::iota(host_of.begin(), host_of.end(), 0u);
  return parse_goal(text, "x.goal", unit, host_of, {1, 2});
}
std::string parse_error(std::string_view text) {
  return error_of([&] { parse(text); });
}
std::vector<std::uint32_t> list(std::span<const std::uint32_t> nodes) { return {nodes.begin(), nodes.end()}; }

constexpr std::string_view kPingPong = R"(num_ranks 2
/* there
   and back */
rank 0 {
  l1: calc 1000 cpu 0   // nanoseconds
  l2: send 65536b to 1 tag 7 cpu 0 nic 0
  l3: recv 8b from 1 tag 8
  l2 requires l1
}
rank 1 {
  a: recv 65536b from 0 tag 7
  b: send 8b to 0 tag 8; b requires a
}
)";

// What is read and has no effect is counted.
TEST(Goal, TellsOfCpusAndNics) {
  const auto told = [](std::string_view text) {
    std::vector<std::string> out;
    parse_goal(text, "x.goal", 1_ns, {0, 1}, {}, [&](const std::string& notice) { out.push_back(notice); });
    return out;
  };
  const std::string cpus =
      "x.goal: 2 of 5 operations name a cpu, which has no effect: computations of a rank go on at the same time unless "
      "one requires the other";
  EXPECT_EQ(told(kPingPong), std::vector<std::string>{cpus});
  EXPECT_EQ(
      told("num_ranks 2\nrank 0 {\nsend 8b to 1 nic 0\nsend 8b to 1 tag 2 nic 1\n}\nrank 1 {\nrecv 8b from 0\nrecv "
           "8b from 0 tag 2\n}\n"),
      std::vector<std::string>{"x.goal: 2 of 4 operations name a nic, up to 1, which has no effect: a rank has "
                               "one NIC, that of its host"});
  EXPECT_EQ(told("num_ranks 2\nrank 0 {\nsend 8b to 1 nic 0\n}\nrank 1 {\nrecv 8b from 0\n}\n"),
            std::vector<std::string>{});
}

TEST(Goal, ReadsASchedule) {
  const Program p = parse(kPingPong);
  ASSERT_EQ(p.size(), 5u);
  EXPECT_FALSE(p[0].is_message());
  EXPECT_EQ(p[0].delay, 1_us);
  EXPECT_EQ(p[1].size, 65536_B);
  EXPECT_EQ(p[1].src, 0u);
  EXPECT_EQ(p[1].dst, 1u);
  EXPECT_EQ(p[1].tag, 1);
  EXPECT_EQ(p[1].profile, 2);
  EXPECT_FALSE(p[2].is_message());
  EXPECT_EQ(list(p.then(0, Event::sent)), std::vector<std::uint32_t>{1});
  EXPECT_EQ(list(p.then(1, Event::received)), std::vector<std::uint32_t>{3});
  EXPECT_EQ(list(p.then(3, Event::sent)), std::vector<std::uint32_t>{4});
  EXPECT_EQ(list(p.then(4, Event::received)), std::vector<std::uint32_t>{2});
  EXPECT_EQ(parse(kPingPong, 1_us)[0].delay, 1000_us);
}

TEST(Goal, SendsAndRecvsMeetInOrderByRanksAndTag) {
  const Program p = parse(R"(num_ranks 2
rank 0 { send 1b to 1 tag 5 send 2b to 1 send 3b to 1 tag 5 }
rank 1 { recv 2b from 0 recv 1b from 0 tag 5 recv 3b from 0 tag 5 }
)");
  ASSERT_EQ(p.size(), 6u);
  EXPECT_EQ(list(p.then(0, Event::received)), std::vector<std::uint32_t>{4});
  EXPECT_EQ(list(p.then(1, Event::received)), std::vector<std::uint32_t>{3});
  EXPECT_EQ(list(p.then(2, Event::received)), std::vector<std::uint32_t>{5});
}

// What waits for the begin of a recv does not wait for its message.
TEST(Goal, IrequiresWaitsForTheBegin) {
  const Program p = parse(R"(num_ranks 2
rank 0 {
  c: calc 10
  r: recv 1b from 1
  s: send 1b to 1
  d: calc 5
  r requires c
  s irequires r
  d irequires c
}
rank 1 { send 1b to 0  recv 1b from 0 }
)");
  // c, r, its posting, s, d, send, recv
  ASSERT_EQ(p.size(), 7u);
  EXPECT_EQ(list(p.then(0, Event::sent)), std::vector<std::uint32_t>{2});
  EXPECT_EQ(list(p.then(0, Event::started)), std::vector<std::uint32_t>{4});
  EXPECT_EQ(list(p.then(2, Event::started)), std::vector<std::uint32_t>{3});
  EXPECT_EQ(list(p.then(2, Event::received)), std::vector<std::uint32_t>{1});
  EXPECT_EQ(p.waits(1), 2u);
  EXPECT_EQ(p.waits(3), 1u);
}

TEST(Goal, SaysWhatIsWrong) {
  EXPECT_EQ(parse_error("rank 0 {}"), "x.goal:1: 'num_ranks' is needed at the beginning, not 'rank'");
  EXPECT_EQ(parse_error("num_ranks 5"), "x.goal:1: num_ranks 5, but there are 4 hosts");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 2 {\n}"), "x.goal:2: there is no rank 2: ranks are 0 to 1");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}"), "x.goal:4: rank 0 a second time; line 2 has it");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nl1: calc 5\n"), "x.goal:4: rank 0 does not end; write }");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nl1: calc 5\nl1: calc 6\n}"),
            "x.goal:4: label 'l1' a second time; line 3 has it");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nl1: calc 5\nl1 requires l2\n}"), "x.goal:4: rank 0 has no label 'l2'");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nl1: calc 5\nl1 requires l1\n}"), "x.goal:4: 'l1' waits for itself");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nl1: calc 5\nl1 needs l1\n}"),
            "x.goal:4: ':', requires or irequires is needed after 'l1', not 'needs'");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nl1: put 5b to 1\n}"),
            "x.goal:3: unknown operation 'put'; valid is calc, send, recv");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nsend 5b from 1\n}"),
            "x.goal:3: 'to' is needed after the size, not 'from'");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nsend 5b to 0\n}"),
            "x.goal:3: rank 0 and itself; a message needs two ranks");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nrecv 5b from -1\n}"),
            "x.goal:3: a recv from any rank, -1, is not possible; write the rank that sends");
  EXPECT_EQ(
      parse_error("num_ranks 2\nrank 0 {\nrecv 5b from 1 tag -1\n}\nrank 1 {\nsend 5b to 0 tag 3\n}"),
      "x.goal:3: this recv has no send: rank 1 sends 0 to 0 with the tag -1, and a recv of any tag is not possible");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nsend 5b to 1 tag 3\n}"),
            "x.goal:3: this send has no recv: rank 1 receives 0 from 0 with the tag 3");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nrecv 5b from 1\n}"),
            "x.goal:3: this recv has no send: rank 1 sends 0 to 0 with the tag 0");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\nsend 5b to 1\n}\nrank 1 {\nrecv 6b from 0\n}"),
            "x.goal:6: recv of 6 bytes, but the send of line 3 has 5");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}"),
            "x.goal:3: the operation of line 3 waits for itself, by way of the operation of line 4");
  EXPECT_EQ(parse_error("num_ranks 2\nrank 0 { calc 9223372036854775807 }"),
            "x.goal:2: calc 9223372036854775807 is longer than 1000000 s");
  EXPECT_EQ(parse_error("num_ranks 2 /* rank"), "x.goal:1: a comment that does not end; write */");
}

}  // namespace
}  // namespace weir::traffic::goal_test
