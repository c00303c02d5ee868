#include "hosts/agent/selftest.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>

#include "hosts/agent/control.h"
#include "hosts/agent/key_file.h"
#include "hosts/agent/run_dir.h"
#include "hosts/agent/small_network.h"
#include "hosts/agent/status.h"
#include "hosts/agent/test_flow.h"

namespace weir::hosts {
namespace {

using namespace std::chrono_literals;

constexpr int kHeldWithin = 15'000;    // ms until the clocks are known
constexpr double kLongestGap = 600e6;  // ns without data, when the agent hangs or dies
constexpr double kLongestHold = 30e6;  // ns: hold.at_most, and what a busy host takes to wake whoever releases

// A folder for configurations and the agents' folders.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weir-host-selftest-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class Selftest {
 public:
  Selftest(Mode mode, const std::string& program, const std::function<void(const SelftestStep&)>& tell)
      : mode_(mode), program_(program), tell_(tell) {
    make_key_file(folder_ / "key");
    write_config("sender", SmallNetwork::kReceiver);
    write_config("receiver", SmallNetwork::kSender);
  }

  bool run() {
    const std::string before = traces();
    start("receiver", network_.receiver(), receiver_);
    start("sender", network_.sender(), sender_);
    if (wait_until_held()) {
      check_holding();
      check_stopped();
      check_killed();
    }
    check_traces(before);
    return good_;
  }

 private:
  void write_config(const std::string& name, const char* peer) const {
    std::ofstream(folder_ / (name + ".toml"))
        << fmt::format(R"(interface = "{}"
mode = "{}"
T = "2 ms"
segment = "6000 B"
rate = "{}"
key_file = "{}"
[[peer]]
address = "{}"
[clock]
max_error = "2 ms"
[hold]
many = "10 ms"
[metrics]
listen = "off"
)",
                       SmallNetwork::kInterface, name_of(mode_), SmallNetwork::kRate, folder_ / "key", peer);
  }

  std::vector<std::string> command(const std::string& name, std::vector<std::string> words) const {
    words.insert(words.begin(), {program_, "--run", folder_ / name, "--config", folder_ / (name + ".toml")});
    return words;
  }

  void start(const std::string& name, const Descriptor& network, std::optional<Running>& agent) {
    agent.emplace(network, command(name, {"up", "--foreground"}), folder_ / (name + ".log"));
  }

  std::string traces() const { return traces_in(network_.sender()) + traces_in(network_.receiver()); }

  // What the agents have said, in one line.
  std::string logs() const {
    std::string out;
    for (const char* name : {"sender.log", "receiver.log"}) {
      std::ifstream in(folder_ / name);
      for (std::string line; std::getline(in, line);) out += (out.empty() ? "" : " | ") + line;
    }
    return out;
  }

  nlohmann::json status() const {
    ControlClient client(RunDir(folder_ / "sender").socket());
    client.ask({{"command", "status"}});
    return client.answer().value();
  }

  void step(const std::string& name, bool good, const std::string& what) {
    good_ = good_ && good;
    tell_({name, good, what});
  }

  // `what` was seen; good if all conditions hold, else those that do not are told.
  struct Condition {
    bool holds;
    std::string otherwise;
  };
  void step(const std::string& name, const std::string& what, const std::vector<Condition>& conditions) {
    std::string wrong;
    for (const Condition& one : conditions)
      if (!one.holds) wrong += (wrong.empty() ? "" : "; ") + one.otherwise;
    step(name, wrong.empty(), wrong.empty() ? what : fmt::format("{} ({})", wrong, what));
  }

