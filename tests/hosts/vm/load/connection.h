// Connections of TCP between hosts: one end asks for so many bytes, the other sends them.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "tests/hosts/vm/load/loop.h"
#include "tests/hosts/vm/load/netns.h"

namespace weir::hosts::load {

// Answers what is asked for on any connection to it: a request is the number of bytes wanted, as a 64-bit integer.
class Server {
 public:
  Server(Loop&, const Host&);

 private:
  struct Answering {
    Descriptor socket;
    std::uint64_t owed = 0;  // bytes
    bool waits = false;      // for room in the socket
  };
  void accept_all();
  void serve(std::list<Answering>::iterator, std::uint32_t events);
  bool read_requests(Answering&);

  Loop& loop_;
  Descriptor listening_;
  std::list<Answering> answering_;
};

// The end that asks.
class Connection {
 public:
  Connection(Loop&, const Host& asking, const Host& sending);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `done` is called when all these bytes are there. One request at a time.
  void ask(std::uint64_t bytes, std::function<void()> done);

  bool busy() const { return wanted_ > 0; }
  std::uint64_t received() const { return received_; }  // bytes, of all requests
  // The longest time without data while some was owed, since this was called last; ns.
  std::int64_t take_longest_silence();
  // "" as long as the connection stands.
  const std::string& broken() const { return broken_; }

 private:
  void on_events(std::uint32_t events);
  void send_request();
  void heard(std::int64_t now);

  Loop& loop_;
  Descriptor socket_;
  bool connected_ = false;
  std::uint64_t asked_ = 0;   // a request that has to wait for the connection
  std::uint64_t wanted_ = 0;  // bytes
  std::uint64_t received_ = 0;
  std::int64_t last_heard_ = 0;
  std::int64_t longest_silence_ = 0;
  std::function<void()> done_;
  std::string broken_;
};

}  // namespace weir::hosts::load
