// Stragglers: hosts whose computations take longer than those of others, by a factor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/context.h"

namespace weir::traffic {

class Stragglers {
 public:
  // No stragglers.
  Stragglers() = default;
  // `slow` lists the hosts as parse_hosts() takes it; "" = none. Throws InputError about the key `slow` if a host does
  // not exist or is not one of `hosts`.
  Stragglers(std::string_view slow, double factor, const std::vector<std::uint32_t>& hosts, const Context& context);

  // The time that this host takes where others take `of_others`, at most kMaxTime.
  Time time(std::uint32_t host, Time of_others) const {
    return is_slow_.empty() || !is_slow_[host] ? of_others : longer(of_others);
  }

 private:
  Time longer(Time time) const;

  double factor_ = 1;
  std::vector<bool> is_slow_;  // by host
};

// Describes the parameters. `what` names what takes longer; `needs` is the condition under which they have an effect.
template <class T>
void describe_stragglers(ParamList<T>& p, std::string_view what, const std::vector<Need>& needs = {}) {
  p.text("slow", &T::slow, "hosts whose " + std::string(what) + " take `slow_factor` times as long: stragglers").needs =
      needs;
  p.number("slow_factor", &T::slow_factor, 0.01, 1000, "how many times as long those of slow hosts take")
      .not_with("slow", {""});
}

}  // namespace weir::traffic
