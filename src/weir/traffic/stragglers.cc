#include "weir/traffic/stragglers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/traffic/hosts.h"

namespace weir::traffic {

Stragglers::Stragglers(std::string_view slow, double factor, const std::vector<std::uint32_t>& hosts,
                       const Context& context)
    : factor_(factor) {
  if (slow.empty()) return;
  is_slow_.resize(context.hosts());
  for (const std::uint32_t host : parse_hosts(slow, "slow", context)) {
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end())
      throw InputError("slow", fmt::format("host {} takes no part", host));
    is_slow_[host] = true;
  }
}

Time Stragglers::longer(Time time) const {
  const double ps = static_cast<double>(time.ps) * factor_;
  return ps < static_cast<double>(kMaxTime.ps) ? Time{std::llround(ps)} : kMaxTime;
}

}  // namespace weir::traffic
