// The systemd unit: systemd's own look at it, and an agent with no more rights than it gives.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fmt/format.h>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "hosts/agent/key_file.h"
#include "hosts/agent/program.h"
#include "hosts/agent/small_network.h"
#include "tests/hosts/support_scratch.h"

namespace weir::hosts {
namespace {

using namespace std::chrono_literals;

class Unit : public testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("WEIR_HOST");
    program = given == nullptr ? "" : given;
    if (program.empty() || ::access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "WEIR_HOST names no weir-host";
    text = read_file("hosts/package/weir-host.service");
    const std::string placeholder = "@CMAKE_INSTALL_FULL_BINDIR@/weir-host";
    for (auto at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder))
      text.replace(at, placeholder.size(), program);
    ASSERT_NE(text.find("ExecStart=" + program), std::string::npos);
  }

  // The words of a setting.
  std::vector<std::string> words(const std::string& key) const {
    std::istringstream lines(text);
    std::vector<std::string> out;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind(key + "=", 0) != 0) continue;
      std::istringstream in(line.substr(key.size() + 1));
      for (std::string word; in >> word;) out.push_back(word);
    }
    return out;
  }
  // As setpriv has it: "-all,+bpf,+net_admin".
  std::string only(const std::string& key) const {
    std::string out = "-all";
    for (std::string word : words(key)) {
      for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      out += ",+" + word.substr(std::string("cap_").size());
    }
    return out;
  }

  Scratch scratch;
  std::string program;
  std::string text;
};

TEST_F(Unit, IsAsSystemdWantsIt) {
  const ProgramResult version = run_program({"systemd-analyze", "--version"}, 20'000);
  if (!version.ok()) GTEST_SKIP() << "systemd-analyze is missing: " << version.output;
  const std::string file = scratch.write("weir-host.service", text);
  // Manual pages need not be installed.
  const ProgramResult result = run_program({"systemd-analyze", "verify", "--man=no", "--generators=no", file}, 60'000);
  if (result.output.find("Failed to initialize manager") != std::string::npos) GTEST_SKIP() << result.output;
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output.find("weir-host.service"), std::string::npos) << result.output;
}

// With the unit's capabilities and nothing else; what it holds shows that they are enough.
TEST_F(Unit, CapabilitiesAreEnoughToHold) {
  if (::geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
  if (!run_program({"setpriv", "--version"}, 20'000).ok()) GTEST_SKIP() << "setpriv is missing";
  std::optional<SmallNetwork> network;
  try {
    network.emplace();
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << error.what();
  }
  make_key_file(scratch / "key");
  const auto start = [&](const std::string& name, const char* peer, const Descriptor& where,
                         std::optional<Running>& out) {
    const std::string config = scratch.write(
        name + ".toml",
        fmt::format("interface = '{}'\nmode = 'queue'\nT = '2 ms'\nsegment = '6000 B'\nrate = '{}'\nkey_file = '{}'\n"
                    "[[peer]]\naddress = '{}'\n[clock]\nmax_error = '5 ms'\n[metrics]\nlisten = 'off'\n",
                    SmallNetwork::kInterface, SmallNetwork::kRate, scratch / "key", peer));
    // An ambient capability has to be an inheritable one, too.
    out.emplace(where,
                std::vector<std::string>{"setpriv", "--inh-caps=" + only("AmbientCapabilities"),
                                         "--ambient-caps=" + only("AmbientCapabilities"),
                                         "--bounding-set=" + only("CapabilityBoundingSet"), "--no-new-privs", program,
                                         "--run", scratch / name, "--config", config, "up", "--foreground"},
                scratch / (name + ".log"));
  };
  std::optional<Running> receiver, sender;
  start("receiver", SmallNetwork::kSender, network->receiver(), receiver);
  start("sender", SmallNetwork::kReceiver, network->sender(), sender);
  std::string state = "none";
  for (int tries = 0; tries != 200 && state != "held" && !sender->has_ended(0); ++tries) {
    std::this_thread::sleep_for(100ms);
    const Inside inside(network->sender());
    const ProgramResult status = run_program({program, "--run", scratch / "sender", "status", "--json"}, 20'000);
    const auto json = nlohmann::json::parse(status.output, nullptr, false);
    if (json.is_object() && json.contains("peers")) state = json["peers"][0]["state"].get<std::string>();
  }
  EXPECT_EQ(state, "held") << read_file(scratch / "sender.log") << read_file(scratch / "receiver.log");
  for (std::optional<Running>* one : {&sender, &receiver}) {
    (*one)->signal(SIGTERM);
    EXPECT_TRUE((*one)->has_ended(10'000));
  }
}

}  // namespace
}  // namespace weir::hosts
