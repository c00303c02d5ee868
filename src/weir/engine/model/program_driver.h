// The driver of a program (traffic/program.h): it starts each node when all events that the node waits for have
// happened.
//
// An event that a host notices itself (it has received a message, or the acknowledgement of one that it sent) takes
// effect there at once. An event of which another host has to be told takes effect there Desk::lag() later.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/program.h"

namespace weir::engine {

class ProgramDriver final : public traffic::Driver {
 public:
  // The program must outlive this.
  explicit ProgramDriver(const traffic::Program& program);

  std::uint64_t tasks() const override { return program_.size(); }
  bool posts() const override { return posts_; }
  void begin(traffic::Desk& desk) override;
  void received(traffic::Desk& desk, const traffic::Message& message) override;
  void sent(traffic::Desk& desk, const traffic::Message& message) override;
  // A node is due, or a computation has ended.
  void woken(traffic::Desk& desk, std::uint32_t node) override;
  // A node's event has happened at another host.
  void posted(traffic::Desk& desk, std::uint32_t from, std::uint64_t node) override;
  std::unique_ptr<Driver> clone() const override { return std::make_unique<ProgramDriver>(*this); }
  // All nodes are archived at once (archive_all).
  void archive(Saver&, std::uint32_t) override {}
  void archive(Loader&, std::uint32_t) override {}

  // By node: how many events it still waits for, and when its own events have happened. Only the receiver's turns write
  // `received`; only the sender's turns write everything else.
  std::vector<std::uint32_t>& waits() { return waits_; }
  std::vector<NodeTimes>& times() { return times_; }
  std::span<const NodeTimes> times() const { return times_; }

  // Archives all nodes.
  template <class A>
  void archive_all(A& a) {
    a.values(waits_);
    a.values(times_);
  }

 private:
  void end(traffic::Desk& desk, std::uint32_t node);
  void make_due(traffic::Desk& desk, std::uint32_t node);
  void happened(traffic::Desk& desk, std::uint32_t node, traffic::Event event);
  void note(traffic::Desk& desk, std::uint32_t node);

  const traffic::Program& program_;
  const bool posts_;
  std::vector<std::uint32_t> first_;  // nodes that wait for nothing, by host
  std::vector<std::uint32_t> waits_;
  std::vector<NodeTimes> times_;
};

}  // namespace weir::engine
