// The messages of a program by kind: those of the same hosts, path and size, which may take equally long.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/traffic/flow.h"
#include "weir/traffic/program.h"

namespace weir::engine {

// The ports that data and acknowledgements of a flow may leave by, each once.
std::vector<std::uint32_t> ports_both_ways(const Model& model, std::uint32_t src, std::uint32_t dst,
                                           std::uint32_t entropy, std::uint16_t profile);

// The ports that a flow's data may leave by, each once.
std::vector<std::uint32_t> data_ports(const Model& model, std::uint32_t src, std::uint32_t dst, std::uint32_t entropy,
                                      std::uint16_t profile);

// The kinds of a program's messages, numbered from 0. Constant after construction.
class SkippableKinds {
 public:
  SkippableKinds(const Model& model, const traffic::Program& program);

  std::uint32_t size() const { return static_cast<std::uint32_t>(first_port_.size() - 1); }
  // The kind of a node that is a message.
  std::uint32_t of(std::uint32_t node) const { return kind_of_[node]; }
  // How many messages there are of the kind.
  std::uint32_t count(std::uint32_t kind) const { return counts_[kind]; }
  std::span<const std::uint32_t> ports(std::uint32_t kind) const {
    return {ports_.data() + first_port_[kind], first_port_[kind + 1] - first_port_[kind]};
  }
  // The kinds whose messages may use the port.
  std::span<const std::uint32_t> at(std::uint32_t port) const { return at_port_[port]; }

 private:
  std::vector<std::uint32_t> kind_of_;  // by node
  std::vector<std::uint32_t> counts_;
  std::vector<std::size_t> first_port_{0};
  std::vector<std::uint32_t> ports_;
  std::vector<std::vector<std::uint32_t>> at_port_;
};

}  // namespace weir::engine
