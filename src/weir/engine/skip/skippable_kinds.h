// Messages by kind: those of the same hosts, path and size, which may take equally long.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/flow.h"
#include "weir/traffic/program.h"

namespace weir::engine {

// The ports by which data and acknowledgements of a flow may leave, each once.
std::vector<std::uint32_t> ports_both_ways(const Model& model, std::uint32_t src, std::uint32_t dst,
                                           std::uint32_t entropy, std::uint16_t profile);

// The ports by which a flow's data may leave, each once.
std::vector<std::uint32_t> data_ports(const Model& model, std::uint32_t src, std::uint32_t dst, std::uint32_t entropy,
                                      std::uint16_t profile);

// Kinds, numbered from 0: those of a program's messages, then others in the order in which they are added.
class SkippableKinds {
 public:
  // The model must outlive this.
  SkippableKinds(const Model& model, const traffic::Program& program);

  std::uint32_t size() const { return static_cast<std::uint32_t>(first_port_.size() - 1); }
  // The kind of the message; nothing if it is not known yet.
  std::optional<std::uint32_t> find(const traffic::Message& message) const;
  // The kind of the message, which is added if it is not known yet.
  std::uint32_t add(const traffic::Message& message);
  // How many messages of the program are of the kind.
  std::uint32_t count(std::uint32_t kind) const { return kind < counts_.size() ? counts_[kind] : 0; }
  std::span<const std::uint32_t> ports(std::uint32_t kind) const {
    return {ports_.data() + first_port_[kind], first_port_[kind + 1] - first_port_[kind]};
  }
  // The kinds whose messages may use the port.
  std::span<const std::uint32_t> at(std::uint32_t port) const { return at_port_[port]; }

  template <class A>
  void archive(A& a) {
    std::vector<traffic::Message> added = added_;
    a.values(added);
    if constexpr (A::kLoads)
      for (const traffic::Message& message : added) add(message);
  }

 private:
  struct Key {
    std::uint32_t src = 0;
    std::uint32_t dst = 0;
    std::int64_t size = 0;
    std::uint16_t profile = 0;
    std::uint16_t sport = 0;
    std::uint16_t dport = 0;

    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& k) const;
  };
  static Key key_of(const traffic::Message& message);

  const Model& model_;
  std::unordered_map<Key, std::uint32_t, HashOfKey> known_;
  std::vector<std::uint32_t> counts_;    // of the program's kinds
  std::vector<traffic::Message> added_;  // the first of each other kind
  std::vector<std::size_t> first_port_{0};
  std::vector<std::uint32_t> ports_;
  std::vector<std::vector<std::uint32_t>> at_port_;
};

}  // namespace weir::engine
