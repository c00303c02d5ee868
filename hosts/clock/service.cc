#include "hosts/clock/service.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <sodium.h>

#include "hosts/clock/inside.h"
#include "hosts/clock/line.h"

namespace weir::hosts {
namespace {

using namespace clock;

// Least squares make the errors of pairs smaller, as if they were independent; the bound is so much larger.
constexpr double kBound = 1.5;
constexpr std::int64_t kAlive = 3'000'000'000;
// How far ahead the error of a pair is looked at to tell whether it needs more probes.
constexpr std::int64_t kLookAhead = 1'000'000'000;
// And the share of pure pairs below which it does in any case, unless single probes are seen to be as fast as ever.
constexpr double kQuiet = 0.5;
// Of what is tolerated, so much is ample: pairs whose error is less and whose paths are seen not to queue are probed
// rarely, since what may happen until this is noticed does not make the error more than is tolerated.
constexpr double kAmple = 0.2;
// Rarely: so many times less often than is relaxed, but so many times before a clock is stale and in a window.
constexpr std::int64_t kRarer = 4;
constexpr std::int64_t kBeforeStale = 4;
constexpr std::int64_t kInWindow = 10;
// A pair that is probed rarely and was not observed for so many times as long is looked at at once.
constexpr std::int64_t kMissed = 3;
constexpr std::uint8_t kHops = 3;
// From one fit to the next, so many looks for lines instead of poor ones.
constexpr std::int64_t kLooks = 5;

void require(bool condition, const char* reason) {
  if (!condition) throw std::invalid_argument(reason);
}

const ClockSettings& checked(const ClockSettings& s) {
  require(s.key != nullptr, "key: there must be one");
  require(s.key_lifetime > 0, "key_lifetime: must be positive");
  require(s.neighbours >= 2 && s.neighbours <= kMostEdges, "neighbours: must be 2 to 28");
  require(s.interval >= 1'000'000 && s.interval <= 100'000'000, "interval: must be 1 to 100 ms");
  require(s.relaxed >= 0 && s.relaxed <= 100'000'000, "relaxed: must be at most 100 ms");
  require(s.window >= 100 * s.interval, "window: must be 100 intervals at least");
  require(s.step >= 10'000'000 && s.step <= s.window && s.step <= 2'000'000'000,
          "step: must be 10 ms to 2 s, and a window at most");
  require(s.wander >= 0 && s.epsilon >= 0 && s.enough >= 0 && s.tolerated >= 0,
          "wander, epsilon, enough and tolerated: must not be negative");
  require(s.stale_after >= 10 * std::max(s.interval, s.relaxed),
          "stale_after: must be 10 intervals at least, also of relaxed ones");
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be used");
  return s;
}

std::int64_t rare_interval(const ClockSettings& s) {
  const std::int64_t most = std::min(s.stale_after / kBeforeStale, s.window / kInWindow);
  return std::max({s.interval, s.relaxed, std::min(kRarer * s.relaxed, most)});
}

std::unique_ptr<HardwareClock> hardware(const ClockSettings& s, std::string& why) {
  if (!s.hardware) return why = "not asked for", nullptr;
  // stamps do not tell by which interface's clock they are
  if (s.interfaces.size() != 1) return why = "there are several interfaces", nullptr;
  return find_hardware_clock(s.interfaces.front(), why);
}

}  // namespace

std::string_view name_of(ClockCondition condition) {
  switch (condition) {
    case ClockCondition::silent: return "silent";
    case ClockCondition::measuring: return "measuring";
    case ClockCondition::synchronised: return "synchronised";
    case ClockCondition::stale: return "stale";
    case ClockCondition::stepped: return "stepped";
  }
  return "";
}

ClockService::Inside::Inside(const ClockSettings& settings, std::unique_ptr<Post> post)
    : settings_(checked(settings)),
      rare_(rare_interval(settings_)),
      ample_(kAmple * static_cast<double>(settings_.tolerated)),
      post_(std::move(post)) {
  if (!post_) {
    const TestClock test{settings_.test_clock_offset, settings_.test_clock_drift, settings_.test_clock_start};
    post_ = std::make_unique<SocketPost>(settings_.port, hardware(settings_, why_no_hardware_), test);
  }
  const ClockReading now = read_clocks();
  started_ = static_cast<std::uint64_t>(now.realtime);
  next_probe_ = next_fit_ = now.before;
  set_peers(settings_.peers);
  for (const ClockMemory& m : settings_.memory) {
    if (const auto found = by_address_.find(m.address); found != by_address_.end()) {
      links_[found->second].edge.restore(m.known);
    }
  }
}

void ClockService::Inside::set_peers(const std::vector<ClockPeer>& peers) {
  Post::Families families;
  for (const ClockPeer& peer : peers) (peer.address.v6 ? families.v6 : families.v4) = true;
  post_->open(families);
  std::vector<Link> before = std::exchange(links_, {});
  const auto places = std::exchange(by_address_, {});
  links_.reserve(peers.size());
  for (const ClockPeer& peer : peers) {
    if (!by_address_.emplace(peer.address, links_.size()).second) continue;
    const auto known = places.find(peer.address);
    if (known != places.end() && before[known->second].given_local == peer.local) {
      links_.push_back(std::move(before[known->second]));
    } else {
      links_.emplace_back(peer, settings_.window, 2 * settings_.wander * 1e-9, settings_.epsilon,
                          std::max(ample_, static_cast<double>(settings_.epsilon)));
    }
  }
  for (const auto& [address, place] : places) {
    if (!by_address_.contains(address)) reports_.forget(address);
  }
  const std::int64_t now = read_clocks().before;
  for (Link& link : links_) {
    if (link.given_local) {
      set_local(link, *link.given_local);
    } else {
      find_local(link, now);
    }
  }
  choose();
}

void ClockService::Inside::on_timer(std::int64_t now) {
  drain(now);
  watch(now);
  const bool fit = now >= next_fit_;
  if (fit) {
    measure(now);
    next_fit_ = std::max(next_fit_ + settings_.step, now + settings_.step / 2);
    next_look_ = now + settings_.step / kLooks;
  } else if (now >= next_look_) {
    improve(now);
    next_look_ = now + settings_.step / kLooks;
  }
  if (fit || tell_at_once_) report(now);
  if (fit || tell_at_once_ || solve_at_once_) solve(now);
  tell_at_once_ = solve_at_once_ = false;
  if (now >= next_probe_) probe(now);
  post_->flush();
}

void ClockService::Inside::observe(Link& link, const std::optional<Observation>& ours,
                                   const std::optional<Observation>& theirs) {
  if (!ours && !theirs) return;
  ++link.observations;
  if (ours ? link.edge.add_ours(*ours) : link.edge.add_theirs(*theirs)) return;
  link.lost = ClockCondition::stepped;
}

void ClockService::Inside::measure(std::int64_t now) {
  const std::int64_t t = post_->ours(now);
  for (Link& link : links_) {
    if (link.keys) link.keys->at(epoch());
    if (!within(t, link.edge.last_seen(), settings_.stale_after)) continue;
    if (!link.edge.fit(t)) link.lost = ClockCondition::stepped;
    const double error =
        link.edge.line() ? link.edge.estimate(t + kLookAhead).error : std::numeric_limits<double>::infinity();
    // where much queues, few probes tell anything; pairs are also pulled apart by hosts that are busy
    const bool queues = link.edge.purity() < kQuiet && !link.edge.knows_least_delay();
    link.rare = error <= ample_ && link.edge.knows_least_delay();
    link.eager = !link.rare && (error > static_cast<double>(settings_.enough) || queues);
  }
}

// Holding waits for the first line, and for the one that is known once a queue is gone: they are looked for between
// fits.
void ClockService::Inside::improve(std::int64_t now) {
  const std::int64_t t = post_->ours(now);
  for (Link& link : links_) {
    if (within(t, link.edge.last_seen(), settings_.stale_after) && link.edge.improve(t)) solve_at_once_ = true;
  }
}

void ClockService::Inside::hurry(Link& link, std::int64_t now) {
  if (!link.eager) next_probe_ = std::min(next_probe_, now);
  link.eager = true;
  link.rare = false;
}

// Whether what was known still is.
void ClockService::Inside::watch(std::int64_t now) {
  for (Link& link : links_) {
    const bool known = is_measured(link, now);
    if (link.known && !known) {
      tell_at_once_ = true;
      hurry(link, now);
      if (link.edge.line()) link.lost = ClockCondition::stale;
    }
    const bool missed = link.rare && !within(post_->ours(now), link.edge.last_seen(), kMissed * rare_);
    if (missed || link.edge.is_alarmed()) hurry(link, now);
    if (known && !link.known) link.lost = ClockCondition::measuring;
    link.known = known;
  }
}

void ClockService::Inside::report(std::int64_t now) {
  Report report{.hops = kHops,
                .started = started_,
                .number = ++reported_,
                .at = post_->ours(now),
                .time_of_day = post_->time_of_day()};
  for (const Link& link : links_) {
    if (!is_measured(link, now) || report.edges.size() == most_edges(report)) continue;
    const Estimate e = link.edge.estimate(report.at);
    report.edges.push_back({link.address, e.offset, e.drift, e.error, e.growth, e.bias});
  }
  for (Link& link : links_) {
    if (!link.is_neighbour(now)) continue;
    report.origin = link.keys->local();
    tell(link, report);
  }
}

void ClockService::Inside::solve(std::int64_t now) {
  reports_.expire(now);
  std::vector<OwnEdge> own;
  std::vector<Address> self;
  for (const Link& link : links_) {
    if (link.keys) self.push_back(link.keys->local());
    if (is_measured(link, now)) own.push_back({link.address, link.edge.estimate(post_->ours(now))});
  }
  clocks_.solve(own, reports_, self, post_->ours(now));
}

std::optional<ClockLine> ClockService::Inside::line(const Address& peer, std::int64_t now, std::int64_t horizon) const {
  const auto found = by_address_.find(peer);
  return found == by_address_.end() ? std::nullopt : line(links_[found->second], now, horizon);
}

std::optional<ClockLine> ClockService::Inside::line(const Link& link, std::int64_t now, std::int64_t horizon) const {
  // who is probed must answer, whatever others say of it
  if (link.chosen && !is_measured(link, now)) return std::nullopt;
  const std::int64_t t = post_->ours(now);
  if (!within(t, clocks_.solution().at, 2 * settings_.step)) return std::nullopt;
  const auto found = clocks_.find(link.address);
  if (!found) return std::nullopt;
  const double error = kBound * found->error_at(t + horizon) + static_cast<double>(post_->error());
  return ClockLine{found->at, found->offset, std::llround(found->drift / kDriftUnit),
                   static_cast<std::int64_t>(std::ceil(std::min(error, 1e18)))};
}

// Clocks differ by what the line says; and either host's time of day is ahead of its clock.
std::optional<TimeDifference> ClockService::Inside::time_difference(const PeerClock& peer, const TimeOfDay& ours,
                                                                    std::int64_t now) const {
  const Report* report = reports_.find(peer.address);
  if (!peer.line || report == nullptr || !report->time_of_day) return std::nullopt;
  const TimeOfDay& theirs = *report->time_of_day;
  return TimeDifference{now + ours.ahead, offset_at(*peer.line, post_->ours(now)) + theirs.ahead - ours.ahead,
                        peer.line->sigma + theirs.error + ours.error};
}

ClockState ClockService::Inside::state(std::int64_t now) const {
  ClockState out;
  const auto time_of_day = post_->time_of_day();
  for (const Link& link : links_) {
    PeerClock& peer = out.peers.emplace_back();
    peer.address = link.address;
    peer.neighbour = link.is_neighbour(now);
    peer.line = line(link, now, kClockHorizon);
    if (time_of_day) peer.time = time_difference(peer, *time_of_day, now);
    if (link.heard != kNever) peer.heard = link.heard;
    peer.purity = link.edge.purity();
    peer.observations = link.observations;
    peer.steps = link.edge.steps();
    peer.refused_tag = link.refused_tag;
    peer.refused_session = link.refused_session;
    peer.refused_repeated = link.refused_repeated;
    if (is_measured(link, now)) {
      const Estimate pair = link.edge.estimate(peer.line ? peer.line->at : post_->ours(now));
      peer.pair_offset = pair.offset;
      peer.pair_error = std::llround(pair.error);
      peer.least_delay = std::llround(link.edge.line()->margin);
      if (const auto found = clocks_.find(link.address); found && peer.line)
        peer.bias = std::min(peer.line->sigma, static_cast<std::int64_t>(std::min(kBound * found->bias, 1e18)));
    }
    if (peer.line) {
      peer.condition = ClockCondition::synchronised;
    } else if (link.lost != ClockCondition::measuring) {
      peer.condition = link.lost;
    } else if (link.known && !is_measured(link, now)) {
      peer.condition = ClockCondition::stale;
    } else if (within(now, link.heard, kAlive)) {
      peer.condition = ClockCondition::measuring;
    }
  }
  out.loops = clocks_.solution().loops;
  out.surplus = clocks_.solution().surplus;
  out.hardware_stamps = post_->has_hardware_stamps();
  out.why_no_hardware = why_no_hardware_;
  const Post::Counters& c = post_->counters();
  out.bytes_sent = c.bytes_sent;
  out.bytes_received = c.bytes_received;
  out.messages_sent = c.sent;
  out.messages_received = c.received;
  out.unstamped = c.unstamped;
  out.time_sets = c.time_sets;
  out.refused_form = refused_form_;
  out.refused_peer = refused_peer_;
  return out;
}

std::vector<ClockMemory> ClockService::Inside::memory() const {
  std::vector<ClockMemory> out;
  for (const Link& link : links_) {
    const EdgeMemory known = link.edge.memory();
    if (known.line) out.push_back({link.address, known});
  }
  return out;
}

ClockService::ClockService(const ClockSettings& settings, std::unique_ptr<Post> post)
    : inside_(std::make_unique<Inside>(settings, std::move(post))) {}
ClockService::~ClockService() = default;
std::int64_t ClockService::next_timer() const { return inside_->next_timer(); }
void ClockService::on_timer(std::int64_t now) { inside_->on_timer(now); }
std::optional<ClockLine> ClockService::line(const Address& peer, std::int64_t now, std::int64_t horizon) const {
  return inside_->line(peer, now, horizon);
}
ClockState ClockService::state(std::int64_t now) const { return inside_->state(now); }
std::vector<ClockMemory> ClockService::memory() const { return inside_->memory(); }
void ClockService::set_peers(const std::vector<ClockPeer>& peers) { inside_->set_peers(peers); }
void ClockService::set_test_clock(std::int64_t offset, std::int64_t drift, std::int64_t start) {
  inside_->set_test_clock({offset, drift, start});
}

}  // namespace weir::hosts
