#include "weir/engine/skip/skippable_kinds.h"

#include <algorithm>
#include <bit>

#include "weir/base/random.h"
#include "weir/net/link/packet.h"

namespace weir::engine {
namespace {

// The first ten binary digits of a size: sizes that agree in these count as the same, since the parts of a buffer that
// is not divisible without rest differ by a byte.
std::int64_t rough(Bytes size) {
  const int digits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size.count)));
  const int rest = std::max(0, digits - 10);
  return size.count >> rest << rest;
}

// Puts all ports of all shortest paths into `out`.
void spread(const Model& model, std::uint32_t src, std::uint32_t dst, std::vector<std::uint32_t>& out) {
  const net::Topology& topology = model.topology;
  out = model.routing.ports_to(src, dst);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t node = topology.port_peer(out[i]);
    if (node < topology.hosts) continue;
    for (const std::uint32_t port : model.routing.next_hops(node - topology.hosts, dst))
      if (std::find(out.begin(), out.end(), port) == out.end()) out.push_back(port);
  }
}

// The ports by which answers to data leave; `entropy` is that of the answers, and `came_by` the port of their host at
// which the data arrived.
std::vector<std::uint32_t> answer_ports(const Model& model, std::uint32_t from, std::uint32_t to, std::uint32_t entropy,
                                        const host::BalancingParams& balancing, std::uint32_t came_by) {
  using host::AnswerPorts;
  std::vector<std::uint32_t> out;
  if (!balancing.has_one_path() || balancing.answer_ports == AnswerPorts::free) {
    spread(model, from, to, out);
    return out;
  }
  if (balancing.answer_ports == AnswerPorts::hash) return model.routing.path(from, to, entropy);
  const net::Topology& topology = model.topology;
  for (out = {came_by}; topology.port_peer(out.back()) >= topology.hosts;)
    out.push_back(model.routing.egress(topology.port_peer(out.back()) - topology.hosts, to, entropy));
  return out;
}

}  // namespace

std::vector<std::uint32_t> data_ports(const Model& model, std::uint32_t src, std::uint32_t dst, std::uint32_t entropy,
                                      std::uint16_t profile) {
  if (model.profiles[profile].balancing.has_one_path()) return model.routing.path(src, dst, entropy);
  std::vector<std::uint32_t> out;
  spread(model, src, dst, out);
  return out;
}

std::vector<std::uint32_t> ports_both_ways(const Model& model, std::uint32_t src, std::uint32_t dst,
                                           std::uint32_t entropy, std::uint16_t profile) {
  std::vector<std::uint32_t> out = data_ports(model, src, dst, entropy, profile);
  const auto back = answer_ports(model, dst, src, net::answer_entropy(entropy), model.profiles[profile].balancing,
                                 net::Topology::reverse(out.back()));
  out.insert(out.end(), back.begin(), back.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::size_t SkippableKinds::HashOfKey::operator()(const Key& k) const {
  const auto ports = static_cast<std::uint32_t>(k.sport) | static_cast<std::uint32_t>(k.dport) << 16;
  const auto size = static_cast<std::uint32_t>(k.size) ^ static_cast<std::uint32_t>(k.size >> 32);
  const std::uint32_t hosts = mix32(mix32(k.src) ^ k.dst);
  return std::size_t{mix32(hosts ^ ports)} << 32 | mix32(hosts ^ mix32(size) ^ k.profile);
}

SkippableKinds::Key SkippableKinds::key_of(const traffic::Message& m) {
  return {.src = m.src, .dst = m.dst, .size = rough(m.size), .profile = m.profile, .sport = m.sport, .dport = m.dport};
}

SkippableKinds::SkippableKinds(const Model& model, const traffic::Program& program)
    : model_(model), at_port_(model.topology.ports()) {
  for (std::uint32_t node = 0; node < program.size(); ++node) {
    const traffic::Program::Node& n = program[node];
    if (!n.is_message()) continue;
    const std::uint32_t kind =
        add({.size = n.size, .src = n.src, .dst = n.dst, .profile = n.profile, .sport = n.sport, .dport = n.dport});
    counts_.resize(size());
    ++counts_[kind];
  }
  added_.clear();
}

std::optional<std::uint32_t> SkippableKinds::find(const traffic::Message& message) const {
  const auto at = known_.find(key_of(message));
  return at == known_.end() ? std::nullopt : std::optional(at->second);
}

std::uint32_t SkippableKinds::add(const traffic::Message& m) {
  const auto [at, is_new] = known_.try_emplace(key_of(m), size());
  if (!is_new) return at->second;
  const auto ports =
      ports_both_ways(model_, m.src, m.dst, model_.entropy_of(m.src, m.dst, m.sport, m.dport, m.profile), m.profile);
  for (const std::uint32_t port : ports) at_port_[port].push_back(at->second);
  ports_.insert(ports_.end(), ports.begin(), ports.end());
  first_port_.push_back(ports_.size());
  added_.push_back(m);
  return at->second;
}

}  // namespace weir::engine
