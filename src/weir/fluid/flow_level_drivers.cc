// What drivers ask for of hosts in a run at flow level, and what they are told.
#include <algorithm>
#include <tuple>
#include <utility>

#include "weir/fluid/flow_level.h"

namespace weir::fluid {

bool FlowLevel::is_later(const Due& a, const Due& b) {
  const auto key = [](const Due& due) {
    const traffic::Message& m = due.message;
    return std::tuple(due.at, due.kind, due.driver, due.word, due.from, m.id, m.dst, m.sport, m.dport, m.size);
  };
  return key(b) < key(a);
}

void FlowLevel::tell_driver() {
  const Due due = due_.top();
  due_.pop();
  traffic::Driver& driver = *drivers_[due.driver];
  traffic::Desk& desk = desk_.of(due.driver, due.host);
  switch (due.kind) {
    case DueKind::posted: return driver.posted(desk, due.from, due.word);
    case DueKind::brought: return driver.brought(desk, due.message);
    case DueKind::carried: return driver.carried(desk, due.message);
    case DueKind::woken: return driver.woken(desk, static_cast<std::uint32_t>(due.word));
    case DueKind::moved: {
      engine::ScaleUpSwitch& by = engine::switch_for(switches_[due.host], *driver.scale_up());
      by.begin(due.message, due.driver, now_);
      due_.push({.at = now_, .kind = DueKind::shared, .driver = due.driver, .host = due.host, .word = by.shared()});
      return;
    }
    case DueKind::shared: return share_switch(due);
  }
}

void FlowLevel::share_switch(const Due& due) {
  engine::ScaleUpSwitch& by = engine::switch_for(switches_[due.host], *drivers_[due.driver]->scale_up());
  if (by.shared() != due.word) return;
  for (const engine::ScaleUpSwitch::Transfer& t : by.take_ended(now_)) {
    const Time at = now_ + engine::behind_switch(*drivers_[t.driver]->scale_up(), lag_);
    for (const auto& [kind, host] : {std::pair(DueKind::brought, t.message.dst), {DueKind::carried, t.message.src}})
      due_.push({.at = at, .kind = kind, .driver = t.driver, .host = host, .message = t.message});
  }
  if (const Time next = by.share(now_); next < Time::max())
    due_.push({.at = next, .kind = DueKind::shared, .driver = due.driver, .host = due.host, .word = by.shared()});
}

void FlowLevel::HostDesk::move(traffic::Message message) {
  const traffic::ScaleUp by = level_.drivers_[driver_]->scale_up().value_or(traffic::ScaleUp{});
  engine::check_move(by, host_, message, level_.model_.topology.hosts);
  message.src = host_;
  message.started = level_.now_;
  level_.due_.push({.at = level_.now_ + engine::ahead_of_switch(by, level_.lag_),
                    .kind = DueKind::moved,
                    .driver = driver_,
                    .host = by.first_of(host_),
                    .from = host_,
                    .word = message.word,
                    .message = message});
}

void FlowLevel::HostDesk::send(traffic::Message message) {
  message.src = host_;
  message.started = level_.now_;
  if (message.id >= traffic::kAnyUnlistedId) {
    const std::uint64_t unlisted = message.id == traffic::kAnyId ? 0 : traffic::kUnlisted;
    message.id = unlisted | (std::uint64_t{host_} + 1) << 32 | level_.sent_by_[host_]++;
  }
  level_.start(message, driver_);
}

void FlowLevel::HostDesk::wake(Time at, std::uint32_t word) {
  level_.due_.push({.at = at, .kind = DueKind::woken, .driver = driver_, .host = host_, .word = word});
}

void FlowLevel::HostDesk::post(std::uint32_t host, std::uint64_t word, Time at) {
  level_.due_.push(
      {.at = std::max(at, level_.now_ + level_.lag_), .driver = driver_, .host = host, .from = host_, .word = word});
}

}  // namespace weir::fluid
