#include "hosts/queue/queue_path.h"

#include <poll.h>
#include <sodium.h>

#include <cerrno>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "hosts/path/netlink.h"
#include "hosts/path/segment_limit.h"
#include "hosts/queue/events.h"
#include "hosts/queue/queue_loop.h"
#include "hosts/queue/rules.h"

namespace weir::hosts {
namespace {

class QueuePath : public DataPath {
 public:
  QueuePath(const PathSettings& settings, const QueueOptions& options)
      : settings_(settings), rules_(settings.interfaces, options.queue), loop_(settings, options) {
    if (settings.hold) {
      rules_.remove();  // of an agent before this one
      if (settings.before_change)
        for (const Undo& step : Rules::undo_tables()) settings.before_change(step);
      rules_.check(false);
      if (settings.segment_limit != 0)
        for (const std::string& interface : settings.interfaces)
          segments_.emplace_back(netlink_, interface, settings.segment_limit, settings.before_change);
    }
    loop_.start(put_back());
    if (Shared* shared = loop_.shared(); shared != nullptr) rules_.tell_tables(shared->made_tables);
  }

  ~QueuePath() override {
    try {
      detach();
    } catch (const std::exception&) {
      // Whoever wants to know calls it.
    }
  }

  void set_peer(const Peer& peer) override {
    if (detached_) return;
    loop_.set_peer(peer);
    const bool held = peer.held && settings_.hold;
    const auto [known, is_new] = held_.try_emplace(peer.address, held);
    rules_changed_ = rules_changed_ || (is_new ? held : known->second != held);
    known->second = held;
  }

  void remove_peer(const Address& address) override {
    if (detached_) return;
    loop_.remove_peer(address);
    const auto known = held_.find(address);
    if (known == held_.end()) return;
    rules_changed_ = rules_changed_ || known->second;
    held_.erase(known);
  }

  void beat(std::int64_t now) override {
    loop_.beat(now);
    look_after_rules(now);
    set_rules();
  }

  Counters counters() override {
    Counters out = loop_.counters();
    out.rules_removed = rules_removed_;
    return out;
  }
  std::vector<FlowView> flows() override { return loop_.flows(); }

  void trace(std::function<void(const Decision&)> tell) override {
    tell_ = std::move(tell);
    loop_.trace(static_cast<bool>(tell_));
  }

  void poll(int timeout_ms) override {
    set_rules();
    pollfd wait{loop_.decisions_descriptor(), POLLIN, 0};
    if (::poll(&wait, 1, timeout_ms) <= 0) return;
    for (const Decision& decision : loop_.take_decisions())
      if (tell_) tell_(decision);
  }

  int descriptor() const override { return loop_.decisions_descriptor(); }

  std::string trouble() override {
    std::string out = loop_.trouble();
    const auto add = [&out](const std::string& what) { out += (out.empty() ? "" : "; ") + what; };
    if (!rules_trouble_.empty()) add(rules_trouble_ + "; packets pass, and nothing is held");
    if (rules_removed_ != 0 && read_clock() - removed_rules_ < kTellRemoved)
      add("another program has removed rules of the path from iptables' table mangle, and they were set again");
    return out;
  }

  void detach() override {
    if (std::exchange(detached_, true)) return;
    std::string left;
    const auto undo = [&left](auto&& step) {
      try {
        step();
      } catch (const std::exception& error) {
        left += (left.empty() ? "" : "; ") + std::string(error.what());
      }
    };
    // What waits leaves before rules go, so that nothing that comes past the queue then passes it. Rules are next:
    // packets that come meanwhile are still looked after, and the watchdog knows what is left to do.
    if (settings_.hold) {
      undo([this] { loop_.hold_nothing(); });
      undo([this] { rules_.remove(); });
    }
    for (SegmentLimit& limit : segments_) undo([&limit] { limit.put_back(); });
    loop_.stop();
    if (!left.empty()) throw std::runtime_error(left);
  }

 private:
  static constexpr std::int64_t kLookEvery = 1'000'000'000;     // ns
  static constexpr std::int64_t kTellRemoved = 60'000'000'000;  // ns

  void look_after_rules(std::int64_t now) {
    if (detached_ || now - looked_at_rules_ < kLookEvery) return;
    looked_at_rules_ = now;
    if (rules_.are_there()) return;
    rules_changed_ = true;
    removed_rules_ = now;
    ++rules_removed_;
  }

  // What the watchdog does if this process ends: the last change is undone first.
  std::vector<Command> put_back() const {
    std::vector<Command> out;
    const std::vector<Undo> rules = Rules::undo();
    for (auto step = rules.rbegin(); step != rules.rend(); ++step) out.push_back(step->command);
    for (const SegmentLimit& limit : segments_)
      for (auto step = limit.undo().rbegin(); step != limit.undo().rend(); ++step) out.push_back(step->command);
    return out;
  }

  void set_rules() {
    constexpr std::int64_t kBetweenTries = 1'000'000'000;
    const std::int64_t now = read_clock();
    if (!rules_changed_ || detached_ || (!rules_trouble_.empty() && now - tried_rules_ < kBetweenTries)) return;
    tried_rules_ = now;
    if (settings_.before_change && !std::exchange(told_rules_, true))
      for (const Undo& step : Rules::undo()) settings_.before_change(step);
    std::vector<Address> addresses;
    for (const auto& [address, held] : held_)
      if (held) addresses.push_back(address);
    try {
      rules_.set(addresses);
      rules_trouble_.clear();
      rules_changed_ = false;
    } catch (const std::exception& error) {
      // Packets pass meanwhile.
      rules_trouble_ = error.what();
    }
  }

  PathSettings settings_;
  Rules rules_;
  Netlink netlink_;
  std::vector<SegmentLimit> segments_;
  QueueLoop loop_;
  std::map<Address, bool> held_;
  bool rules_changed_ = false;
  std::int64_t tried_rules_ = 0;
  std::int64_t looked_at_rules_ = 0;
  std::int64_t removed_rules_ = 0;
  std::uint64_t rules_removed_ = 0;
  bool told_rules_ = false;
  bool detached_ = false;
  std::string rules_trouble_;
  std::function<void(const Decision&)> tell_;
};

}  // namespace

std::unique_ptr<DataPath> attach_queue(const PathSettings& settings, const QueueOptions& options) {
  if (::sodium_init() < 0) throw Unavailable("libsodium does not work here", "");
  try {
    return std::make_unique<QueuePath>(settings, options);
  } catch (const std::system_error& error) {
    const bool allowed = error.code().value() != EPERM && error.code().value() != EACCES;
    throw Unavailable(error.what(), allowed ? "" : "run as root, or with CAP_NET_ADMIN and CAP_NET_RAW");
  }
}

std::unique_ptr<DataPath> attach_queue(const PathSettings& settings) { return attach_queue(settings, QueueOptions{}); }

}  // namespace weir::hosts
