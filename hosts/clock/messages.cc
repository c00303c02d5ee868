// What is said to peers and heard from them.
#include <algorithm>
#include <span>
#include <variant>

#include <sodium.h>

#include "hosts/clock/inside.h"
#include "hosts/clock/mesh.h"

namespace weir::hosts {
namespace {

using namespace clock;

constexpr std::int64_t kGreetEvery = 1'000'000'000;
constexpr std::int64_t kGreetAtMost = 100'000'000;  // in answer to strangers
constexpr std::int64_t kRouteEvery = 10'000'000'000;
// How often messages are looked at when there is nobody to probe.
constexpr std::int64_t kIdle = 50'000'000;

// Between 3/4 and 5/4 of it: neither in step with other hosts nor with what else is periodic.
std::int64_t about(std::int64_t interval) {
  return interval * 3 / 4 + randombytes_uniform(static_cast<std::uint32_t>(interval / 2));
}

}  // namespace

std::uint64_t ClockService::Inside::epoch() const {
  return static_cast<std::uint64_t>(read_clocks().realtime / settings_.key_lifetime);
}

// Who probes whom, by families of addresses.
void ClockService::Inside::choose() {
  for (const bool v6 : {false, true}) {
    std::vector<Address> others;
    std::vector<Link*> links;
    std::optional<Address> self;
    for (Link& link : links_) {
      if (link.address.v6 != v6) continue;
      others.push_back(link.address);
      links.push_back(&link);
      link.chosen = false;
      if (link.keys && !self) self = link.keys->local();
    }
    if (!self) continue;
    for (const std::size_t i : choose_neighbours(*self, others, settings_.neighbours)) links[i]->chosen = true;
  }
}

void ClockService::Inside::set_local(Link& link, const Address& local) {
  if (link.keys && link.keys->local() == local) return;
  link.keys.emplace(settings_.key, local, link.address, epoch());
  choose();
}

void ClockService::Inside::find_local(Link& link, std::int64_t now) {
  const bool is_heard = link.keys && within(now, link.heard, kRouteEvery);
  if (link.given_local || is_heard || within(now, link.routed, kRouteEvery)) return;
  link.routed = now;
  if (const auto local = routes_.source_for(link.address)) set_local(link, *local);
}

void ClockService::Inside::drain(std::int64_t now) {
  const std::uint64_t sets = post_->counters().time_sets;
  const bool sure = post_->drain(
      now, [&](auto bytes, std::int64_t when) { left(bytes, when); }, [&](const Arrival& in) { came(in, now); });
  if (post_->counters().time_sets != sets) tell_at_once_ = true;
  if (sure) return;
  // times of this moment may be wrong
  for (Link& link : links_) {
    link.pairs.clear();
    link.edge.doubt();
  }
}

void ClockService::Inside::left(std::span<const std::uint8_t> bytes, std::int64_t when) {
  // only probes are stamped, and they are at the end of what the kernel hands back
  if (bytes.size() < kProbeBytes) return;
  const auto header = read_header(bytes.last(kProbeBytes));
  if (!header) return;
  for (Link& link : links_) {
    if (link.session.ours() == header->from) link.pairs.left(header->number, when);
  }
}

bool ClockService::Inside::is_signed_by(Link& link, const Arrival& in, std::int64_t now) {
  const auto header = read_header(in.bytes);
  if (!header) return false;
  if (link.keys && link.keys->local() == in.to) {
    const auto key = link.keys->receive(header->key_id);
    return key && is_signed(in.bytes, *key);
  }
  // the peer knows us by another address than we thought: so we are that one, unless we were told otherwise
  if (link.given_local) return false;
  const KeyRing other(settings_.key, in.to, link.address, epoch());
  const auto key = other.receive(header->key_id);
  if (!key || !is_signed(in.bytes, *key)) return false;
  if (!link.keys || !within(now, link.heard, kRouteEvery)) set_local(link, in.to);
  return true;
}

void ClockService::Inside::came(const Arrival& in, std::int64_t now) {
  const auto message = read_message(in.bytes);
  if (!message) {
    ++refused_form_;
    return;
  }
  const auto found = by_address_.find(in.from);
  if (found == by_address_.end()) {
    ++refused_peer_;
    return;
  }
  Link& link = links_[found->second];
  if (!is_signed_by(link, in, now)) {
    ++link.refused_tag;
    return;
  }
  switch (link.session.heard(message->header)) {
    case Session::Verdict::repeated: ++link.refused_repeated; return;
    case Session::Verdict::stranger:
      if (message->header.kind != Kind::greeting) ++link.refused_session;
      if (!within(now, link.greeted, kGreetAtMost)) {
        greet(link, now);
      } else {
        link.greet_at = std::min(link.greet_at, link.greeted + kGreetAtMost);
      }
      return;
    case Session::Verdict::begins:
      link.pairs.clear();
      link.edge.doubt();
      link.known = false;
      reports_.forget(link.address);
      // by it the other learns that we have heard
      greet(link, now);
      break;
    case Session::Verdict::good: break;
  }
  good(link, *message, in.when, now);
}

void ClockService::Inside::good(Link& link, const Message& message, std::optional<std::int64_t> when,
                                std::int64_t now) {
  link.heard = now;
  switch (message.header.kind) {
    case Kind::greeting: break;
    case Kind::first:
    case Kind::second: {
      link.probed = now;
      if (when) link.pairs.came(message.header.kind, message.header.number, *when);
      const auto& probe = std::get<Probe>(message.body);
      link.asked = probe.eager;
      if (!probe.record) break;
      if (message.header.kind == Kind::first) {
        observe(link, std::nullopt, link.pairs.theirs_left(*probe.record));
      } else {
        observe(link, link.pairs.ours_came(*probe.record), std::nullopt);
      }
      break;
    }
    case Kind::report: take(link, std::get<Report>(message.body), now); break;
  }
}

void ClockService::Inside::take(const Link& from, const Report& report, std::int64_t now) {
  for (const Link& link : links_) {
    if (link.keys && link.keys->local() == report.origin) return;
  }
  switch (reports_.take(report, now)) {
    case Reports::News::none: return;
    case Reports::News::more: break;
    case Reports::News::less: solve_at_once_ = true; break;
  }
  if (report.hops == 0) return;
  // on to those that have not had it from its origin
  Report next = report;
  --next.hops;
  for (Link& link : links_) {
    if (!link.is_neighbour(now) || link.address == from.address || link.address == report.origin) continue;
    const bool has_it = std::any_of(report.edges.begin(), report.edges.end(),
                                    [&](const ReportEdge& e) { return e.to == link.address; });
    if (!has_it) tell(link, next);
  }
}

void ClockService::Inside::tell(Link& link, const Report& report) {
  Buffer buffer;
  Header header = link.session.next(Kind::report);
  header.key_id = link.keys->id();
  const std::size_t size = write_report(buffer, header, report, link.keys->send());
  post_->write(link.keys->local(), link.address, std::span(buffer).first(size), false);
}

void ClockService::Inside::greet(Link& link, std::int64_t now) {
  find_local(link, now);
  link.greet_at = now + about(kGreetEvery);
  if (!link.keys) return;
  link.greeted = now;
  Buffer buffer;
  Header header = link.session.next(Kind::greeting);
  header.key_id = link.keys->id();
  const std::size_t size = write_greeting(buffer, header, link.keys->send());
  post_->write(link.keys->local(), link.address, std::span(buffer).first(size), false);
}

void ClockService::Inside::write_probes(const std::vector<Link*>& links, std::int64_t now) {
  Buffer buffer;
  const std::int64_t t = post_->ours(now);
  // all the first ones, then all the second ones: so the packets of a pair are apart without waiting
  for (const Kind kind : {Kind::first, Kind::second}) {
    for (Link* link : links) {
      Header header = link->session.next(kind);
      header.key_id = link->keys->id();
      if (kind == Kind::first) link->pairs.sending(header.number, t);
      const Probe body{link->eager,
                       kind == Kind::first ? link->pairs.record_of_ours(t) : link->pairs.record_of_theirs(t)};
      const std::size_t size = write_probe(buffer, header, body, link->keys->send());
      post_->write(link->keys->local(), link->address, std::span(buffer).first(size), true);
    }
  }
}

void ClockService::Inside::probe(std::int64_t now) {
  // those that are due, or will be soon, in one go
  const std::int64_t soon = now + settings_.interval / 2;
  const std::int64_t eagerly = now + about(settings_.interval);
  const std::int64_t relaxed = now + about(std::max(settings_.interval, settings_.relaxed));
  const std::int64_t rarely = now + about(rare_);
  std::int64_t next = now + std::max(kIdle, settings_.interval);
  std::vector<Link*> due;
  for (Link& link : links_) {
    if (!link.is_neighbour(now)) {
      if (now >= link.greet_at) greet(link, now);
      continue;
    }
    const bool eager = link.eager || link.asked;
    if (eager || link.probe_at <= soon) {
      due.push_back(&link);
      link.probe_at = eager ? eagerly : link.rare ? rarely : relaxed;
    }
    next = std::min(next, link.probe_at);
  }
  write_probes(due, now);
  next_probe_ = next;
}

}  // namespace weir::hosts
