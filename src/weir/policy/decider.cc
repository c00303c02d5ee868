#include "weir/policy/decider.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <variant>
#include <vector>

#include "weir/base/error.h"
#include "weir/policy/check.h"
#include "weir/policy/float_network.h"
#include "weir/policy/int8_network.h"

namespace weir::policy {
namespace {

constexpr std::size_t kMostInputs = 2 * kMaxHistory;

float read(const std::byte* p) {
  float v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}
void write(std::byte* p, float v) { std::memcpy(p, &v, sizeof(v)); }

// Two floats in one store, since a network reads them so.
void write_pair(float* p, float a, float b) {
  if constexpr (std::endian::native == std::endian::little) {
    const std::uint64_t both = std::uint64_t{std::bit_cast<std::uint32_t>(b)} << 32 | std::bit_cast<std::uint32_t>(a);
    std::memcpy(p, &both, sizeof(both));
  } else {
    p[0] = a;
    p[1] = b;
  }
}

}  // namespace

// What computes y, whatever its kind.
class Decider::Network {
 public:
  explicit Network(const Policy& policy) : kind_(make(policy)) {}

  std::size_t memory() const {
    return std::visit([](const auto& network) { return network.memory(); }, kind_);
  }
  float run(const float* inputs, std::byte* memory) const {
    if (const auto* whole = std::get_if<Int8Network>(&kind_)) return whole->run(inputs, memory);
    if (const auto* floats = std::get_if<FloatNetwork>(&kind_)) return floats->run(inputs, memory);
    return std::get_if<Tree>(&kind_)->run(inputs, memory);
  }

 private:
  class Tree {
   public:
    explicit Tree(const Policy& policy) : nodes_(policy.nodes) {}

    static std::size_t memory() { return 0; }
    float run(const float* inputs, std::byte*) const {
      const TreeNode* node = nodes_.data();
      while (node->feature >= 0)
        node = &nodes_[static_cast<std::size_t>(inputs[node->feature] < node->threshold ? node->left : node->right)];
      return node->value;
    }

   private:
    std::vector<TreeNode> nodes_;
  };

  using Any = std::variant<Tree, FloatNetwork, Int8Network>;
  static Any make(const Policy& policy) {
    check(policy);
    if (policy.kind == Kind::tree) return Tree(policy);
    if (policy.arithmetic == Arithmetic::int8) return Int8Network(policy);
    return FloatNetwork(policy);
  }

  Any kind_;
};

// Before the network's part, memory of the inputs `code` has the last factor, then the inputs of the decisions before.
Decider::Decider(const Policy& policy)
    : policy_(policy),
      clip_(static_cast<float>(policy.clip)),
      past_(policy.inputs == Inputs::code ? sizeof(float) * static_cast<std::size_t>(2 * policy.history - 1) : 0),
      network_(std::make_unique<const Network>(policy)) {
  if (memory() > kMaxMemory)
    throw InputError("layer", fmt::format("a flow would have to keep {} bytes; {} is the most. Take fewer units in "
                                          "LSTM layers, or int8",
                                          memory(), kMaxMemory));
}

Decider::~Decider() = default;

const Policy& Decider::policy() const { return policy_; }
std::size_t Decider::memory() const { return past_ + network_->memory(); }

void Decider::start(std::byte* memory) const {
  std::memset(memory, 0, this->memory());
  for (std::size_t at = 0; at < past_; at += 2 * sizeof(float)) {
    // the last factor, then pairs of factor and signal
    write(memory + (at == 0 ? 0 : at - sizeof(float)), 1);
  }
}

double Decider::decide(const Observation& observation, std::byte* memory) const {
  std::array<float, kMostInputs> inputs;
  float y;
  return decide(observation, memory, inputs, y);
}

double Decider::decide(const Observation& o, std::byte* memory, std::span<float> inputs, float& y) const {
  const auto limited = [this](float v) { return std::min(std::max(v, -clip_), clip_); };
  const auto width = static_cast<std::size_t>(policy_.width());
  if (inputs.size() < width) throw std::logic_error("there is no room for the inputs of the policy");
  if (policy_.inputs == Inputs::code) {
    write_pair(inputs.data(), limited(read(memory)), limited(static_cast<float>(signal(policy_.signal, o))));
    for (std::size_t i = 2; i < width; i += 2) {
      std::uint64_t pair;
      std::byte* const past = memory + (i - 1) * sizeof(float);
      std::memcpy(&pair, past, sizeof(pair));
      std::memcpy(past, &inputs[i - 2], sizeof(pair));
      std::memcpy(&inputs[i], &pair, sizeof(pair));
    }
  } else {
    const double sent = std::max(o.sent, std::uint32_t{1});
    inputs[0] = limited(static_cast<float>(o.rate));
    inputs[1] = limited(static_cast<float>(static_cast<double>(o.rtt.ps) / static_cast<double>(o.base_rtt.ps)));
    inputs[2] = limited(static_cast<float>(o.cnps / sent));
    inputs[3] = limited(static_cast<float>(o.nacks / sent));
  }
  y = network_->run(inputs.data(), memory + past_);
  const double change = policy_.step * static_cast<double>(y);
  // 1 + change, or 1 / (1 - change) of one below 0: both are made, for no machine foresees the sign
  const std::array<double, 2> factors{1 + std::abs(change), 1 / (1 + std::abs(change))};
  const double factor = factors[change < 0 ? 1 : 0];
  if (policy_.inputs == Inputs::code) write(memory, static_cast<float>(factor));
  return factor;
}

float Decider::evaluate(std::span<const float> inputs, std::byte* memory) const {
  if (inputs.size() != static_cast<std::size_t>(policy_.width()))
    throw std::logic_error("not as many inputs as the policy has");
  return network_->run(inputs.data(), memory + past_);
}

}  // namespace weir::policy
