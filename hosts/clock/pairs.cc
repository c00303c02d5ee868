#include "hosts/clock/pairs.h"

#include <algorithm>

#include "hosts/clock/coded.h"

namespace weir::hosts::clock {
namespace {

// Stamps of what has left come at once or, from some interfaces, somewhat later.
constexpr std::int64_t kStampsTake = 20'000'000;

// Where hosts probe rarely and not at the same rate, what waits to be told becomes old.
constexpr std::int64_t kOld = 100'000'000;

// What leaves or comes farther apart, or in the other order, is no coded pair. In so long the fastest and the slowest
// clock move against each other by some 10 ns.
constexpr std::int64_t kCoded = 250'000;

}  // namespace

std::optional<std::uint32_t> Pairs::Pair::apart() const {
  if (first == kUnknown || second == kUnknown || second < first || second - first > kCoded) return std::nullopt;
  return static_cast<std::uint32_t>(second - first);
}

void Pairs::sending(std::uint64_t number, std::int64_t now) {
  const auto low = static_cast<std::uint32_t>(number);
  slot(ours_, low) = {.number = low, .since = now, .pending = true};
  unstamped_.push_back(low);
  if (unstamped_.size() > kUnstamped) unstamped_.pop_front();
}

void Pairs::left(std::uint64_t number, std::int64_t when) {
  const auto low = static_cast<std::uint32_t>(number);
  if (Pair& pair = slot(ours_, low); pair.pending && pair.number == low) {
    pair.first = when;
  } else if (Pair& before = slot(ours_, low - 1); before.pending && before.number == low - 1) {
    before.second = when;
  }
}

void Pairs::tell(std::deque<Record>& untold, const Pair& pair) {
  untold.push_back({pair.number, pair.first, pair.apart()});
  if (untold.size() > kUntold) untold.pop_front();
}

void Pairs::came(Kind kind, std::uint64_t number, std::int64_t when) {
  const auto low = static_cast<std::uint32_t>(number);
  if (kind == Kind::second && open_ == low - 1) {
    Pair& pair = slot(theirs_, *open_);
    pair.second = when;
    tell(untold_theirs_, pair);
    open_.reset();
    return;
  }
  if (kind != Kind::first) return;
  if (open_) tell(untold_theirs_, slot(theirs_, *open_));
  slot(theirs_, low) = {.number = low, .first = when, .pending = true};
  open_ = low;
}

std::optional<Record> Pairs::record_of_ours(std::int64_t now) {
  while (!unstamped_.empty()) {
    const Pair& pair = slot(ours_, unstamped_.front());
    const bool late = now - pair.since > kStampsTake;
    if (pair.number != unstamped_.front() || (late && pair.first == kUnknown)) {
      unstamped_.pop_front();
      continue;
    }
    if (pair.first == kUnknown || (pair.second == kUnknown && !late)) return std::nullopt;
    unstamped_.pop_front();
    return Record{pair.number, pair.first, pair.apart()};
  }
  return std::nullopt;
}

std::optional<Record> Pairs::record_of_theirs(std::int64_t now) {
  while (untold_theirs_.size() > 1 && now - untold_theirs_.front().time > kOld) untold_theirs_.pop_front();
  if (untold_theirs_.empty()) return std::nullopt;
  const Record record = untold_theirs_.front();
  untold_theirs_.pop_front();
  return record;
}

std::optional<Observation> Pairs::ours_came(const Record& record) {
  Pair& pair = slot(ours_, record.number);
  if (!pair.pending || pair.number != record.number || pair.first == kUnknown) return std::nullopt;
  pair.pending = false;
  Observation out{pair.first, record.time - pair.first, false};
  if (const auto apart = pair.apart(); apart && record.apart) {
    out.pure = is_pure(*apart, *record.apart, epsilon_);
    // of two that were as fast, the one that was faster
    out.difference += std::min<std::int64_t>(0, std::int64_t{*record.apart} - *apart);
  }
  return out;
}

std::optional<Observation> Pairs::theirs_left(const Record& record) {
  Pair& pair = slot(theirs_, record.number);
  if (!pair.pending || pair.number != record.number) return std::nullopt;
  pair.pending = false;
  Observation out{pair.first, record.time - pair.first, false};
  if (const auto apart = pair.apart(); apart && record.apart) {
    out.pure = is_pure(*record.apart, *apart, epsilon_);
    out.difference += std::max<std::int64_t>(0, std::int64_t{*record.apart} - *apart);
  }
  return out;
}

void Pairs::clear() {
  ours_ = {};
  theirs_ = {};
  unstamped_.clear();
  untold_theirs_.clear();
  open_.reset();
}

}  // namespace weir::hosts::clock
