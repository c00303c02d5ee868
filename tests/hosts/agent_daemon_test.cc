#include "hosts/agent/daemon.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "tests/hosts/support_fake_path.h"
#include "tests/hosts/support_scratch.h"

namespace weir::hosts {
namespace {

class FakeClocks : public Clocks {
 public:
  std::int64_t next_timer() override { return monotonic_now() + 10'000'000; }
  void on_timer(std::int64_t) override { ++ticks; }
  std::map<Address, ClockNews> news(std::int64_t now) override {
    return {{host("10.0.0.2"), {ClockCondition::synchronised, ClockLine{now, 1'000, 0, 500}, 10'000, now}}};
  }
  void set_peers(const std::vector<PeerConfig>& all) override { peers = all; }
  nlohmann::ordered_json details(std::int64_t) override {
    return {{"peers", nlohmann::ordered_json::array()}, {"why_no_hardware", ""}};
  }
  int ticks = 0;
  std::vector<PeerConfig> peers;
};

// A daemon over fakes; its loop runs in a thread while the test asks.
class DaemonTest : public testing::Test {
 protected:
  void start(const std::string& more = "") {
    dir.make();
    DaemonParts parts;
    text =
        "interface = 'lo'\nmode = 'bpf'\n[[peer]]\naddress = '10.0.0.2'\n[[peer]]\naddress = '10.0.0.3'\n"
        "[metrics]\nlisten = '127.0.0.1:0'\n" +
        more;
    parts.load = [this] { return parse_config(text, "f.toml"); };
    parts.config = parts.load();
    parts.path_name = "fake";
    auto fake = std::make_unique<FakePath>();
    path = fake.get();
    parts.path = std::move(fake);
    auto fake_clocks = std::make_unique<FakeClocks>();
    clocks = fake_clocks.get();
    parts.clocks = std::move(fake_clocks);
    parts.derive = [](const Address&, const Address&, std::uint64_t epoch) { return PairKey{epoch, {}}; };
    parts.local = [](const Address&) { return std::optional(host("10.0.0.1")); };
    parts.warnings = {"mind the gap"};
    parts.group = control_group(parts.config);
    parts.control = make_control_socket(dir.socket(), parts.group);
    daemon.emplace(loop, std::move(parts), dir);
  }
  void run() {
    thread = std::thread([this] { daemon->run(); });
  }
  void stop() {
    if (!thread.joinable()) return;
    ControlClient client(dir.socket());
    client.ask({{"command", "off"}});
    thread.join();
    daemon->down();
  }
  void TearDown() override { stop(); }

  nlohmann::json ask(const nlohmann::json& request) {
    ControlClient client(dir.socket());
    client.ask(request);
    return client.answer().value();
  }

