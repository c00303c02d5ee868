// One TCP connection between two network namespaces, that sends as fast as it may, and how long nothing arrived.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "hosts/path/descriptor.h"

namespace weir::hosts {

class TestFlow {
 public:
  // From this network to the address in that one. Throws std::runtime_error.
  TestFlow(const Descriptor& from, const Descriptor& to, const std::string& address);
  TestFlow(const TestFlow&) = delete;
  TestFlow& operator=(const TestFlow&) = delete;
  ~TestFlow();

  // From now on gaps and bytes count anew.
  void restart();
  // ns, of those that have ended and the one that lasts.
  std::int64_t longest_gap() const;
  std::uint64_t bytes() const { return bytes_; }
  bool broken() const { return broken_; }

 private:
  void send_all();
  void receive_all();

  Descriptor sender_;
  Descriptor receiver_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> broken_ = false;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::int64_t> last_ = 0;  // when something arrived
  std::atomic<std::int64_t> gap_ = 0;
  std::thread sending_;
  std::thread receiving_;
};

}  // namespace weir::hosts
