#include "hosts/clock/edge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace weir::hosts::clock {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Windows in multiples of the shortest.
constexpr std::array<int, 3> kLengths{1, 2, 4};
// Beyond the error of the line and of the smallest delay, so much more is a step, ns.
constexpr double kStepTolerance = 200;
// So many observations must come too early within so long.
constexpr std::size_t kEarlyOnes = 4;
constexpr std::int64_t kEarlyWithin = 200'000'000;
// And so many of the other direction tell whether the round trip has changed.
constexpr int kOthers = 8;
// The first margin is taken for the least delay within a share of it, the next ones within less.
constexpr double kGuess = 0.2;
constexpr int kGuesses = 12;
// So many of either direction confirm a line of before.
constexpr int kConfirming = 3;
// A line of before counts on where its error is less than so much of that of the best one of now.
constexpr double kKeep = 0.5;
// A line that may be wrong by more is not left as it is until the next fit, ns.
constexpr double kPoor = 20'000;
// The last probes of each direction are looked at in two halves of so many ns. Where nothing but a clock has changed,
// so many of each half are as fast as the fastest, within so much; queues and busy hosts make few alike.
constexpr std::int64_t kWitness = 180'000'000;
constexpr double kSteady = 500;
constexpr int kAlike = 3;
constexpr std::int64_t kAhead = 1'000'000'000;
// A prediction is looked at so many fits later, which is the shortest window.
constexpr std::size_t kPredicted = 4;
constexpr double kForgetScale = 0.9;
// So many of the last 32 observations of a direction are near the least delay if its path does not queue, and one of
// the last few; stamps of single ones are late.
constexpr int kWitnesses = 8;
constexpr std::uint32_t kLatest = 0b11'1111;
// Of what has been fitted, so many layers of hulls are kept: as many observations of a step may be wrong but one.
constexpr int kLayers = 3;

void insert(std::deque<Observation>& list, const Observation& o, std::int64_t length) {
  auto place = list.end();
  while (place != list.begin() && std::prev(place)->at > o.at) --place;
  list.insert(place, o);
  while (list.front().at < list.back().at - length) list.pop_front();
}

std::vector<Observation> since(const std::deque<Observation>& list, std::int64_t begin) {
  const auto first = std::partition_point(list.begin(), list.end(), [&](const Observation& o) { return o.at < begin; });
  return {first, list.end()};
}

// Those of a list that make up the outer layers towards the other set.
void mark_layers(std::span<const Observation> list, bool pure_only, int sign, std::vector<bool>& marked) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!pure_only || list[i].pure) left.push_back(i);
  }
  for (int layer = 0; layer < kLayers && !left.empty(); ++layer) {
    std::vector<Dot> dots;
    for (const std::size_t i : left) {
      dots.push_back(
          {static_cast<double>(list[i].at - list[0].at), static_cast<double>(list[i].difference - list[0].difference)});
    }
    const auto corners = sign > 0 ? facing_upper(dots) : facing_lower(dots);
    for (auto i = corners.rbegin(); i != corners.rend(); ++i) {
      marked[left[*i]] = true;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(*i));
    }
  }
}

}  // namespace

void Edge::restore(const EdgeMemory& memory) {
  line_ = memory.line;
  meanwhile_.reset();
  tight_.reset();
  doubted_ = true;
  agree_ = {};
  if (memory.least) least_.remember(memory.least->at, memory.least->delay, memory.least->noise);
}

EdgeMemory Edge::memory() const {
  EdgeMemory out;
  if (line_) {
    out.line = line_;
    out.line->offset_error *= scale_;
    out.line->drift_error *= scale_;
    if (least_.floor().known) out.least = {line_->at, least_.floor().delay, least_.floor().noise};
  }
  return out;
}

bool Edge::is_confirmed() const { return !doubted_ || (agree_[0] >= kConfirming && agree_[1] >= kConfirming); }