  Scratch scratch;
  std::string text;  // of the configuration
  RunDir dir{scratch / "run"};
  EventLoop loop;
  std::optional<Daemon> daemon;
  FakePath* path = nullptr;
  FakeClocks* clocks = nullptr;
  std::thread thread;
};

TEST_F(DaemonTest, TellsThePathItsPeersAndThatItLives) {
  start();
  run();
  std::this_thread::sleep_for(std::chrono::milliseconds(450));
  stop();
  EXPECT_GE(path->beats.size(), 3u);
  EXPECT_GE(path->polls, 3);
  EXPECT_GE(clocks->ticks, 3);
  EXPECT_TRUE(path->peers.at(host("10.0.0.2")).held);
  EXPECT_FALSE(path->peers.at(host("10.0.0.3")).held);
  EXPECT_EQ(path->detached, 1);
}

TEST_F(DaemonTest, StatusHasCountersPeersAndFlows) {
  start();
  path->counts.held = 7;
  path->counts.held_ns = 14'000;
  path->views.push_back({{host("10.0.0.1"), host("10.0.0.2"), 40'000, 80}, 123'000, 0.5});
  path->problem = "eth9 has vanished";
  run();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto status = ask({{"command", "status"}});
  EXPECT_EQ(status.at("mode"), "bpf");
  EXPECT_EQ(status.at("path"), "fake");
  EXPECT_EQ(status.at("trouble"), "eth9 has vanished");
  EXPECT_EQ(status.at("warnings").at(0), "mind the gap");
  EXPECT_EQ(status.at("counters").at("held"), 7);
  EXPECT_EQ(status.at("peers").at(0).at("state"), "held");
  EXPECT_EQ(status.at("peers").at(0).at("T_ns"), 10'000 + 2 * 500 + 50'000);
  EXPECT_EQ(status.at("peers").at(1).at("state"), "no agent");
  EXPECT_TRUE(status.at("peers").at(1).at("clock").is_null());
  EXPECT_EQ(status.at("flows").at(0).at("delay_ns"), 123'000);

  const std::string text = status_text(status);
  EXPECT_NE(text.find("7 held for 2 us in the mean"), std::string::npos) << text;
  EXPECT_NE(text.find("trouble: eth9 has vanished\n"), std::string::npos) << text;
  EXPECT_NE(text.find("no agent answers there; packets pass"), std::string::npos) << text;
  const std::string top = top_text(status, status, 50);
  EXPECT_NE(top.find("10.0.0.1:40000 > 10.0.0.2:80"), std::string::npos) << top;

  const auto settings = ask({{"command", "settings"}});
  EXPECT_EQ(settings.at("T"), "auto");
  EXPECT_EQ(settings.at("hold").at("at_most"), "10 ms");
  EXPECT_TRUE(ask({{"command", "sync"}}).contains("peers"));
}

TEST_F(DaemonTest, UnknownCommandsAreAnswered) {
  start();
  run();
  for (const auto& [request, message] :
       {std::pair{nlohmann::json{{"command", "staus"}},
                  "unknown command 'staus' (did you mean 'status'?); valid is status, settings, sync, trace, off"},
        {nlohmann::json{{"command", 5}}, "unknown command ''; valid is status, settings, sync, trace, off"}}) {
    try {
      ask(request);
      ADD_FAILURE();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), message);
    }
  }
}

TEST_F(DaemonTest, TracesDecisions) {
  start();
  const Flow flow{host("10.0.0.1"), host("10.0.0.2"), 40'000, 80};
  run();
  ControlClient client(dir.socket());
  client.ask({{"command", "trace"}});
  EXPECT_EQ(client.answer()->at("trace"), true);
  path->decide({{Decision::Kind::sent, 100, flow, 1, 1448, 30, 0, 0, 0},
                {Decision::Kind::or_ack, 200, flow, 1, 0, 0, 50'000, 0.25, 7'000}});
  EXPECT_EQ(client.answer()->dump(),
            R"({"destination":"10.0.0.2","destination_port":80,"flow":0,"source":"10.0.0.1","source_port":40000})");
  EXPECT_EQ(client.answer()->dump(), R"(["sent",100,0,1,1448,30])");
  EXPECT_EQ(client.answer()->dump(), R"(["or_ack",200,0,1,50000,0.25,7000])");
}

TEST_F(DaemonTest, PeersCanBeChanged) {
  start();
  daemon->beat();
  const int told = path->told;
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  const auto reload = [&] {
    testing::internal::CaptureStderr();
    daemon->reload();
    daemon->beat();
    return testing::internal::GetCapturedStderr();
  };
  const auto states = [&] {
    std::string out;
    for (const auto& peer : daemon->status().peers)
      out += to_text(peer.address) + ": " + std::string(name_of(peer.state)) + "\n";
    return out;
  };
  EXPECT_EQ(states(), "10.0.0.2: held\n10.0.0.3: no agent\n");
  replace("10.0.0.3", "10.0.0.4");
  EXPECT_NE(reload().find("read the configuration again: 2 peers"), std::string::npos);
  EXPECT_EQ(states(), "10.0.0.2: held\n10.0.0.4: no agent\n");
  EXPECT_TRUE(path->peers.at(host("10.0.0.2")).held);
  EXPECT_FALSE(path->peers.contains(host("10.0.0.3")));
  EXPECT_TRUE(path->peers.contains(host("10.0.0.4")));
  EXPECT_LE(path->told, told + 3);  // the clock's new line twice, and the new peer
  ASSERT_EQ(clocks->peers.size(), 2u);
  EXPECT_EQ(clocks->peers[1].address, host("10.0.0.4"));
  // what else has changed is named
  replace("mode = 'bpf'\n", "mode = 'bpf'\nT = '3 ms'\n");
  replace("[[peer]]\naddress = '10.0.0.2'", "[[peer]]\naddress = '10.0.0.2'\nhold = false");
  const std::string said = reload();
  EXPECT_NE(said.find("'T' of the configuration has changed; that counts after weir-host off and up"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("'mode'"), std::string::npos) << said;
  EXPECT_EQ(states(), "10.0.0.2: observed\n10.0.0.4: no agent\n");
  // one that is wrong changes nothing
  replace("10.0.0.4", "10.0.0.4x");
  EXPECT_NE(reload().find("peers stay as they are: f.toml:"), std::string::npos);
  EXPECT_EQ(states(), "10.0.0.2: observed\n10.0.0.4: no agent\n");
  run();
}

// An answer to a request over HTTP.
std::string http(std::uint16_t port, const std::string& request) {
  const Descriptor fd(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return "no connection";
  ::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
  std::string out;
  std::array<char, 4096> chunk;
  for (;;) {
    const auto size = ::recv(fd.get(), chunk.data(), chunk.size(), 0);
    if (size <= 0) return out;
    out.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

TEST_F(DaemonTest, MetricsAreServed) {
  start();
  path->counts.or_acks_accepted = 42;
  run();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto port = daemon->metrics_port();
  const std::string text = http(port, "GET /metrics HTTP/1.0\r\n\r\n");
  EXPECT_EQ(text.substr(8, 7), " 200 OK") << text;
  EXPECT_NE(text.find("\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nweir_host_or_acks_accepted_total 42\n"), std::string::npos) << text;
  EXPECT_EQ(http(port, "GET / HTTP/1.0\r\n\r\n").substr(9, 3), "404");
  EXPECT_EQ(http(port, "POST /metrics HTTP/1.0\r\nContent-Length: 1\r\n\r\nx").substr(9, 3), "405");
  EXPECT_EQ(ask({{"command", "status"}}).at("counters").at("or_acks_accepted"), 42);  // it lives on
}

TEST_F(DaemonTest, AGroupThatIsNotThereIsNamed) {
  try {
    start("[control]\ngroup = 'no-such-group'\n");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "f.toml: key 'control.group': there is no group 'no-such-group' on this host; write one of getent "
                 "group");
  }
}

TEST(Metrics, AreWhatPrometheusReads) {
  Status status;
  status.mode = Mode::queue;
  status.path = "queue";
  status.now = 2'500'000'000;
  status.counters.packets = 3;
  PeerStatus peer;
  peer.address = host("fd77::2");
  peer.state = PeerState::held;
  peer.held = true;
  peer.threshold = 150'000;
  peer.clock = ClockLine{0, -5'000'000'000, 1 << 10, 800};
  status.peers.push_back(peer);
  const std::string text = to_metrics(status);
  for (const char* line :
       {"# HELP weir_host_packets_total TCP data packets to peers, super-packets of offloads\n",
        "# TYPE weir_host_packets_total counter\nweir_host_packets_total 3\n", "# TYPE weir_host_flows gauge\n",
        "weir_host_up_seconds 2.5\n", "weir_host_trouble 0\n", "weir_host_peer_held{peer=\"fd77::2\"} 1\n",
        "weir_host_clock_offset_seconds{peer=\"fd77::2\"} -5\n",
        "# TYPE weir_host_peer_threshold_seconds gauge\nweir_host_peer_threshold_seconds{peer=\"fd77::2\"} 0.00015"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  // each line is a comment or a sample, each name is declared once, and before its samples
  std::istringstream in(text);
  std::set<std::string> declared;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(declared.insert(line.substr(7, line.find(' ', 7) - 7)).second) << line;
    } else if (!line.starts_with("# HELP ")) {
      EXPECT_TRUE(declared.contains(line.substr(0, line.find_first_of("{ ")))) << line;
      EXPECT_NO_THROW((void)std::stod(line.substr(line.rfind(' ') + 1))) << line;
    }
  }
}

TEST(Duration, HasFourDigits) {
  for (const auto& [ns, text] : std::vector<std::pair<double, const char*>>{{0, "0 ns"},
                                                                            {999, "999 ns"},
                                                                            {-1'234'567, "-1.235 ms"},
                                                                            {56'000, "56 us"},
                                                                            {90e9, "90 s"},
                                                                            {7'200e9, "2 h"}})
    EXPECT_EQ(duration_text(ns), text);
}

}  // namespace
}  // namespace weir::hosts
