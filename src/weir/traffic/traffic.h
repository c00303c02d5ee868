// All flows of a scenario, handed over in the order of their start.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/archive.h"
#include "weir/traffic/context.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/flow.h"
#include "weir/traffic/program.h"

namespace weir::traffic {

// Merges the sources by (start, order of the sources) and numbers their flows in this order, from 0 or, if there are
// programs, after their nodes. Memory grows with the hosts, the sources and the programs' nodes, not with other flows.
class Traffic {
 public:
  explicit Traffic(std::uint32_t hosts);

  // Adds a source whose flows get these labels; without labels they keep their own.
  void add(std::unique_ptr<Source> source, std::optional<Labels> labels);

  // Adds messages that wait for each other. Those between the same two hosts get the same ports, as if they shared a
  // connection.
  void add(Program program);
  // All programs as one; its messages are not among the flows that next() returns.
  const Program& program() const { return program_; }

  // Adds a driver; a run drives its hosts by a copy of it.
  void add(std::unique_ptr<Driver> driver) { drivers_.push_back(std::move(driver)); }
  std::span<const std::unique_ptr<Driver>> drivers() const { return drivers_; }

  // Sets the names of tags; Flow::tag is an index into them.
  void name_tags(std::vector<std::string> names) { tags_ = std::move(names); }
  const std::vector<std::string>& tags() const { return tags_; }

  // The start of the next flow; nothing after the last flow.
  std::optional<Time> peek() const;

  std::optional<Flow> next();
  // No further flow starts then or later, by the sources that have some left; Time::max() = that is not known before
  // all are drawn. Without messages that wait.
  Time end() const;

  // Adds a flow at run time; ports that are 0 are chosen. Returns its id, kFirstInjected + the number of flows injected
  // before. Throws InputError if a host does not exist or the size is not valid.
  std::uint64_t inject(Flow flow);

  // A copy at the same position; from then on the two are drawn independently.
  std::unique_ptr<Traffic> clone() const;

  // Saves or restores the position. Loading draws the sources up to it, and throws InputError if they end before it or
  // are already beyond it.
  void archive(Saver& a);
  void archive(Loader& a);

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

  template <class A>
  void archive_all(A& a);
  Flow next_of_sources();
  bool is_injected_next() const;
  void push_head(std::uint32_t feed);
  void assign_ports(Flow&);
  std::uint16_t next_port(std::uint32_t src);

  std::vector<Feed> feeds_;
  std::vector<Head> heap_;
  std::vector<Flow> injected_;  // not yet drawn: a heap by (start, id)
  std::uint64_t injections_ = 0;
  Program program_;
  std::vector<std::unique_ptr<Driver>> drivers_;
  std::vector<std::string> tags_;
  std::uint64_t flows_ = 0;
  std::vector<std::uint16_t> ports_given_;  // per host, modulo kSourcePorts
};

// The first id of injected flows. Random streams follow the lower 32 bits of an id, and no other flow has the same.
inline constexpr std::uint64_t kFirstInjected = std::uint64_t{1} << 31;

// A flow without ports gets the source port kFirstSourcePort + how many of its sender's flows
// got one before it, modulo kSourcePorts, and the destination port kDestinationPort (the
// numbers of the HPCC artifact, which counts per pair of hosts).
inline constexpr std::uint16_t kFirstSourcePort = 10000;
inline constexpr std::uint16_t kSourcePorts = 50000;
inline constexpr std::uint16_t kDestinationPort = 100;
// The first source port of a driver's messages is so far from that of the source before it. A single source has the
// same ports as a program.
inline constexpr std::uint32_t kPortsApart = 1'009;

}  // namespace weir::traffic
