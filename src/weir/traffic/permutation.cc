#include "weir/traffic/permutation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weir/traffic/checks.h"
#include "weir/traffic/hosts.h"

namespace weir::traffic {

Permutation::Permutation(const Params& params, const Context& context)
    : params_(params), hosts_(parse_hosts(params.hosts, "hosts", context)) {
  check_size(params.size, context);
  if (hosts_.size() < 2)
    fail(context.where,
         fmt::format("hosts = '{}' is {} host(s); a permutation needs at least 2", params.hosts, hosts_.size()));
  std::sort(hosts_.begin(), hosts_.end());

  // a random cyclic permutation (Sattolo, Information Processing Letters 22, 1986)
  const auto stream = context.stream(Purpose::permutation);
  successor_ = hosts_;
  for (std::size_t i = successor_.size() - 1; i > 0; --i) std::swap(successor_[i], successor_[stream.below(i, i)]);
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