// How long it took, if the line is right.
double Edge::delay(const Observation& o, int sign) const {
  return sign *
         (static_cast<double>(o.difference - line_->offset) - line_->drift * static_cast<double>(o.at - line_->at));
}

// As long as the least delay is not known, the margin of the line stands for it, and a queue that becomes shorter also
// makes packets early.
double Edge::least_delay() const {
  const LeastDelay::Floor& floor = least_.floor();
  return floor.known ? std::min(line_->margin, floor.delay) : line_->margin;
}

bool Edge::is_early(const Observation& o, int sign) const {
  if (!line_) return false;
  const LeastDelay::Floor& floor = least_.floor();
  const double error = floor.known || !tight_ ? error_at(o.at) : scale_ * error_at(*tight_, o.at);
  return delay(o, sign) <= least_delay() - floor.noise - error - kStepTolerance;
}

Edge::Trips Edge::trips(std::int64_t since) const {
  std::array<double, 2> least{kInfinity, kInfinity};
  std::array<int, 2> count{};
  const auto look = [&](const Observation& o, int sign) {
    if (o.at < since) return;
    const std::size_t i = sign > 0 ? 0 : 1;
    least[i] = std::min(least[i], delay(o, sign));
    ++count[i];
  };
  for (const Observation& o : ours_) look(o, 1);
  for (const Observation& o : theirs_) look(o, -1);
  for (const Early& e : early_) look(e.observation, e.sign);
  return {(least[0] + least[1]) / 2, std::min(count[0], count[1]), std::max(count[0], count[1])};
}

Edge::Finding Edge::what_early_ones_tell() const {
  // few are errors of stamps
  if (early_.size() < kEarlyOnes) return Finding::nothing;
  const Trips t = trips(early_.front().observation.at);
  if (t.most < kOthers || t.fewest == 0) return Finding::nothing;
  if (!least_.floor().known) {
    // only what came before it was sent is no queue's doing
    const auto proof = std::count_if(early_.begin(), early_.end(), [&](const Early& e) {
      return delay(e.observation, e.sign) < -error_at(e.observation.at) - kStepTolerance;
    });
    return static_cast<std::size_t>(proof) < kEarlyOnes ? Finding::shorter : Finding::step;
  }
  // a step leaves the round trip as it is; what one direction alone has become faster by, half of it takes away half of
  const double least = least_delay();
  double early = 0;
  for (const Early& e : early_) early = std::max(early, least - delay(e.observation, e.sign));
  if (t.half < least - early / 4) return Finding::shorter;
  return t.fewest < kOthers ? Finding::nothing : Finding::step;
}

void Edge::step() {
  ++steps_;
  void_line();
}

void Edge::void_line() {
  ours_.clear();
  theirs_.clear();
  line_.reset();
  meanwhile_.reset();
  tight_.reset();
  guessed_ = 0;
  earlier_.clear();
  scale_ = 1;
  early_.clear();
  thinned_ = INT64_MIN;
  witnesses_ = {};
}

void Edge::doubt() {
  ours_.clear();
  theirs_.clear();
  early_.clear();
  earlier_.clear();
  meanwhile_.reset();
  thinned_ = INT64_MIN;
  doubted_ = true;
  agree_ = {};
  witnesses_ = {};
}

// A queue that stood since we know the path has ended, or the route has changed.
void Edge::shorten(double half_trip) {
  least_.forget();
  witnesses_ = {};
  for (const Early& e : early_) {
    insert(e.sign > 0 ? ours_ : theirs_, e.observation, kLengths.back() * window_);
  }
  early_.clear();
  const double wrong = std::max(0.0, line_->margin - half_trip);
  line_->bias = std::max(line_->bias, wrong);
  line_->offset_error = std::max(line_->offset_error, wrong);
}

