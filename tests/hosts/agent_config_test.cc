#include "hosts/agent/config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "hosts/agent/daemon.h"
#include "tests/hosts/support_scratch.h"

namespace weir::hosts {
namespace {

constexpr const char* kWhole = R"(
interface = ["eth0", "eth1.7"]
mode = "bpf"
T = "150 us"
headroom = "20 us"
key_file = "key"
segment = "4 KB"
rate = "10 Gbps"

[[peer]]
address = "10.0.0.2"
[[peer]]
address = "fd00::2"
local = "fd00::1"
T = "auto"
hold = false

[hold]
at_most = "5 ms"
many = "50 ms"
live_for = "300 ms"
[rule]
kind = "strawman"
gain = 0.125
initial_beta = 0.5
max_pause = "2 ms"
[or_ack]
packets = 10
bytes = "0 B"
gap = "50 us"
per_second = 1000
port = 7000
[clock]
max_error = "5 us"
stale_after = "1 s"
port = 7001
reference = "FD00::2"
refclock = "/run/chrony.weir.sock"
[keys]
lifetime = "60 s"
[metrics]
listen = "[::1]:9000"
[control]
group = "adm"
[test]
clock_offset = 1000000
clock_drift = -3000
)";

TEST(Config, AllKeysAreRead) {
  const Config c = parse_config(kWhole, "host.toml");
  EXPECT_EQ(c.interfaces, (std::vector<std::string>{"eth0", "eth1.7"}));
  EXPECT_EQ(c.mode, Mode::bpf);
  EXPECT_EQ(c.threshold, 150'000);
  EXPECT_EQ(nanoseconds(c.headroom), 20'000);
  EXPECT_EQ(c.key_file, "key");
  EXPECT_EQ(c.segment, 4'000u);
  EXPECT_EQ(c.rate.bits_per_second, 10'000'000'000);
  ASSERT_EQ(c.peers.size(), 2u);
  EXPECT_EQ(to_text(c.peers[0].address), "10.0.0.2");
  EXPECT_FALSE(c.peers[0].threshold);
  EXPECT_TRUE(c.peers[0].hold);
  EXPECT_EQ(to_text(*c.peers[1].local), "fd00::1");
  ASSERT_TRUE(c.peers[1].threshold);
  EXPECT_FALSE(*c.peers[1].threshold);
  EXPECT_FALSE(c.peers[1].hold);
  EXPECT_EQ(nanoseconds(c.clock.max_error), 5'000);
  EXPECT_EQ(nanoseconds(c.keys.lifetime), 60'000'000'000);
  EXPECT_EQ(c.control.group, "adm");
  ASSERT_TRUE(c.steering);
  EXPECT_EQ(to_text(c.steering->reference), "fd00::2");
  EXPECT_EQ(c.steering->socket, "/run/chrony.weir.sock");

  const PathSettings p = path_settings(c, 4'000);
  EXPECT_TRUE(p.hold);
  EXPECT_EQ(p.max_hold, 5'000'000);
  EXPECT_EQ(p.many_hold, 50'000'000);
  EXPECT_EQ(p.live_for, 300'000'000);
  EXPECT_EQ(p.rule.gain, 1u << 21);
  EXPECT_EQ(p.rule.initial_beta, 1u << 23);
  EXPECT_TRUE(p.rule.strawman);
  EXPECT_EQ(p.rule.max_pause, 2'000'000);
  EXPECT_EQ(p.or_ack.packets, 10u);
  EXPECT_EQ(p.or_ack.bytes, 0u);
  EXPECT_EQ(p.or_ack.burst_gap, 50'000);
  EXPECT_EQ(p.segment_limit, 4'000u);
  EXPECT_EQ(p.test_clock_offset, 1'000'000);
  EXPECT_EQ(p.test_clock_drift, -3221);
}

TEST(Config, DefaultsAreThoseOfTheDataPath) {
  const Config c = parse_config("interface = 'eth0'", "host.toml");
  EXPECT_EQ(c.mode, Mode::observe);
  EXPECT_FALSE(c.threshold);
  EXPECT_FALSE(c.segment);
  EXPECT_FALSE(c.steering);
  const PathSettings p = path_settings(c, 0);
  const PathSettings d;
  EXPECT_EQ(p.interfaces, std::vector<std::string>{"eth0"});
  EXPECT_EQ(p.hold, d.hold);
  EXPECT_EQ(p.max_hold, d.max_hold);
  EXPECT_EQ(p.many_hold, d.many_hold);
  EXPECT_EQ(p.live_for, d.live_for);
  EXPECT_EQ(p.rule.gain, d.rule.gain);
  EXPECT_EQ(p.rule.initial_beta, d.rule.initial_beta);
  EXPECT_EQ(p.rule.max_pause, d.rule.max_pause);
  EXPECT_EQ(p.rule.strawman, d.rule.strawman);
  EXPECT_EQ(p.or_ack.bytes, d.or_ack.bytes);
  EXPECT_EQ(p.or_ack.packets, d.or_ack.packets);
  EXPECT_EQ(p.or_ack.burst_gap, d.or_ack.burst_gap);
  EXPECT_EQ(p.or_ack.per_second, d.or_ack.per_second);
  EXPECT_EQ(p.or_ack.port, d.or_ack.port);
}

TEST(Config, ObserveChangesNoSegments) {
  EXPECT_EQ(path_settings(parse_config("interface = 'eth0'", "f"), 4'000).segment_limit, 0u);
}

struct Case {
  const char* text;
  const char* message;  // the beginning
};

// File in, message out.
const Case kCases[] = {
    {"", "f.toml: key 'interface': missing; write the name of the network interface, such as \"eth0\", or a list"},
    {"interface = 5", "f.toml:1: key 'interface': it is a whole number; write text in quotes or a list of texts"},
    {"interface = []", "f.toml:1: key 'interface': it is empty"},
    {"interface = [1]", "f.toml:1: key 'interface': must be a list of texts"},
    {"interface = 'a/b'", "f.toml:1: key 'interface': 'a/b' cannot be the name of an interface"},
    {"interface = 'a-name-with-16-c'", "f.toml:1: key 'interface': 'a-name-with-16-c' cannot be"},
    {"interface = ['a', 'a']", "f.toml:1: key 'interface': 'a' twice"},
    {"interface = 'a'\nmod = 'bpf'", "f.toml:2: key 'mod': unknown key (did you mean 'mode'?); valid is mode, T, "},
    {"interface = 'a'\nmode = 'bfp'",
     "f.toml:2: key 'mode': unknown mode 'bfp' (did you mean 'bpf'?); valid is observe, bpf, queue"},
    {"interface = 'a'\nmode = 1.5", "f.toml:2: key 'mode': it is a number; write text in quotes"},
    {"interface = 'a'\nT = 'soon'",
     "f.toml:2: key 'T': 'soon' is no threshold; write \"auto\" or a time such as \"50 us\""},
    {"interface = 'a'\nT = '2 s'", "f.toml:2: key 'T': 2 s is out of range; valid is 1 us to 1 s, or \"auto\""},
    {"interface = 'a'\nheadroom = '50'", "f.toml:2: key 'headroom': "},
    {"interface = 'a'\nheadroom = '0 us'", "f.toml:2: key 'headroom': "},
    {"interface = 'a'\nkey_file = ''", "f.toml:2: key 'key_file': it is empty"},
    {"interface = 'a'\nsegment = 'big'",
     "f.toml:2: key 'segment': 'big' is no limit; write \"auto\", \"keep\" or a size such as \"4 KB\""},
    {"interface = 'a'\nsegment = '1 KB'", "f.toml:2: key 'segment': 1 KB is out of range; valid is 2000 B to 64 KiB"},
    {"interface = 'a'\n[peer]\naddress = '10.0.0.1'",
     "f.toml:2: key 'peer': it is a table; write a list of tables, [[peer]]"},
    {"interface = 'a'\n[[peer]]", "f.toml:2: key 'peer.0.address': missing; write text in quotes"},
    {"interface = 'a'\n[[peer]]\naddress = 'db7'",
     "f.toml:3: key 'peer.0.address': 'db7' is no address; write one of IPv4 or IPv6, such as \"10.0.0.2\""},
    {"interface = 'a'\n[[peer]]\naddress = '10.0.0.1'\n[[peer]]\naddress = '10.0.0.1'",
     "f.toml:5: key 'peer.1.address': 10.0.0.1 stands in line 2 already"},
    {"interface = 'a'\n[[peer]]\naddress = '10.0.0.1'\nlocal = 'fd00::1'",
     "f.toml:4: key 'peer.0.local': it must be of the same family as 'address'"},
    {"interface = 'a'\n[[peer]]\naddress = '10.0.0.1'\nlocal = '10.0.0.1'",
     "f.toml:4: key 'peer.0.local': it is the peer's own address"},
    {"interface = 'a'\n[[peer]]\nadress = '10.0.0.1'",
     "f.toml:3: key 'peer.0.adress': unknown key (did you mean 'address'?)"},
    {"interface = 'a'\n[hold]\nat_most = '1 s'", "f.toml:3: key 'hold.at_most': "},
    {"interface = 'a'\n[hold]\nlive_for = '10 ms'", "f.toml:3: key 'hold.live_for': "},
    {"interface = 'a'\n[rule]\nkind = 'best'", "f.toml:3: key 'rule.kind': "},
    {"interface = 'a'\n[rule]\ngain = 2", "f.toml:3: key 'rule.gain': "},
    {"interface = 'a'\n[or_ack]\npackets = 0\nbytes = '0 B'",
     "f.toml:4: key 'or_ack.bytes': it is 0 as well as 'packets', so that nothing would be answered"},
    {"interface = 'a'\n[or_ack]\nport = 7471", "f.toml:3: key 'or_ack.port': 7471 is the port of the agents"},
    {"interface = 'a'\n[or_ack]\nper_second = 0", "f.toml:3: key 'or_ack.per_second': "},
    {"interface = 'a'\n[clocks]\nport = 1", "f.toml:2: key 'clocks': unknown table (did you mean 'clock'?)"},
    {"interface = 'a'\n[clock]\nwindow = '200 ms'",
     "f.toml:3: key 'clock.window': it must be 100 intervals at least, 400 ms"},
    {"interface = 'a'\n[clock]\nwindow = '400 ms'", "f.toml:2: key 'clock.step': it must be a window at most, 400 ms"},
    {"interface = 'a'\n[clock]\nstale_after = '300 ms'",
     "f.toml:3: key 'clock.stale_after': it must be 10 times interval and relaxed at least, 400 ms"},
    {"interface = 'a'\n[clock]\nneighbours = 1", "f.toml:3: key 'clock.neighbours': "},
    {"interface = 'a'\n[[peer]]\naddress = '10.0.0.2'\n[clock]\nreference = '10.0.0.2'",
     "f.toml:5: key 'clock.reference': 'refclock' is missing; write the socket that chronyd listens on, such as "
     "\"/run/chrony.weir.sock\""},
    {"interface = 'a'\n[[peer]]\naddress = '10.0.0.2'\n[clock]\nrefclock = '/run/chrony.weir.sock'",
     "f.toml:5: key 'clock.refclock': 'reference' is missing; write the address of the peer whose time of day"},
    {"interface = 'a'\n[[peer]]\naddress = '10.0.0.2'\n[clock]\nreference = 'db7'\nrefclock = '/run/c'",
     "f.toml:5: key 'clock.reference': 'db7' is no address"},
    {"interface = 'a'\n[[peer]]\naddress = '10.0.0.2'\n[clock]\nreference = '10.0.0.3'\nrefclock = '/run/c'",
     "f.toml:5: key 'clock.reference': 10.0.0.3 is no peer; write the address of one of the [[peer]] tables"},
    {"interface = 'a'\n[[peer]]\naddress = '10.0.0.2'\n[clock]\nreference = '10.0.0.2'\nrefclock = 'chrony.sock'",
     "f.toml:6: key 'clock.refclock': 'chrony.sock' cannot be a socket; write a path from the root on, of at most "
     "107 "},
    {"interface = 'a'\nclock = 3", "f.toml:2: key 'clock': it is a whole number; write a table, [clock]"},
    {"interface = 'a'\n[metrics]\nlisten = '0.0.0.0:9471'",
     "f.toml:3: key 'metrics.listen': '0.0.0.0:9471' is reached by other hosts; write \"127.0.0.1:9471\""},
    {"interface = 'a'\n[metrics]\nlisten = '127.0.0.1'", "f.toml:3: key 'metrics.listen': '127.0.0.1' has no port"},
    {"interface = 'a'\n[metrics]\nlisten = '127.0.0.1:99999'",
     "f.toml:3: key 'metrics.listen': '127.0.0.1:99999' has no port of 0 to 65535"},
    {"interface = 'a'\n[metrics]\nlisten = '::1:9471'",
     "f.toml:3: key 'metrics.listen': '::1:9471' is no address with a port"},
    {"interface = 'a'\ninterface = 'b'", "f.toml:2: "},
    {"interface = ", "f.toml:1: "},
    {"interface = 'a'\n[test]\nclock_drift = 1e9", "f.toml:3: key 'test.clock_drift': "},
};

TEST(Config, ErrorsTellPlaceAndRemedy) {
  for (const Case& c : kCases) {
    try {
      parse_config(c.text, "f.toml");
      ADD_FAILURE() << c.text << "\nis accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, std::string(c.message).size()), c.message) << c.text;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

TEST(Config, AFileThatIsNotThereIsNamed) {
  try {
    load_config("no/such/host.toml");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no/such/host.toml"), std::string::npos) << error.what();
  }
}

// The example of the package is valid, and with each of its commented lines, which are the defaults, it is the same.
TEST(Config, TheExampleTellsTheDefaults) {
  const std::string text = read_file("hosts/package/host.toml");
  const std::string plain = to_json(parse_config(text, "host.toml")).dump();
  std::istringstream in(text);
  std::string whole;
  int keys = 0;
  for (std::string line; std::getline(in, line); whole += line + "\n") {
    const std::regex commented("# ([A-Za-z_]+ = .*)");
    std::smatch found;
    if (!std::regex_match(line, found, commented) || line.find("150 us") != std::string::npos ||
        line.find("rate = ") != std::string::npos)
      continue;
    line = found[1];
    ++keys;
  }
  EXPECT_EQ(to_json(parse_config(whole, "host.toml")).dump(), plain) << whole;
  EXPECT_GT(keys, 30);
}

TEST(Listen, OfThisHostAlone) {
  EXPECT_FALSE(parse_listen("off"));
  EXPECT_FALSE(parse_listen(""));
  EXPECT_EQ(parse_listen("127.0.0.1:0")->port, 0);
  EXPECT_EQ(parse_listen("127.9.9.9:80")->port, 80);
  EXPECT_TRUE(parse_listen("[::1]:80")->address.v6);
  for (const char* text : {"[::2]:80", "10.0.0.1:80", ":80", "localhost:80", "127.0.0.1:", "127.0.0.1:-1", "[::1]"})
    EXPECT_THROW(parse_listen(text), InputError) << text;
}

}  // namespace
}  // namespace weir::hosts
