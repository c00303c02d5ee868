// A network on this one machine for the self-test: two hosts and a router between them, each a network namespace that
// nobody else sees and that goes away with this process.
//
//   sender 10.77.1.1 --- router --- 10.77.2.2 receiver
//
// The router's link to the receiver is the bottleneck, with a deep buffer. It routes and does not bridge, since TCP
// small queues would see the bottleneck on a bridge, and nothing would queue.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "hosts/agent/program.h"
#include "hosts/path/descriptor.h"

namespace weir::hosts {

// While it lives, this thread is in another network namespace.
class Inside {
 public:
  explicit Inside(const Descriptor& network);
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();

 private:
  Descriptor before_;
};

class SmallNetwork {
 public:
  static constexpr const char* kInterface = "weir0";  // of both hosts
  static constexpr const char* kSender = "10.77.1.1";
  static constexpr const char* kReceiver = "10.77.2.2";
  static constexpr const char* kRate = "50 Mbps";

  // Throws std::runtime_error that says what is missing.
  SmallNetwork();

  const Descriptor& sender() const { return sender_; }
  const Descriptor& receiver() const { return receiver_; }

 private:
  Descriptor sender_;
  Descriptor router_;
  Descriptor receiver_;
};

// A program that runs in a network until it is ended; it ends with this process.
class Running {
 public:
  Running(const Descriptor& network, const std::vector<std::string>& command, const std::string& log_file);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();  // SIGKILL

  void signal(int number) const;
  // Whether it has ended, within that time.
  bool has_ended(int timeout_ms);
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
};

// What could be changed on a host's interface: qdiscs, filters, segment sizes, rules of netfilter; to be compared.
std::string traces_in(const Descriptor& network);

}  // namespace weir::hosts
