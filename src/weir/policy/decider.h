// Decider: a policy made ready for decisions. One object serves all flows; what it remembers of a flow is in a few
// bytes that the flow keeps.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "weir/policy/policy.h"

namespace weir::policy {

class Decider {
 public:
  // The most that a flow has to keep, in bytes; memory() is what this policy needs of them, from the first byte on.
  static constexpr std::size_t kMaxMemory = 192;

  // Throws InputError if the policy's shape or a number in it is not valid.
  explicit Decider(const Policy& policy);
  ~Decider();
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;

  const Policy& policy() const;
  std::size_t memory() const;

  // A flow starts: sets memory() bytes, aligned to 4.
  void start(std::byte* memory) const;
  // A probe has returned: the factor for the flow's rate. The same bits on every machine.
  double decide(const Observation& observation, std::byte* memory) const;
  // The inputs that decide() has just computed from the observation and the memory, and the output y: for a learner.
  double decide(const Observation& observation, std::byte* memory, std::span<float> inputs, float& y) const;
  // The output y alone, of inputs that were computed elsewhere. Only the network's part of the memory is used.
  float evaluate(std::span<const float> inputs, std::byte* memory) const;

 private:
  class Network;

  Policy policy_;
  float clip_;
  std::size_t past_;  // bytes before the network's
  std::unique_ptr<const Network> network_;
};

}  // namespace weir::policy