bool Edge::add(const Observation& o, int sign) {
  if (is_early(o, sign)) {
    early_.push_back({o, sign});
    while (early_.front().observation.at < o.at - kEarlyWithin) early_.pop_front();
    switch (what_early_ones_tell()) {
      case Finding::nothing: return true;
      case Finding::step: step(); return false;
      case Finding::shorter: shorten(trips(early_.front().observation.at).half); return true;
    }
  } else if (int& agree = agree_[sign > 0 ? 0 : 1]; doubted_ && agree < kConfirming) {
    ++agree;
  }
  insert(sign > 0 ? ours_ : theirs_, o, kLengths.back() * window_);
  look_for_witness(o, sign);
  return true;
}

void Edge::look_for_witness(const Observation& o, int sign) {
  if (!line_ || !least_.floor().known) return;
  std::uint32_t& seen = witnesses_[sign > 0 ? 0 : 1];
  const bool near = delay(o, sign) <= least_.floor().delay + least_.floor().noise + near_;
  seen = seen << 1 | (near ? 1 : 0);
}

bool Edge::knows_least_delay() const {
  return is_confirmed() && least_.floor().known && std::all_of(witnesses_.begin(), witnesses_.end(), [](auto seen) {
           return std::popcount(seen) >= kWitnesses && (seen & kLatest) != 0;
         });
}

// Keeps of what came since the last time what may touch a line.
void Edge::thin(std::deque<Observation>& list, int sign) {
  const auto first =
      std::partition_point(list.begin(), list.end(), [&](const Observation& o) { return o.at <= thinned_; });
  const std::vector<Observation> fresh(first, list.end());
  std::vector<bool> marked(fresh.size());
  mark_layers(fresh, false, sign, marked);
  mark_layers(fresh, true, sign, marked);
  list.erase(first, list.end());
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (marked[i]) list.push_back(fresh[i]);
  }
}

bool Edge::fit(std::int64_t now) {
  const auto fresh = [&](const Observation& o) { return o.at > thinned_; };
  const auto pure = [&](const Observation& o) { return o.at > thinned_ && o.pure; };
  const auto all =
      std::count_if(ours_.begin(), ours_.end(), fresh) + std::count_if(theirs_.begin(), theirs_.end(), fresh);
  const auto good =
      std::count_if(ours_.begin(), ours_.end(), pure) + std::count_if(theirs_.begin(), theirs_.end(), pure);
  if (all > 0) purity_ += (static_cast<double>(good) / static_cast<double>(all) - purity_) / 4;
  const bool lost = line_ && least_.floor().known && lost_its_witness(now);
  while (!early_.empty() && early_.front().observation.at < now - kEarlyWithin) early_.pop_front();
  thin(ours_, 1);
  thin(theirs_, -1);
  const std::int64_t before = thinned_;
  thinned_ = now;

  if (lost) {
    void_line();
    return true;
  }

  const std::vector<PairFit> fitted = fits(now);
  if (fitted.empty()) return true;
  auto line = best(fitted);
  if (!line && line_) {
    // a window across a step, or across the beginning of a shorter path
    const LeastDelay::Floor& floor = least_.floor();
    const double half = trips(before).half;
    if (half < floor.delay - 4 * floor.noise - kStepTolerance) {
      shorten(half);
      line = best(fitted);
    }
  }
  if (!line) {
    step();
    return false;
  }
  meanwhile_.reset();
  const bool was_known = least_.floor().known;
  least_.add(now, line->margin, fitted.front().line.margin);
  if (!was_known && least_.floor().known) line = best(fitted).value_or(*line);
  if (!line_ || !is_confirmed() || error_at(*line_, now + kAhead) > kKeep * error_at(*line, now + kAhead)) {
    line_ = line;
    doubted_ = false;
    const auto of = std::find_if(fitted.begin(), fitted.end(), [&](const PairFit& f) { return f.at == line->at; });
    guessed_ = std::min(guessed_ + 1, kGuesses);
    tight_ = of->judged(line->margin, kGuess * line->margin / guessed_ + kStampNoise);
  }
  compare(now);
  return true;
}

