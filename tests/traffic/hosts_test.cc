#include "weir/traffic/hosts.h"

#include <algorithm>

#include "tests/traffic/helpers.h"

namespace weir::traffic::hosts_test {
namespace {

using Hosts = std::vector<std::uint32_t>;

TEST(Hosts, ReadsAllRangesAndLists) {
  const auto context = uniform_hosts(6);
  const std::pair<const char*, Hosts> cases[] = {
      {"all", {0, 1, 2, 3, 4, 5}}, {"3", {3}},
      {"0-2", {0, 1, 2}},          {"5,0-1,3", {5, 0, 1, 3}},
      {" 1 - 2 , 4 ", {1, 2, 4}},  {"2-2", {2}},
      {"0-5", {0, 1, 2, 3, 4, 5}}, {"0-5:2", {0, 2, 4}},
      {"1-4 : 3,0", {1, 4, 0}},    {"3-5:99999999999", {3}},
  };
  for (const auto& [text, hosts] : cases) EXPECT_EQ(parse_hosts(text, "hosts", context), hosts) << text;
}

TEST(Hosts, RefusesWhatIsNotAList) {
  const auto context = uniform_hosts(320);
  const std::string form = " is not a host or a range; write \"all\", \"0-15\", \"0-255:32\" or \"0-3,8\"";
  const std::pair<const char*, std::string> cases[] = {
      {"", "hosts: '': ''" + form},
      {"none", "hosts: 'none': 'none'" + form},
      {"3-1", "hosts: '3-1': '3-1'" + form},
      {"-3", "hosts: '-3': '-3'" + form},
      {"0-3-5", "hosts: '0-3-5': '0-3-5'" + form},
      {"0-5:0", "hosts: '0-5:0': '0-5:0'" + form},
      {"5:2", "hosts: '5:2': '5:2'" + form},
      {"0-319:1:1", "hosts: '0-319:1:1': '0-319:1:1'" + form},
      {"1,", "hosts: '1,': ''" + form},
      {"1,x", "hosts: '1,x': 'x'" + form},
      {"99999999999999999999", "hosts: '99999999999999999999': '99999999999999999999'" + form},
      {"0-400", "hosts: '0-400': host 400 does not exist: hosts are 0 to 319"},
      {"320", "hosts: '320': host 320 does not exist: hosts are 0 to 319"},
      {"4294967296", "hosts: '4294967296': host 4294967296 does not exist: hosts are 0 to 319"},
      {"0-3,2", "hosts: '0-3,2': host 2 is listed twice"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of([&] { parse_hosts(c.first, "hosts", context); }), c.second) << c.first;
}

TEST(Hosts, ReadsOneHost) {
  const auto context = uniform_hosts(320);
  EXPECT_EQ(parse_host("last", "receiver", context), 319u);
  EXPECT_EQ(parse_host("7", "receiver", context), 7u);
  EXPECT_EQ(error_of([&] { parse_host("320", "receiver", context); }),
            "receiver: '320': host 320 does not exist: hosts are 0 to 319");
  EXPECT_EQ(error_of([&] { parse_host("first", "receiver", context); }),
            "receiver: 'first' is not a host; write its number or \"last\"");
  EXPECT_EQ(error_of([&] { parse_host("0", "receiver", uniform_hosts(0)); }),
            "receiver: '0': host 0 does not exist: there are no hosts");
}

// Jobs at other places of one order have other hosts, and servers stay together.
TEST(Hosts, JobsShareAnOrder) {
  const auto first = uniform_hosts(16, 7, 0);
  const auto second = uniform_hosts(16, 7, 1);
  EXPECT_EQ(hosts_of_job("all", "4-7,0", Placement::in_order, 1, first), (Hosts{4, 5, 6, 7, 0}));
  EXPECT_EQ(hosts_of_job("1-15:2", "0-2", Placement::in_order, 1, first), (Hosts{1, 3, 5}));
  for (const std::uint32_t group : {1u, 4u}) {
    const Hosts a = hosts_of_job("all", "0-7", Placement::random, group, first);
    Hosts b = hosts_of_job("all", "8-15", Placement::random, group, second);
    EXPECT_EQ(hosts_of_job("all", "0-7", Placement::random, group, second), a) << "whichever source asks";
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i] / group, a[i - i % group] / group);
    b.insert(b.end(), a.begin(), a.end());
    std::sort(b.begin(), b.end());
    EXPECT_EQ(b, parse_hosts("all", "hosts", first)) << "each host is of one job";
  }
  EXPECT_NE(hosts_of_job("all", "0-15", Placement::random, 1, uniform_hosts(16, 8)),
            hosts_of_job("all", "0-15", Placement::random, 1, first));
  EXPECT_EQ(hosts_of_job("all", "all", Placement::random, 1, second),
            place(parse_hosts("all", "hosts", second), Placement::random, 1, second));
  EXPECT_EQ(error_of([&] { hosts_of_job("0-7", "8", Placement::in_order, 1, first); }),
            "places: '8': place 8 does not exist: places are 0 to 7");
}

}  // namespace
}  // namespace weir::traffic::hosts_test
