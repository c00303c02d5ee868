// Two hosts that are network namespaces with a cable between them. They go away with the process, whatever happens.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hosts/path/data_path.h"

namespace weir::hosts::lab {

class Namespace {
 public:
  // Throws std::system_error where this cannot be.
  Namespace();
  ~Namespace();
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;

  int descriptor() const { return descriptor_; }
  // Does something as this host; exceptions come through.
  void inside(const std::function<void()>& what) const;
  // The output of a command of the shell as this host; the command must succeed.
  std::string run(const std::string& command) const;

 private:
  int descriptor_ = -1;
};

// Both have an interface eth0, with 10.77.0.1 and fd77::1 the one, and 2 the other.
class Pair {
 public:
  Pair();

  Namespace one;
  Namespace two;
  // All that `off` must leave as it was.
  std::string state() const;
};

// A TCP connection between the hosts.
class Connection {
 public:
  // From `client` to `server`, whose address is given.
  Connection(const Namespace& client, const Namespace& server, const Address& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The client sends so many bytes for so long at most, and the server reads them; returns how many arrived as they
  // were sent.
  std::uint64_t send(std::uint64_t bytes, std::int64_t at_most_ns);
  std::uint16_t client_port() const { return client_port_; }
  std::uint16_t server_port() const { return server_port_; }

 private:
  int client_ = -1;
  int server_ = -1;
  std::uint16_t client_port_ = 0;
  std::uint16_t server_port_ = 0;
};

}  // namespace weir::hosts::lab
