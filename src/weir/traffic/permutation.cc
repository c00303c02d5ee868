#include "weir/traffic/permutation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weir/traffic/checks.h"
#include "weir/traffic/hosts.h"

namespace weir::traffic {

namespace {

struct Chosen {
  std::vector<std::uint32_t> others;  // both in ascending order
  std::vector<std::uint32_t> elephants;
};

Chosen choose(const Permutation::Params& params, const Context& context) {
  Chosen out{parse_hosts(params.hosts, "hosts", context), {}};
  auto& hosts = out.others;
  const std::size_t members = params.members == 0 ? hosts.size() : params.members;
  if (members > hosts.size())
    throw InputError("members", fmt::format("{} is out of range; hosts are {}", members, hosts.size()));
  if (params.elephants == 1 || params.elephants > members)
    throw InputError("elephants", fmt::format("{} is out of range; valid is 0, or 2 to {}, as many as take part",
                                              params.elephants, members));
  if (params.elephants > 0 && params.elephant_size < Bytes{1})
    throw InputError("elephant_size", "0 B is out of range; write the size of each elephant");
  if (members - params.elephants < 2)
    throw InputError("hosts", fmt::format("'{}' leaves {} host(s); a permutation needs at least 2", params.hosts,
                                          members - params.elephants));
  std::sort(hosts.begin(), hosts.end());
  if (members < hosts.size() || params.elephants > 0) {
    hosts = place(hosts, Placement::random, 1, context);
    hosts.resize(members);
    const auto others = hosts.begin() + params.elephants;
    out.elephants.assign(hosts.begin(), others);
    hosts.erase(hosts.begin(), others);
    std::sort(hosts.begin(), hosts.end());
    std::sort(out.elephants.begin(), out.elephants.end());
  }
  return out;
}

// A random cyclic permutation (Sattolo, Information Processing Letters 22, 1986); draws of the stream from `draw` on.
std::vector<std::uint32_t> cycle(std::vector<std::uint32_t> hosts, const RandomStream& stream, std::uint64_t draw) {
  for (std::size_t i = hosts.size() - 1; i > 0; --i) std::swap(hosts[i], hosts[stream.below(draw + i, i)]);
  return hosts;
}

}  // namespace

Permutation::Permutation(const Params& params, const Context& context)
    : params_(params), hosts_(choose(params, context).others) {
  check_size(params.size);
  successor_ = cycle(hosts_, context.stream(Purpose::permutation), 0);
}

std::vector<Flow> Permutation::elephants(const Params& params, const Context& context) {
  const std::vector<std::uint32_t> hosts = choose(params, context).elephants;
  if (hosts.empty()) return {};
  Flow flow{.start = params.start,
            .size = params.elephant_size,
            .tag = context.labels.tag,
            .profile = context.labels.profile};
  if (context.tag_of) flow.tag = under_key("elephant_tag", [&] { return context.tag_of(params.elephant_tag, {}); });
  if (context.profile_of && !params.elephant_profile.empty())
    flow.profile = under_key("elephant_profile", [&] { return context.profile_of(params.elephant_profile, {}); });
  // continue behind the draws that chose the hosts
  const auto successor = cycle(hosts, context.stream(Purpose::placement), std::uint64_t{context.hosts()} + 1);
  std::vector<Flow> out;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    flow.src = hosts[i];
    flow.dst = successor[i];
    out.push_back(flow);
  }
  return out;
}

std::optional<Flow> Permutation::next() {
  if (sent_ == hosts_.size()) return std::nullopt;
  Flow flow;
  flow.start = params_.start;
  flow.src = hosts_[sent_];
  flow.dst = successor_[sent_++];
  flow.size = params_.size;
  return flow;
}

}  // namespace weir::traffic
