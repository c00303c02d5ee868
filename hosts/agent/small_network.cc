#include "hosts/agent/small_network.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace weir::hosts {
namespace {

constexpr const char* kOwnNetwork = "/proc/thread-self/ns/net";

Descriptor open_network() {
  Descriptor out(::open(kOwnNetwork, O_RDONLY | O_CLOEXEC));
  if (!out) throw std::runtime_error(fmt::format("the network namespace cannot be opened: {}", std::strerror(errno)));
  return out;
}

Descriptor new_network() {
  const Descriptor before = open_network();
  if (::unshare(CLONE_NEWNET) != 0)
    throw std::runtime_error(fmt::format("no network namespace can be made: {}; run it as root", std::strerror(errno)));
  Descriptor out = open_network();
  ::setns(before.get(), CLONE_NEWNET);
  return out;
}

void run(const Descriptor& network, const std::string& command) {
  std::vector<std::string> words;
  std::istringstream in(command);
  for (std::string word; in >> word;) words.push_back(word);
  const Inside inside(network);
  const ProgramResult result = run_program(words);
  if (!result.ok())
    throw std::runtime_error(fmt::format("{} failed: {}", command, result.output.substr(0, result.output.find('\n'))));
}

std::string path_of(const Descriptor& network) { return fmt::format("/proc/{}/fd/{}", ::getpid(), network.get()); }

}  // namespace

Inside::Inside(const Descriptor& network) : before_(open_network()) {
  if (::setns(network.get(), CLONE_NEWNET) != 0)
    throw std::runtime_error(fmt::format("the network cannot be entered: {}", std::strerror(errno)));
}

Inside::~Inside() { ::setns(before_.get(), CLONE_NEWNET); }

SmallNetwork::SmallNetwork() : sender_(new_network()), router_(new_network()), receiver_(new_network()) {
  const auto connect = [&](const Descriptor& host, const char* side, const char* address, const char* gateway) {
    run(router_, fmt::format("ip link add {} type veth peer name {} netns {}", side, kInterface, path_of(host)));
    run(router_, fmt::format("ip address add {}/24 dev {}", gateway, side));
    run(router_, fmt::format("ip link set {} up", side));
    run(host, "ip link set lo up");
    run(host, fmt::format("ip address add {}/24 dev {}", address, kInterface));
    run(host, fmt::format("ip link set {} up", kInterface));
    run(host, fmt::format("ip route add default via {}", gateway));
  };
  connect(sender_, "left", kSender, "10.77.1.254");
  connect(receiver_, "right", kReceiver, "10.77.2.254");
  // a super-packet as large as the bucket would never pass
  run(sender_, fmt::format("ip link set {} gso_max_size 6000", kInterface));
  run(router_, "tc qdisc add dev right root tbf rate 50mbit burst 10000 limit 500000");
  const Inside inside(router_);
  std::ofstream forward("/proc/sys/net/ipv4/ip_forward");
  if (!(forward << 1 << std::flush)) throw std::runtime_error("the router's namespace cannot be told to forward");
}

Running::Running(const Descriptor& network, const std::vector<std::string>& command, const std::string& log_file) {
  const Inside inside(network);
  std::vector<char*> argv;
  for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const Descriptor output(::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process can be started");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(output.get(), STDOUT_FILENO);
    ::dup2(output.get(), STDERR_FILENO);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
}

Running::~Running() {
  if (ended_) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Running::signal(int number) const {
  if (!ended_) ::kill(pid_, number);
}

bool Running::has_ended(int timeout_ms) {
  for (int waited = 0; !ended_; waited += 10) {
    ended_ = ::waitpid(pid_, nullptr, WNOHANG) == pid_;
    if (ended_ || waited >= timeout_ms) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return ended_;
}

std::string traces_in(const Descriptor& network) {
  const Inside inside(network);
  const std::string interface = SmallNetwork::kInterface;
  std::string out;
  std::string line;
  for (const auto& command : {std::vector<std::string>{"tc", "qdisc", "show", "dev", interface},
                              {"tc", "filter", "show", "dev", interface, "ingress"},
                              {"tc", "filter", "show", "dev", interface, "egress"},
                              {"ip", "-d", "link", "show", "dev", interface}})
    for (std::istringstream in(run_program(command).output); std::getline(in, line);)
      if (!line.starts_with("Error")) out += line + "\n";  // what the kernel says of other namespaces at times
  // handles of qdiscs that the kernel gives count on
  out = std::regex_replace(out, std::regex("qdisc (\\w+) [0-9a-f]+:"), "qdisc $1");
  for (const char* program : {"iptables-save", "ip6tables-save"}) {
    std::istringstream in(run_program({program}).output);
    while (std::getline(in, line))
      if (line.starts_with("*") || line.starts_with("-A")) out += line + "\n";  // tables and rules
  }
  return out;
}

}  // namespace weir::hosts
