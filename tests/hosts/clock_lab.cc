#include "clock_lab.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace weir::hosts::test {
namespace {

constexpr double kLinkRate = 100e6;  // bit/s
constexpr std::uint16_t kSinkPort = 5'001;

void enter(int ns) {
  if (::setns(ns, CLONE_NEWNET) != 0) throw std::runtime_error("setns: " + std::string(std::strerror(errno)));
}

// On a thread of its own, since a thread that has changed its namespace is no good for anything else.
void on_thread(const std::function<void()>& what) {
  std::exception_ptr error;
  std::thread([&] {
    try {
      what();
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
}

int make_namespace() {
  int ns = -1;
  on_thread([&] {
    if (::unshare(CLONE_NEWNET) != 0) throw std::runtime_error("unshare: " + std::string(std::strerror(errno)));
    ns = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  });
  if (ns < 0) throw std::runtime_error("a network namespace cannot be opened");
  return ns;
}

void run(int ns, const std::string& text) {
  on_thread([&] {
    enter(ns);
    // the shell inherits the namespace of this thread
    const int status = std::system((text + " >&2").c_str());  // NOLINT(cert-env33-c)
    if (status != 0) throw std::runtime_error("failed: " + text);
  });
}

std::string path_of(int ns) { return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(ns); }

sockaddr_in name_of(std::size_t host, std::uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(0x0a4d0002u + (static_cast<std::uint32_t>(host + 1) << 8));
  return name;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Flows as web services have them: many small ones, most bytes in few large ones. 214 KB on average.
std::size_t draw_size(std::mt19937& random) {
  const double u = std::uniform_real_distribution<>(0, 1)(random);
  if (u < 0.5) return 10'000;
  if (u < 0.8) return 100'000;
  if (u < 0.95) return 500'000;
  return 2'080'000;
}
constexpr double kMeanSize = 214'000;
constexpr std::size_t kMostFlows = 200;

// Sources and sinks of all hosts in one loop.
void load(const std::vector<int>& hosts, double share, double seconds, std::uint32_t seed) {
  struct Sending {
    int socket;
    std::size_t left;
  };
  std::mt19937 random(seed);
  std::vector<int> listeners;
  std::vector<int> receiving;
  std::vector<Sending> sending;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    enter(hosts[i]);
    const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const sockaddr_in name = name_of(i, kSinkPort);
    if (::bind(s, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 || ::listen(s, 64) != 0) ::_exit(1);
    listeners.push_back(s);
  }
  const double rate = share * kLinkRate / 8 / kMeanSize * static_cast<double>(hosts.size());  // flows per second
  std::exponential_distribution<> gap(rate);
  const double end = seconds_now() + seconds;
  double next = seconds_now();
  std::vector<char> buffer(1 << 18);
  while (seconds_now() < end) {
    while (next <= seconds_now()) {
      next += gap(random);
      const std::size_t from = random() % hosts.size();
      const std::size_t to = (from + 1 + random() % (hosts.size() - 1)) % hosts.size();
      const std::size_t size = draw_size(random);
      if (sending.size() >= kMostFlows) continue;
      enter(hosts[from]);
      const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      const sockaddr_in name = name_of(to, kSinkPort);
      (void)::connect(s, reinterpret_cast<const sockaddr*>(&name), sizeof name);
      sending.push_back({s, size});
    }
    std::vector<pollfd> waits;
    for (const int s : listeners) waits.push_back({s, POLLIN, 0});
    for (const int s : receiving) waits.push_back({s, POLLIN, 0});
    for (const Sending& s : sending) waits.push_back({s.socket, POLLOUT, 0});
    const double wait = std::clamp((next - seconds_now()) * 1e3, 0.0, 20.0);
    ::poll(waits.data(), waits.size(), static_cast<int>(std::ceil(wait)));
    const std::size_t r = listeners.size();
    const std::size_t s = r + receiving.size();
    for (std::size_t k = s; k < waits.size(); ++k) {
      Sending& flow = sending[k - s];
      if (waits[k].revents == 0) continue;
      const ssize_t sent = ::send(flow.socket, buffer.data(), std::min(buffer.size(), flow.left), MSG_NOSIGNAL);
      if (sent > 0) flow.left -= static_cast<std::size_t>(sent);
      if (flow.left == 0 || (sent < 0 && errno != EAGAIN)) {
        ::close(flow.socket);
        flow.socket = -1;
      }
    }
    for (std::size_t k = r; k < s; ++k) {
      if (waits[k].revents == 0) continue;
      const ssize_t got = ::recv(receiving[k - r], buffer.data(), buffer.size(), 0);
      if (got == 0 || (got < 0 && errno != EAGAIN)) {
        ::close(receiving[k - r]);
        receiving[k - r] = -1;
      }
    }
    std::erase_if(sending, [](const Sending& f) { return f.socket < 0; });
    std::erase(receiving, -1);
    for (std::size_t k = 0; k < r; ++k) {
      if (waits[k].revents == 0) continue;
      const int flow = ::accept4(listeners[k], nullptr, nullptr, SOCK_NONBLOCK);
      if (flow >= 0) receiving.push_back(flow);
    }
  }
}

}  // namespace

std::string ClockLab::missing() {
  if (::geteuid() != 0) return "namespaces of hosts need root";
  if (std::system("ip -V >/dev/null 2>&1 && tc -V >/dev/null 2>&1") != 0) return "ip and tc (iproute2) are missing";
  try {
    ::close(make_namespace());
  } catch (const std::exception& error) {
    return std::string("network namespaces cannot be made here: ") + error.what();
  }
  return "";
}

ClockLab::ClockLab(std::size_t hosts) : switch_(make_namespace()) {
  for (std::size_t i = 0; i < hosts; ++i) hosts_.push_back(make_namespace());
  const auto shape = [](const std::string& device) {
    return fmt::format(
        "tc qdisc add dev {0} root handle 1: htb default 1 r2q 200 && tc class add dev {0} parent 1: classid 1:1 htb "
        "rate "
        "100mbit && tc qdisc add dev {0} parent 1:1 bfifo limit 1000000",
        device);
  };
  const auto configure = [&](std::size_t host, const char* device, int last) {
    return fmt::format(
        "ip address add 10.77.{0}.{1}/24 dev {2} && ip -6 address add fd77:0:0:{0}::{1}/64 dev {2} nodad && ip link "
        "set "
        "{2} up && {3}",
        host + 1, last, device, shape(device));
  };
  run(switch_, "ip link set lo up");
  on_thread([&] {
    enter(switch_);
    std::ofstream("/proc/sys/net/ipv4/ip_forward") << 1;
    std::ofstream("/proc/sys/net/ipv6/conf/all/forwarding") << 1;
    raw_ = ::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    if (raw_ < 0) throw std::runtime_error("a raw socket cannot be made");
  });
  for (std::size_t i = 0; i < hosts; ++i) {
    const std::string port = fmt::format("s{}", i);
    run(switch_, fmt::format("ip link add {} type veth peer name eth0 netns {}", port, path_of(hosts_[i])));
    run(switch_, configure(i, port.c_str(), 1));
    run(hosts_[i], fmt::format("ip link set lo up && {} && ip route add default via 10.77.{}.1 && ip -6 route add "
                               "default via fd77:0:0:{}::1",
                               configure(i, "eth0", 2), i + 1, i + 1));
  }
}

ClockLab::~ClockLab() {
  stop_load();
  for (const int ns : hosts_) ::close(ns);
  ::close(raw_);
  ::close(switch_);
}

Address ClockLab::address(std::size_t host, bool v6) const {
  const auto net = static_cast<std::uint8_t>(host + 1);
  if (!v6) return {{10, 77, net, 2}, false};
  return {{0xfd, 0x77, 0, 0, 0, 0, 0, net, 0, 0, 0, 0, 0, 0, 0, 2}, true};
}

void ClockLab::forge(std::size_t from, std::size_t to, std::uint16_t port, std::span<const std::uint8_t> bytes) const {
  // the kernel fills in length and checksum of IP; UDP needs no checksum
  const std::size_t udp = 8 + bytes.size();
  std::vector<std::uint8_t> packet{0x45, 0, 0, 0, 0, 0, 0, 0, 64, IPPROTO_UDP, 0, 0};
  for (const std::size_t host : {from, to}) {
    const Address a = address(host);
    packet.insert(packet.end(), a.bytes.begin(), a.bytes.begin() + 4);
  }
  for (const std::size_t field : {std::size_t{port}, std::size_t{port}, udp, std::size_t{0}}) {
    packet.push_back(static_cast<std::uint8_t>(field >> 8));
    packet.push_back(static_cast<std::uint8_t>(field));
  }
  packet.insert(packet.end(), bytes.begin(), bytes.end());
  const sockaddr_in name = name_of(to, 0);
  ::sendto(raw_, packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&name), sizeof name);
}

void ClockLab::in(std::size_t host, const std::function<void()>& what) const {
  on_thread([&] {
    enter(hosts_[host]);
    what();
  });
}

void ClockLab::command(std::size_t host, const std::string& text) const { run(hosts_[host], text); }

void ClockLab::start_load(double share, double seconds, std::uint32_t seed) {
  load_ = ::fork();
  if (load_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    load(hosts_, share, seconds, seed);
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

std::uint64_t ClockLab::bytes_sent(std::size_t host) const {
  std::uint64_t bytes = 0;
  in(host, [&] {
    std::ifstream devices("/proc/thread-self/net/dev");
    for (std::string line; std::getline(devices, line);) {
      std::istringstream fields(line);
      std::string name;
      fields >> name;
      if (name != "eth0:") continue;
      for (int i = 0; i < 9; ++i) fields >> bytes;
    }
  });
  return bytes;
}

void ClockLab::stop_load() {
  if (load_ <= 0) return;
  ::kill(load_, SIGKILL);
  ::waitpid(load_, nullptr, 0);
  load_ = -1;
}

}  // namespace weir::hosts::test
