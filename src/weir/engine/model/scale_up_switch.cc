#include "weir/engine/model/scale_up_switch.h"

#include <algorithm>
#include <cmath>

#include "weir/base/error.h"
#include "weir/theory/max_min.h"
#include "weir/traffic/checks.h"

namespace weir::engine {

void ScaleUpSwitch::begin(const traffic::Message& message, std::uint32_t driver, Time now) {
  transfers_.push_back({.message = message,
                        .driver = driver,
                        .settled = now,
                        .left = 8 * static_cast<double>(message.size.count),
                        .ends = Time::max()});
}

std::vector<ScaleUpSwitch::Transfer> ScaleUpSwitch::take_ended(Time now) {
  std::vector<Transfer> out;
  const auto has_ended = [&](const Transfer& t) { return t.ends <= now; };
  std::copy_if(transfers_.begin(), transfers_.end(), std::back_inserter(out), has_ended);
  std::erase_if(transfers_, has_ended);
  return out;
}

Time ScaleUpSwitch::share(Time now) {
  ++shared_;
  if (transfers_.empty()) return Time::max();
  // The number of each link that is in use: the links out of hosts, then those into them.
  std::vector<std::uint32_t> number(2 * std::size_t{hosts_}, ~std::uint32_t{0});
  theory::Network network;
  const auto link = [&](std::size_t of) {
    if (number[of] == ~std::uint32_t{0}) {
      number[of] = static_cast<std::uint32_t>(network.capacities.size());
      network.capacities.push_back(static_cast<double>(rate_.bits_per_second));
    }
    return number[of];
  };
  for (const Transfer& t : transfers_)
    network.flows.push_back({.links = {link(t.message.src % hosts_), link(hosts_ + t.message.dst % hosts_)}});
  const std::vector<double> rates = theory::max_min(network).rates;
  Time next = Time::max();
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    Transfer& t = transfers_[i];
    // A transfer that keeps its rate keeps its end, so that nothing is rounded twice.
    if (rates[i] != t.rate) {
      t.left = std::max(0.0, t.left - t.rate * (now - t.settled).seconds());
      t.settled = now;
      t.rate = rates[i];
      // A thousandth of a picosecond is rounding.
      const double ps = std::ceil(t.left / t.rate * static_cast<double>(kPicosecondsPerSecond) - 1e-3);
      const auto last = static_cast<double>((Time::max() - now).ps);
      t.ends = ps < last ? now + Time{static_cast<std::int64_t>(ps)} : Time::max();
    }
    next = std::min(next, t.ends);
  }
  return next;
}

ScaleUpSwitch& switch_for(std::vector<ScaleUpSwitch>& of_server, const traffic::ScaleUp& by) {
  const auto known =
      std::find_if(of_server.begin(), of_server.end(), [&](const auto& s) { return s.is(by.group, by.rate); });
  return known != of_server.end() ? *known : of_server.emplace_back(by.group, by.rate);
}

Time ahead_of_switch(const traffic::ScaleUp& by, Time lag) { return std::max(by.latency / 2, lag); }
Time behind_switch(const traffic::ScaleUp& by, Time lag) { return std::max(by.latency - by.latency / 2, lag); }

void check_move(const traffic::ScaleUp& by, std::uint32_t host, const traffic::Message& message, std::uint32_t hosts) {
  if (message.dst == host || message.dst >= hosts || !by.joins(host, message.dst))
    throw InputError("dst", "a message moves to another host of its server");
  traffic::check_size(message.size);
}

}  // namespace weir::engine
