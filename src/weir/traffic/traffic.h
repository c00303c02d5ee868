// All flows of a scenario in the order of their start, handed over as time passes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"
#include "weir/traffic/program.h"

namespace weir::traffic {

// Merges the sources by (start, place of the source) and numbers their flows in this order, from 0 or, where there are
// programs, behind their nodes. Memory follows the hosts, the sources and the programs' nodes, not the other flows.
class Traffic {
 public:
  explicit Traffic(std::uint32_t hosts);

  // Takes a source whose flows get these labels; without labels they keep their own.
  void add(std::unique_ptr<Source> source, std::optional<Labels> labels);

  // Takes messages that start when others have ended. Those between the same two hosts get the same ports, as if they
  // shared a connection.
  void add(Program program);
  // All of them as one; its messages are not among the flows below.
  const Program& program() const { return program_; }

  // When the next flow starts; nothing when there is none any more.
  std::optional<Time> peek() const;

  std::optional<Flow> next();
  // No further flow starts then or later, by the sources that have some left; Time::max() = that is not known before
  // all are drawn. Without messages that wait.
  Time end() const;

  // How many flows have been taken by now, and: takes flows until they are so many, at least as many as by now. Throws
  // InputError if there are not.
  std::uint64_t pulled() const { return flows_; }
  void skip_to(std::uint64_t pulled);

  // Appends all flows that start before `end`.
  void pull_until(Time end, std::vector<Flow>& out);

 private:
  struct Feed {
    std::unique_ptr<Source> source;
    std::optional<Labels> labels;
    Flow head;
  };
  struct Head {
    Time start;
    std::uint32_t feed = 0;
    friend constexpr auto operator<=>(const Head&, const Head&) = default;
  };

  void push_head(std::uint32_t feed);
  void assign_ports(Flow&);
  std::uint16_t next_port(std::uint32_t src);

  std::vector<Feed> feeds_;
  std::vector<Head> heap_;
  Program program_;
  std::uint64_t flows_ = 0;
  std::vector<std::uint16_t> ports_given_;  // per host, modulo kSourcePorts
};

// A flow without ports gets the source port kFirstSourcePort + how many of its sender's flows
// got one before it, modulo kSourcePorts, and the destination port kDestinationPort (the
// numbers of the HPCC artifact, which counts per pair of hosts).
inline constexpr std::uint16_t kFirstSourcePort = 10000;
inline constexpr std::uint16_t kSourcePorts = 50000;
inline constexpr std::uint16_t kDestinationPort = 100;

}  // namespace weir::traffic
