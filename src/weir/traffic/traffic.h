// All flows of a scenario in the order of their start, handed over as time passes.
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

  // Takes a driver; a run drives its hosts by a copy of it.
  void add(std::unique_ptr<Driver> driver) { drivers_.push_back(std::move(driver)); }
  std::span<const std::unique_ptr<Driver>> drivers() const { return drivers_; }

  // The names of tags: Flow::tag is an index into them.
  void name_tags(std::vector<std::string> names) { tags_ = std::move(names); }
  const std::vector<std::string>& tags() const { return tags_; }

  // When the next flow starts; nothing when there is none any more.
  std::optional<Time> peek() const;

  std::optional<Flow> next();
  // No further flow starts then or later, by the sources that have some left; Time::max() = that is not known before
  // all are drawn. Without messages that wait.
  Time end() const;

  // One more flow, from outside; its ports are chosen if they are 0. Returns its id, kFirstInjected + how many there
  // have been before. Throws InputError if there is no such host or the size is not valid.
  std::uint64_t inject(Flow flow);

  // The same sources where these are, drawn apart from now on.
  std::unique_ptr<Traffic> clone() const;

  // Where it is. Loaded, the sources are drawn up to there; throws InputError if they end before, or are beyond.
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
  std::vector<Flow> injected_;  // not yet taken: a heap by (start, id)
  std::uint64_t injections_ = 0;
  Program program_;
  std::vector<std::unique_ptr<Driver>> drivers_;
  std::vector<std::string> tags_;
  std::uint64_t flows_ = 0;
  std::vector<std::uint16_t> ports_given_;  // per host, modulo kSourcePorts
};

// Flows from outside are numbered from here: the streams of random numbers that follow the lower 32 bits of an id are
// those of no other flow.
inline constexpr std::uint64_t kFirstInjected = std::uint64_t{1} << 31;

// A flow without ports gets the source port kFirstSourcePort + how many of its sender's flows
// got one before it, modulo kSourcePorts, and the destination port kDestinationPort (the
// numbers of the HPCC artifact, which counts per pair of hosts).
inline constexpr std::uint16_t kFirstSourcePort = 10000;
inline constexpr std::uint16_t kSourcePorts = 50000;
inline constexpr std::uint16_t kDestinationPort = 100;
// Source ports of a driver's messages begin so far behind those of the source before. Of a source that is alone they
// are those of a program.
inline constexpr std::uint32_t kPortsApart = 1'009;

}  // namespace weir::traffic
