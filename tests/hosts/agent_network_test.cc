// weir-host itself, in network namespaces that go away with the test.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "hosts/agent/key_file.h"
#include "hosts/agent/small_network.h"
#include "hosts/agent/test_flow.h"
#include "tests/hosts/support_scratch.h"

namespace weir::hosts {
namespace {

using namespace std::chrono_literals;

std::string program() {
  const char* out = std::getenv("WEIR_HOST");
  return out == nullptr ? "" : out;
}

class NetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    if (program().empty() || ::access(program().c_str(), X_OK) != 0) GTEST_SKIP() << "WEIR_HOST names no weir-host";
    try {
      network.emplace();
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
    make_key_file(scratch / "key");
    before = traces();
  }
  void TearDown() override {
    if (!network) return;
    for (const char* name : {"sender", "receiver"}) run(name, {"off"});
    EXPECT_EQ(traces(), before);
  }

  const Descriptor& of(const std::string& name) const {
    return name == "sender" ? network->sender() : network->receiver();
  }
  std::string traces() const { return traces_in(network->sender()) + traces_in(network->receiver()); }

  ProgramResult run(const std::string& name, std::vector<std::string> words) const {
    words.insert(words.begin(), {program(), "--run", scratch / name, "--config", scratch / (name + ".toml")});
    const Inside inside(of(name));
    return run_program(words, 30'000);
  }
  nlohmann::json status(const std::string& name) const {
    const auto result = run(name, {"status", "--json"});
    const auto out = nlohmann::json::parse(result.output, nullptr, false);
    return out.is_object() ? out : nlohmann::json{{"output", result.output}};
  }
  void configure(const std::string& name, const char* peer, const std::string& more = "") const {
    scratch.write(name + ".toml",
                  fmt::format("interface = '{}'\nT = '2 ms'\nsegment = '6000 B'\nrate = '{}'\n"
                              "key_file = '{}'\n[[peer]]\naddress = '{}'\n[clock]\n"
                              "max_error = '5 ms'\n[metrics]\nlisten = 'off'\n{}",
                              SmallNetwork::kInterface, SmallNetwork::kRate, scratch / "key", peer, more));
  }
  void up(const std::string& mode) const {
    configure("sender", SmallNetwork::kReceiver);
    configure("receiver", SmallNetwork::kSender);
    for (const char* name : {"receiver", "sender"}) {
      const auto result = run(name, {"up", "--mode", mode});
      ASSERT_EQ(result.status, 0) << result.output;
    }
  }
  bool within(std::chrono::milliseconds limit, const std::function<bool()>& good) const {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
      if (good()) return true;
      std::this_thread::sleep_for(100ms);
    }
    return false;
  }
  std::string state(const std::string& name) const {
    const auto s = status(name);
    return s.contains("peers") ? s["peers"][0]["state"].get<std::string>() : s.dump();
  }

