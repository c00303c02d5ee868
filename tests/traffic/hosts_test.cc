#include "weir/traffic/hosts.h"

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

}  // namespace
}  // namespace weir::traffic::hosts_test