  bool wait_until_held() {
    std::string state = "the agent does not answer";
    for (int waited = 0; waited < kHeldWithin; waited += 100) {
      std::this_thread::sleep_for(100ms);
      if (sender_->has_ended(0) || receiver_->has_ended(0)) {
        step("agents", false, "an agent has ended: " + logs());
        return false;
      }
      try {
        const auto peer = status().at("peers").at(0);
        state = peer.at("state").get<std::string>();
        if (state != "held") continue;
        step("clocks", true,
             fmt::format("known within {}, after {:.1f} s",
                         duration_text(peer.at("clock").at("sigma_ns").get<double>()), waited * 1e-3));
        return true;
      } catch (const std::runtime_error&) {  // it is not up yet
      }
    }
    step("clocks", false, fmt::format("the peer is not held within {} s: {}: {}", kHeldWithin / 1000, state, logs()));
    return false;
  }

  void check_holding() {
    flow_.emplace(network_.sender(), network_.receiver(), SmallNetwork::kReceiver);
    std::this_thread::sleep_for(1500ms);
    const auto counters = status().at("counters");
    const auto number = [&](const char* name) { return counters.at(name).get<std::uint64_t>(); };
    const auto held = number("held");
    const auto longest = counters.at("held_ns_max").get<double>();
    const auto accepted = number("or_acks_accepted");
    step("holding",
         fmt::format("{} of {} packets held, for {} in the mean and {} at most; {} OR-ACKs", held, number("packets"),
                     duration_text(held == 0 ? 0 : counters.at("held_ns").get<double>() / static_cast<double>(held)),
                     duration_text(longest), accepted),
         {{accepted > 0, fmt::format("no OR-ACK was accepted, {} were received", number("or_acks_received"))},
          {held > 0, "no packet was held"},
          {longest <= kLongestHold, fmt::format("a packet was held for {}, longer than the limit of {}",
                                                duration_text(longest), duration_text(kLongestHold))},
          {!flow_->broken(), "the connection broke"}});
  }

  void check_gap(const std::string& name) {
    flow_->restart();
    std::this_thread::sleep_for(1500ms);
    const auto gap = static_cast<double>(flow_->longest_gap());
    step(name, fmt::format("data flows on; nothing came for {} at most", duration_text(gap)),
         {{flow_->bytes() > 0, "no data came"},
          {gap <= kLongestGap, fmt::format("nothing came for {}, longer than the limit of {}", duration_text(gap),
                                           duration_text(kLongestGap))},
          {!flow_->broken(), "the connection broke"}});
  }

  void check_stopped() {
    sender_->signal(SIGSTOP);
    check_gap("agent stopped");
    sender_->signal(SIGCONT);
  }

  void check_killed() {
    sender_->signal(SIGKILL);
    sender_->has_ended(1'000);
    check_gap("agent killed");
  }

  void check_traces(const std::string& before) {
    flow_.reset();
    for (const auto& [name, network] : {std::pair<std::string, const Descriptor*>{"sender", &network_.sender()},
                                        {"receiver", &network_.receiver()}}) {
      const Inside inside(*network);
      const ProgramResult off = run_program(command(name, {"off"}), 20'000);
      if (!off.ok()) step("off", false, off.output);
    }
    receiver_->has_ended(3'000);
    const std::string after = traces();
    step("no trace", after == before,
         after == before ? "qdiscs, filters, segment sizes and rules are as before"
                         : fmt::format("before: {}; after: {}", before, after));
  }

  Mode mode_;
  std::string program_;
  const std::function<void(const SelftestStep&)>& tell_;
  Folder folder_;
  SmallNetwork network_;
  std::optional<Running> receiver_;
  std::optional<Running> sender_;
  std::optional<TestFlow> flow_;
  bool good_ = true;
};

}  // namespace

std::string to_line(Mode mode, const SelftestStep& step) {
  return fmt::format("{:<6} {:<14} {:<6} {}\n", name_of(mode), step.name, step.good ? "good" : "FAILED", step.what);
}

bool selftest(Mode mode, const std::string& program, const std::function<void(const SelftestStep&)>& tell) {
  return Selftest(mode, program, tell).run();
}

}  // namespace weir::hosts
