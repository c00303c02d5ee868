// The bound of the messages that a driver sends: the driver is played in a network in which no message delays another.
#include <array>
#include <cstdint>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/engine/endings/completion.h"
#include "weir/engine/endings/shared_links.h"

namespace weir::engine {
namespace {

using traffic::Message;

class Play {
 public:
  Play(const Model& model, const UnhinderedDriver& of)
      : driver_(of.driver->clone()),
        scale_up_(driver_->scale_up().value_or(traffic::ScaleUp{})),
        shares_ways_in_(of.shares_ways_in),
        facts_(model),
        links_(model),
        scale_up_free_(model.topology.hosts) {
    for (std::uint32_t host = 0; host < model.topology.hosts; ++host) {
      At desk(*this, host);
      driver_->begin(desk);
    }
    while (!due_.empty()) {
      const Due next = due_.top();
      due_.pop();
      now_ = next.at;
      for (std::uint32_t event = next.first; event != kNone;) {
        happen(Event(events_[event]));
        const std::uint32_t done = std::exchange(event, events_[event].next);
        for (Chain& chain : open_)
          if (chain.last == done) chain.last = kNone;
        free_.push_back(done);
      }
    }
  }

  CompletionBound bound() const {
    WideEnds ends = ends_;
    ends.move_to(links_.ends().received, links_.ends().acknowledged);
    return {net::saturated(ends.received), net::saturated(ends.acknowledged)};
  }

 private:
  enum class Kind : std::uint8_t { woken, posted, received, sent, brought, carried };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Event {
    Kind kind = Kind::woken;
    std::uint32_t host = 0;
    std::uint32_t next = kNone;  // of its chain
    Message message;             // for woken and posted, only the word and, as `src`, the host that posts
  };
  // Events of one instant happen in the order in which they have become known. Many messages that are sent at once are
  // received at once: such events are linked into a chain, of which the heap has only the first.
  struct Due {
    Time at;
    std::uint64_t number = 0;
    std::uint32_t first = 0;
    friend bool operator<(const Due& a, const Due& b) { return std::tie(a.at, a.number) > std::tie(b.at, b.number); }
  };

  struct Chain {
    Time at;
    std::uint32_t last = kNone;  // kNone: no more events are added to it
  };

  class At final : public traffic::Desk {
   public:
    At(Play& play, std::uint32_t host) : play_(play), host_(host) {}
    std::uint32_t host() const override { return host_; }
    Time now() const override { return play_.now_; }
    void send(Message message) override { play_.send(with_start(message)); }
    void wake(Time at, std::uint32_t word) override { play_.add(at, Kind::woken, host_, {.word = word}); }
    void post(std::uint32_t host, std::uint64_t word, Time at) override {
      play_.add(at, Kind::posted, host, {.word = word, .src = host_});
    }
    Time lag() const override { return {}; }
    void move(Message message) override { play_.move(with_start(message)); }
    Time& scale_up_free() override { return play_.scale_up_free_[host_]; }
    void done(std::uint64_t) override {}

   private:
    Message with_start(Message message) const {
      message.src = host_;
      message.started = play_.now_;
      return message;
    }
    Play& play_;
    std::uint32_t host_;
  };

  void add(Time at, Kind kind, std::uint32_t host, const Message& message) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(events_.size()));
      events_.emplace_back();
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    events_[place] = {kind, host, kNone, message};
    at = std::max(at, now_);
    for (Chain& chain : open_)
      if (chain.last != kNone && chain.at == at) {
        events_[std::exchange(chain.last, place)].next = place;
        return;
      }
    open_[number_ % open_.size()] = {at, place};
    due_.push({at, number_++, place});
  }

  void send(const Message& m) {
    const MessageFacts& f = facts_.of(m.src, m.dst, m.size, m.profile);
    links_.add(now_.ps, now_.ps, m.src, m.dst, f);
    const Time received = saturating_sum(now_, f.delivery);
    const Time acknowledged = saturating_sum(received, f.ack);
    ends_.move_to(received.ps, acknowledged.ps);
    add(received, Kind::received, m.dst, m);
    add(acknowledged, Kind::sent, m.src, m);
  }

  void move(const Message& m) {
    links_.move(now_.ps, m.src, m.dst, m.size, scale_up_, shares_ways_in_);
    const Time there = now_ + least_scale_up_time(m.size, scale_up_) + scale_up_.latency;
    ends_.move_to(there.ps, there.ps);
    add(there, Kind::brought, m.dst, m);
    add(there, Kind::carried, m.src, m);
  }

  void happen(const Event& e) {
    At desk(*this, e.host);
    switch (e.kind) {
      case Kind::woken: return driver_->woken(desk, static_cast<std::uint32_t>(e.message.word));
      case Kind::posted: return driver_->posted(desk, e.message.src, e.message.word);
      case Kind::received: return driver_->received(desk, e.message);
      case Kind::sent: return driver_->sent(desk, e.message);
      case Kind::brought: return driver_->brought(desk, e.message);
      case Kind::carried: return driver_->carried(desk, e.message);
    }
  }

  const std::unique_ptr<traffic::Driver> driver_;
  const traffic::ScaleUp scale_up_;
  const bool shares_ways_in_;
  FactsOfMessages facts_;
  SharedLinks links_;
  std::vector<Time> scale_up_free_;  // by host
  Time now_;
  WideEnds ends_;
  LargePageVector<Event> events_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<Due> due_;
  std::array<Chain, 8> open_;  // the chains that were begun last
  std::uint64_t number_ = 0;
};

}  // namespace

CompletionBound completion_bound(const Model& model, const UnhinderedDriver& driver) {
  return Play(model, driver).bound();
}

}  // namespace weir::engine