bool Edge::improve(std::int64_t now) {
  if (least_.floor().known || (line_ && (!is_confirmed() || error_at(now + kAhead) <= kPoor))) return false;
  const auto line = best(fits(now));
  if (!line || (line_ && error_at(*line, now + kAhead) >= error_at(now + kAhead))) return false;
  meanwhile_ = line;
  return true;
}

// While a queue stands in one direction, the other one tells that no clock has stepped, since it is as fast as ever. If
// neither is, and one is slower by an amount that stays the same, a clock may have stepped behind the queue.
bool Edge::lost_its_witness(std::int64_t now) {
  const LeastDelay::Floor& floor = least_.floor();
  // hosts with more to do are slower by some hundred ns each way, which hides no more than that
  const double touch = floor.delay + floor.noise + error_at(now) + std::max(kStepTolerance, near_);
  int touching = 0;
  bool steady = false;
  for (const int sign : {1, -1}) {
    std::vector<double> late;
    std::vector<double> early;
    for (const Observation& o : sign > 0 ? ours_ : theirs_) {
      if (o.at >= now - 2 * kWitness) (o.at < now - kWitness ? early : late).push_back(delay(o, sign));
    }
    double least = kInfinity;
    for (const auto* half : {&early, &late}) {
      for (const double d : *half) least = std::min(least, d);
    }
    const auto alike = [&](const std::vector<double>& half) {
      return std::count_if(half.begin(), half.end(), [&](double d) { return d < least + kSteady; }) >= kAlike;
    };
    touching += least <= touch ? 1 : 0;
    steady = steady || (alike(early) && alike(late));
  }
  queues_ = touching < 2 && !knows_least_delay();
  return touching == 0 && steady;
}

// Of the shortest window first.
std::vector<PairFit> Edge::fits(std::int64_t now) const {
  std::vector<PairFit> out;
  for (const int length : kLengths) {
    const std::int64_t begin = now - length * window_;
    auto fit = fit_pair(since(ours_, begin), since(theirs_, begin), window_ * (2 * length - 1) / 4);
    if (fit) out.push_back(std::move(*fit));
  }
  return out;
}

std::optional<PairLine> Edge::best(std::span<const PairFit> fits) const {
  const LeastDelay::Floor& floor = least_.floor();
  std::optional<PairLine> out;
  double least_error = kInfinity;
  for (const PairFit& fit : fits) {
    // a line that leaves less than the smallest delay is none that clocks ran along
    if (floor.known && fit.line.margin < floor.delay - 4 * floor.noise - kStepTolerance) continue;
    const PairLine line = fit.judged(floor.delay, floor.noise);
    const double error = error_at(line, fit.at + fit.half + kAhead);
    if (error >= least_error) continue;
    out = line;
    least_error = error;
  }
  return out;
}

void Edge::compare(std::int64_t now) {
  scale_ = std::max(1.0, kForgetScale * scale_);
  if (earlier_.size() == kPredicted) {
    const PairLine& then = earlier_.front();
    const double difference = std::abs(then.offset_at(now) - line_->offset_at(now));
    scale_ = std::max(scale_, difference / std::hypot(then.error_at(now), line_->error_at(now)));
    earlier_.pop_front();
  }
  earlier_.push_back(*line_);
}

double Edge::error_at(const PairLine& line, std::int64_t t) const {
  const double age = static_cast<double>(t - line.at);
  return line.error_at(t) + wander_ * age * age / 2;
}

Estimate Edge::estimate(std::int64_t t) const {
  const PairLine& line = meanwhile_ ? *meanwhile_ : *line_;
  Estimate out{t, line.offset, line.drift, scale_ * error_at(line, t), 0, line.bias};
  out.offset += std::llround(line.drift * static_cast<double>(t - line.at));
  out.growth = std::max(0.0, scale_ * error_at(line, t + kForesight) - out.error) / static_cast<double>(kForesight);
  return out;
}

std::int64_t Edge::last_seen() const {
  if (ours_.empty() || theirs_.empty()) return INT64_MIN;
  return std::min(ours_.back().at, theirs_.back().at);
}

}  // namespace weir::hosts::clock
