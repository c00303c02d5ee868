// A data path that only remembers what it was told.
#pragma once

#include <map>
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
    for (const auto& decision : std::exchange(decisions, {}))
      if (tracer) tracer(decision);
  }
  std::string trouble() override { return problem; }
  void detach() override { ++detached; }

  std::map<Address, Peer> peers;
  int told = 0;
  std::vector<std::int64_t> beats;
  Counters counts;
  std::vector<FlowView> views;
  std::function<void(const Decision&)> tracer;
  std::vector<Decision> decisions;
  int polls = 0;
  std::string problem;
  int detached = 0;
};

inline Address host(const char* text) { return parse_address(text).value(); }

}  // namespace weir::hosts
