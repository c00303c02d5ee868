// Network namespaces that exist already (/run/netns/NAME): sockets in them, counters of TCP, the queue of a device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weir::hosts::load {

// A file descriptor that is closed when its owner goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// While it lives this thread is in the namespace of that name. Throws std::system_error.
class InNamespace {
 public:
  explicit InNamespace(const std::string& name);
  ~InNamespace();
  InNamespace(const InNamespace&) = delete;
  InNamespace& operator=(const InNamespace&) = delete;

 private:
  Descriptor before_;
};

struct Host {
  std::string name;     // of the namespace
  std::string address;  // IPv4 or IPv6
};

// Non-blocking sockets of TCP. Throw std::system_error.
Descriptor listen_at(const Host&, std::uint16_t port);
Descriptor connect_to(const Host& from, const Host& to, std::uint16_t port);

// Counters of TCP in a namespace (/proc/net/snmp and netstat), by name: "RetransSegs", "TCPTimeouts", ...
std::map<std::string, std::int64_t> tcp_counters(const std::string& ns);

struct QueueState {
  std::int64_t backlog = 0;  // bytes
  std::int64_t drops = 0;    // packets (super-packets of offloads count once)
  std::int64_t sent = 0;     // bytes
};

// The root qdisc of a device, asked for again and again.
class QueueWatch {
 public:
  QueueWatch(const std::string& ns, const std::string& device);
  QueueState now();

 private:
  Descriptor socket_;
  int device_ = 0;
};

}  // namespace weir::hosts::load
