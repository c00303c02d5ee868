// A data path that only remembers what it was told.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "hosts/path/data_path.h"

namespace weir::hosts {

class FakePath : public DataPath {
 public:
  void set_peer(const Peer& peer) override {
    ++told;
    peers[peer.address] = peer;
  }
  void remove_peer(const Address& address) override { peers.erase(address); }
  void beat(std::int64_t now) override { beats.push_back(now); }
  Counters counters() override { return counts; }
  std::vector<FlowView> flows() override { return views; }
  void trace(std::function<void(const Decision&)> to) override { tracer = std::move(to); }
  void poll(int) override {
    ++polls;
    const std::lock_guard lock(mutex_);
    for (const auto& decision : std::exchange(decisions_, {}))
      if (tracer) tracer(decision);
  }
  std::string trouble() override { return problem; }
  void detach() override { ++detached; }

  // From any thread: what poll() will tell.
  void decide(std::vector<Decision> decisions) {
    const std::lock_guard lock(mutex_);
    decisions_ = std::move(decisions);
  }

  std::map<Address, Peer> peers;
  int told = 0;
  std::vector<std::int64_t> beats;
  Counters counts;
  std::vector<FlowView> views;
  std::function<void(const Decision&)> tracer;
  int polls = 0;
  std::string problem;
  int detached = 0;

 private:
  std::mutex mutex_;
  std::vector<Decision> decisions_;
};

inline Address host(const char* text) { return parse_address(text).value(); }

}  // namespace weir::hosts