  Scratch scratch;
  std::optional<SmallNetwork> network;
  std::string before;
};

TEST_F(NetworkTest, ObserveMeasuresAndHoldsNothing) {
  up("observe");
  ASSERT_TRUE(within(20s, [&] { return state("sender") == "observed"; })) << state("sender");
  {
    const TestFlow flow(network->sender(), network->receiver(), SmallNetwork::kReceiver);
    const auto trace = run("sender", {"trace", "--for", "1 s", "--out", scratch / "trace"});
    EXPECT_EQ(trace.status, 0) << trace.output;
    EXPECT_FALSE(flow.broken());
  }
  const auto s = status("sender");
  EXPECT_EQ(s.at("counters").at("held"), 0);
  EXPECT_GT(s.at("counters").at("or_acks_accepted"), 0);
  EXPECT_EQ(s.at("segment_bytes"), 0);
  ASSERT_FALSE(s.at("flows").empty());
  EXPECT_GT(s.at("flows").at(0).at("delay_ns"), 0);

  const auto meta = nlohmann::json::parse(read_file(scratch / "trace/meta.json"));
  EXPECT_GT(meta.at("packets"), 0);
  EXPECT_GT(meta.at("or_acks"), 0);
  EXPECT_EQ(meta.at("settings").at("T"), "2 ms");
  EXPECT_EQ(meta.at("peers_at_begin").at(0).at("state"), "observed");
  EXPECT_EQ(read_file(scratch / "trace/packets.csv").substr(0, 38), "time_ns,flow,seq,length_bytes,held_ns\n");
  EXPECT_EQ(read_file(scratch / "trace/or_acks.csv").substr(0, 40), "time_ns,flow,seq,delay_ns,beta,pause_ns\n");
  const auto again = run("sender", {"trace", "--for", "1 s", "--out", scratch / "trace"});
  EXPECT_EQ(again.status, 2) << again.output;

  for (const char* command : {"status", "peers", "sync"}) {
    const auto result = run("sender", {command});
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_NE(result.output.find(SmallNetwork::kReceiver), std::string::npos) << result.output;
  }
  const auto top = run("sender", {"top", "--times", "1", "--every", "100 ms"});
  EXPECT_NE(top.output.find(fmt::format("{}:7480", SmallNetwork::kReceiver)), std::string::npos) << top.output;
}

TEST_F(NetworkTest, PeersAreReadAgainAfterSighup) {
  up("observe");
  ASSERT_TRUE(within(20s, [&] { return state("sender") == "observed"; })) << state("sender");
  const auto known = [&] { return nlohmann::json::parse(run("sender", {"sync", "--json"}).output).at("peers").at(0); };
  const auto before_it = known();
  const auto pid = status("sender").at("pid").get<pid_t>();
  configure("sender", SmallNetwork::kReceiver, "[[peer]]\naddress = '10.77.2.9'\n");
  ::kill(pid, SIGHUP);
  ASSERT_TRUE(within(3s, [&] { return status("sender").at("peers").size() == 2; })) << status("sender");
  EXPECT_EQ(state("sender"), "observed");
  EXPECT_EQ(status("sender").at("pid"), pid);
  EXPECT_EQ(known().at("condition"), "synchronised");
  EXPECT_GE(known().at("observations"), before_it.at("observations"));
  // itself as a peer: the agent goes on with those of before
  configure("sender", SmallNetwork::kReceiver, fmt::format("[[peer]]\naddress = '{}'\n", SmallNetwork::kSender));
  ::kill(pid, SIGHUP);
  const std::string told = "peers stay as they are";
  EXPECT_TRUE(within(3s, [&] { return read_file(scratch / "sender/log").find(told) != std::string::npos; }));
  EXPECT_EQ(status("sender").at("peers").size(), 2u);
}

TEST_F(NetworkTest, ASecondUpIsRefused) {
  up("observe");
  const auto second = run("sender", {"up", "--mode", "observe"});
  EXPECT_EQ(second.status, 1);
  const std::string told = fmt::format("an agent is up already in {}, process ", scratch / "sender");
  EXPECT_NE(second.output.find(told), std::string::npos) << second.output;
  EXPECT_EQ(second.output.find(told, second.output.find(told) + 1), std::string::npos) << second.output;
  EXPECT_EQ(status("sender").at("mode"), "observe");
  const auto off = run("sender", {"off"});
  EXPECT_EQ(off.status, 0) << off.output;
  EXPECT_EQ(off.output, "weir-host is off\n");
  EXPECT_EQ(run("sender", {"off"}).output.rfind("weir-host was not up in " + scratch / "sender", 0), 0u);
  EXPECT_EQ(::access((scratch / "sender/clocks.json").c_str(), F_OK), 0) << "the next agent wants to know";
  for (const char* file : {"/control", "/lock", "/log", "/restore.json"})
    EXPECT_NE(::access((scratch / "sender" + file).c_str(), F_OK), 0) << file << " is left";
}

// What systemd hears of it, and that SIGTERM ends it well.
TEST_F(NetworkTest, SystemdIsTold) {
  configure("receiver", SmallNetwork::kSender);
  const std::string path = scratch / "notify";
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const timeval patience{20, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const auto hears = [&](const std::string& wanted) {
    std::array<char, 1024> text;
    for (int i = 0; i < 1'000; ++i) {
      const auto size = ::recv(socket.get(), text.data(), text.size(), 0);
      if (size < 0) return false;
      if (std::string_view(text.data(), static_cast<std::size_t>(size)) == wanted) return true;
    }
    return false;
  };
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  Running agent(network->receiver(),
                {program(), "--run", scratch / "receiver", "--config", scratch / "receiver.toml", "up", "--foreground"},
                scratch / "log");
  ::unsetenv("NOTIFY_SOCKET");
  EXPECT_TRUE(hears("READY=1")) << read_file(scratch / "log");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(hears("WATCHDOG=1"));
  EXPECT_NE(traces(), before);
  agent.signal(SIGTERM);
  EXPECT_TRUE(hears("STOPPING=1"));
  EXPECT_TRUE(agent.has_ended(10'000));
  EXPECT_EQ(traces(), before);
  EXPECT_NE(read_file(scratch / "log").find("weir-host: off\n"), std::string::npos) << read_file(scratch / "log");
}

TEST_F(NetworkTest, APeerWithoutAgentIsLeftAlone) {
  configure("sender", SmallNetwork::kReceiver);
  ASSERT_EQ(run("sender", {"up", "--mode", "queue"}).status, 0);
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(state("sender"), "no agent");
  const TestFlow flow(network->sender(), network->receiver(), SmallNetwork::kReceiver);
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(status("sender").at("counters").at("held"), 0);
  EXPECT_GT(flow.bytes(), 0u);
}

TEST_F(NetworkTest, AnotherKeyIsNotTrusted) {
  configure("sender", SmallNetwork::kReceiver);
  configure("receiver", SmallNetwork::kSender);
  make_key_file(scratch / "other");
  std::string text = read_file(scratch / "receiver.toml");
  text.replace(text.find("/key'"), 5, "/other'");
  scratch.write("receiver.toml", text);
  for (const char* name : {"receiver", "sender"}) ASSERT_EQ(run(name, {"up", "--mode", "queue"}).status, 0);
  std::this_thread::sleep_for(2s);
  EXPECT_EQ(state("sender"), "no agent");
  EXPECT_EQ(state("receiver"), "no agent");
}

TEST_F(NetworkTest, AnAgentThatWasKilledLeavesNothingBehind) {
  up("queue");
  ASSERT_TRUE(within(20s, [&] { return state("sender") == "held"; })) << state("sender");
  ::kill(status("sender").at("pid").get<pid_t>(), SIGKILL);
  // up again: it puts back first
  ASSERT_TRUE(within(2s, [&] { return run("sender", {"status"}).status == 1; }));
  const auto again = run("sender", {"up", "--mode", "observe"});
  EXPECT_EQ(again.status, 0) << again.output;
  ::kill(status("sender").at("pid").get<pid_t>(), SIGKILL);
  ASSERT_TRUE(within(2s, [&] { return run("sender", {"status"}).status == 1; }));
  // what systemd calls
  EXPECT_EQ(run("sender", {"off", "--leftovers"}).status, 0);
  EXPECT_EQ(traces_in(network->sender()), before.substr(0, traces_in(network->sender()).size()));
}

// Nobody is left who could put back but the next command.
TEST_F(NetworkTest, AnAgentThatWasKilledWithItsWatchdogLeavesNothingBehind) {
  up("queue");
  ASSERT_TRUE(within(20s, [&] { return state("sender") == "held"; })) << state("sender");
  const auto pid = status("sender").at("pid").get<pid_t>();
  const auto watchdog = run_program({"pgrep", "--parent", std::to_string(pid), "weir-watchdog"}, 5'000);
  ASSERT_TRUE(watchdog.ok()) << watchdog.output;
  ::kill(std::stoi(watchdog.output), SIGKILL);
  ::kill(pid, SIGKILL);
  ASSERT_TRUE(within(2s, [&] { return run("sender", {"status"}).status == 1; }));
  ASSERT_NE(traces(), before);
  const auto off = run("sender", {"off"});
  EXPECT_EQ(off.status, 0) << off.output;
  EXPECT_NE(off.output.find("empty table of rules"), std::string::npos) << off.output;
  EXPECT_EQ(run("receiver", {"off"}).status, 0);
  EXPECT_EQ(traces(), before);
}

TEST_F(NetworkTest, AnAgentThatHangsIsEnded) {
  up("queue");
  ::kill(status("sender").at("pid").get<pid_t>(), SIGSTOP);
  const auto off = run("sender", {"off"});
  EXPECT_EQ(off.status, 0) << off.output;
  EXPECT_NE(off.output.find("weir-host is off\n"), std::string::npos) << off.output;
}

TEST_F(NetworkTest, AnInterfaceThatVanishesIsTold) {
  up("observe");
  {
    const Inside inside(network->sender());
    ASSERT_TRUE(run_program({"ip", "link", "del", SmallNetwork::kInterface}).ok());
  }
  EXPECT_TRUE(within(3s, [&] {
    const auto s = status("sender");
    return s.contains("trouble") && s["trouble"].get<std::string>().find("weir0 has vanished") != std::string::npos;
  })) << status("sender");
  for (const char* name : {"sender", "receiver"}) EXPECT_EQ(run(name, {"off"}).status, 0);
  EXPECT_EQ(before.find("clsact"), std::string::npos);
  EXPECT_EQ(traces().find("clsact"), std::string::npos);
  before = traces();  // the interface is gone
}

TEST_F(NetworkTest, WhatIsWrongIsToldAndChangesNothing) {
  configure("sender", SmallNetwork::kReceiver);
  const std::string good = read_file(scratch / "sender.toml");
  struct Case {
    std::string from;
    std::string to;
    const char* message;
  };
  for (const Case& c : {Case{"'weir0'", "'weir7'",
                             "sender.toml: key 'interface': there is no interface 'weir7' on this host (did you mean "
                             "'weir0'?); there is "},
                        {"/key'", "/none'", "none: the key cannot be read"},
                        {"T = ", "t = ", "sender.toml:2: key 't': unknown key (did you mean 'T'?)"},
                        {fmt::format("'{}'", SmallNetwork::kReceiver), "'10.77.1.1'",
                         "sender.toml:6: key 'address': 10.77.1.1 is an address of this host itself; write those of "
                         "other hosts"},
                        {"listen = 'off'", "listen = 'off'\n[control]\ngroup = 'no-such-group'",
                         "key 'control.group': there is no group 'no-such-group'"}}) {
    std::string text = good;
    text.replace(text.find(c.from), c.from.size(), c.to);
    scratch.write("sender.toml", text);
    for (const bool foreground : {false, true}) {
      auto words = std::vector<std::string>{"up"};
      if (foreground) words.emplace_back("--foreground");
      const auto result = run("sender", words);
      EXPECT_EQ(result.status, 2) << result.output;
      EXPECT_NE(result.output.find(c.message), std::string::npos) << result.output;
      EXPECT_EQ(traces(), before);
    }
  }
  scratch.write("sender.toml", good);
  const auto mode = run("sender", {"up", "--mode", "bfp"});
  EXPECT_EQ(mode.status, 2);
  EXPECT_EQ(mode.output, "weir-host: --mode: unknown mode 'bfp' (did you mean 'bpf'?); valid is observe, bpf, queue\n");
  // a port that is taken
  const Inside inside(network->sender());
  const Descriptor taken(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(7471);
  ASSERT_EQ(::bind(taken.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const auto result = run("sender", {"up"});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_EQ(traces(), before);
}

}  // namespace
}  // namespace weir::hosts
